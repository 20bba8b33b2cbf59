"""The use of tokens that endpoints report: what adds up is counted, and what cannot be true counts as not reported."""

from __future__ import annotations

import json
import re

import pytest
from agent_games import SHORT
from aucenv.baselines.llm.endpoints import chat_api, responses_api
from aucenv.baselines.llm.endpoints.attempts import cleaned
from aucenv.benchmarks.rankings.leaderboard import Settings, run
from aucenv.benchmarks.timings.loopback import Loopback, bid_or_leave
from dialect_servers import OpenAIChat, OpenAIResponses
from pauses import no_pause
from provider_servers import Anthropic, Gemini
from run_command import command

from aucenv.core.words.outside_text import Secrets
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Completion, Request
from aucenv.runs.model_calls.journal import CallJournal, RunStopped, read_calls
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import play
from aucenv.runs.run_options import RunOptions

MESSAGES = ({"role": "system", "content": "Play."}, {"role": "user", "content": "Least bid: $4,000."})
REQUEST = Request(MESSAGES, None, 1200, None)
UNKNOWN = (None, None)
ABSENT = object()


def numbers(prompt=100, reply=20, total=ABSENT, cached=ABSENT, written=ABSENT, reasoning=ABSENT, **more):
    given = {"prompt": prompt, "reply": reply, "total": total, "cached": cached, "written": written}
    return {name: value for name, value in {**given, "reasoning": reasoning, **more}.items() if value is not ABSENT}


USAGES = {
    "the total adds up": (numbers(total=120), (100, 20)),
    "without a total": (numbers(), (100, 20)),
    "the total is null": (numbers(total=None), (100, 20)),
    "cached tokens in the prompt": (numbers(total=120, cached=64), (100, 20)),
    "cached tokens beside the prompt": (numbers(total=184, cached=64), (164, 20)),
    "written tokens beside the prompt": (numbers(total=150, written=30), (130, 20)),
    "both beside the prompt": (numbers(total=214, cached=64, written=30), (194, 20)),
    "cached tokens in, written ones beside": (numbers(total=150, cached=64, written=30), (130, 20)),
    "reasoning in the reply": (numbers(total=120, reasoning=15), (100, 20)),
    "reasoning beside the reply": (numbers(total=135, reasoning=15), (100, 35)),
    "all beside": (numbers(total=229, cached=64, written=30, reasoning=15), (194, 35)),
    "all in": (numbers(total=120, cached=64, written=30, reasoning=15), (100, 20)),
    "no reply but reasoning": (numbers(reply=0, total=160, reasoning=60), (100, 60)),
    "more cached tokens than the prompt": (numbers(prompt=50, cached=64), (114, 20)),
    "nothing but cached tokens": (numbers(prompt=0, total=84, cached=64), (64, 20)),
    "more reasoning than the reply": (numbers(reasoning=60), (100, 80)),
    "parts of 0": (numbers(total=120, cached=0, written=0, reasoning=0), (100, 20)),
    "parts that are null": (numbers(total=120, cached=None, written=None, reasoning=None), (100, 20)),
    "zeros": (numbers(0, 0), UNKNOWN),
    "zeros with a total": (numbers(0, 0, 0), UNKNOWN),
    "zeros with parts": (numbers(0, 0, 0, 0, 0, 0), UNKNOWN),
    "no tokens for the prompt": (numbers(prompt=0), (None, 20)),
    "no tokens for the reply": (numbers(reply=0), (100, None)),
    "a total of 0": (numbers(total=0), UNKNOWN),
    "a total that is too high": (numbers(total=121), UNKNOWN),
    "a total that is too low": (numbers(total=119), UNKNOWN),
    "a total that no part explains": (numbers(total=140, cached=64, reasoning=15), UNKNOWN),
    "parts beside a total without them": (numbers(prompt=50, total=70, cached=64), UNKNOWN),
    "more reasoning than the reply and the total": (numbers(total=120, reasoning=60), UNKNOWN),
    "a negative prompt": (numbers(prompt=-5), (None, 20)),
    "a negative reply": (numbers(reply=-20), (100, None)),
    "a negative total": (numbers(total=-120), UNKNOWN),
    "negative cached tokens": (numbers(cached=-1), UNKNOWN),
    "negative cached tokens that add up": (numbers(total=119, cached=-1), UNKNOWN),
    "negative reasoning": (numbers(reasoning=-3), UNKNOWN),
    "huge": (numbers(prompt=10**12), (None, 20)),
    "huge parts": (numbers(total=120, cached=10**12), UNKNOWN),
    "huge parts that add up": (numbers(total=120 + 10**12, reasoning=10**12), UNKNOWN),
    "a text": (numbers(prompt="100"), (None, 20)),
    "a text as the total": (numbers(total="120"), UNKNOWN),
    "fractions": (numbers(prompt=100.5, reply=20.5, total=121), UNKNOWN),
    "floats": (numbers(prompt=100.0, reply=20.0, total=120.0), UNKNOWN),
    "a float as the total": (numbers(total=120.0), UNKNOWN),
    "true": (numbers(prompt=True, reply=True, total=2), UNKNOWN),
    "a reply of true": (numbers(prompt=100, reply=True, total=101), (100, None)),
    "true as a total": (numbers(total=True), UNKNOWN),
    "true as a part": (numbers(total=121, reasoning=True), UNKNOWN),
    "lists": (numbers(prompt=[100], reply={}), UNKNOWN),
    "a reply that is null": (numbers(reply=None), (100, None)),
    "a prompt that is null": (numbers(prompt=None), (None, 20)),
    "nothing": ({}, UNKNOWN),
    "a cost of nothing beside zeros": (numbers(0, 0, 0, cost=0), UNKNOWN),
}
"""Maps what an endpoint reports to the tokens of the prompt and of the reply that are counted."""


def with_details(given, prompt, reply):
    """Return the usage in OpenAI's APIs, whose numbers of tokens begin with these words."""
    names = {"prompt": f"{prompt}_tokens", "reply": f"{reply}_tokens", "total": "total_tokens", "cost": "cost"}
    details = {
        f"{prompt}_tokens_details": {"cached": "cached_tokens", "written": "cache_creation_tokens"},
        f"{reply}_tokens_details": {"reasoning": "reasoning_tokens"},
    }
    usage = {names[name]: value for name, value in given.items() if name in names}
    for field, parts in details.items():
        inner = {parts[name]: value for name, value in given.items() if name in parts}
        usage |= {field: inner} if inner else {}
    return usage


def flat(given):
    """Return the usage with all numbers beside each other, as proxies of other APIs return it."""
    names = {"prompt": "prompt_tokens", "reply": "completion_tokens", "total": "total_tokens", "cost": "cost"}
    names |= {"cached": "cache_read_input_tokens", "written": "cache_creation_input_tokens"}
    return {{**names, "reasoning": "reasoning_tokens"}[name]: value for name, value in given.items()}


MESSAGE = {"role": "assistant", "content": "I bid $4,000!"}


def chat(usage):
    return chat_api, json.dumps({"choices": [{"message": MESSAGE, "finish_reason": "stop"}], "usage": usage})


def chat_stream(usage):
    chunks = [{"choices": [{"delta": MESSAGE, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
    return chat_api, "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def response(usage):
    return {"status": "completed", "output": [{"type": "message", "content": "I bid $4,000!"}], "usage": usage}


def events(usage):
    event = {"type": "response.completed", "response": response(usage)}
    return responses_api, f"data: {json.dumps(event)}\n\n"


FORMS = {
    "chat": lambda given: chat(with_details(given, "prompt", "completion")),
    "chat, flat": lambda given: chat(flat(given)),
    "chat, streamed": lambda given: chat_stream(with_details(given, "prompt", "completion")),
    "responses": lambda given: (responses_api, json.dumps(response(with_details(given, "input", "output")))),
    "responses, streamed": lambda given: events(with_details(given, "input", "output")),
}
"""The forms in which OpenAI's APIs report usage."""


def tokens(completion: Completion):
    return completion.tokens_in, completion.tokens_out


@pytest.mark.parametrize("case", USAGES)
def test_usage_is_counted_as_it_adds_up(case):
    given, expected = USAGES[case]
    parts = [given.get(name) for name in ("cached", "written", "reasoning")]
    for form, report in FORMS.items():
        api, body = report(given)
        completion = cleaned(api.parse(body.encode()), Secrets([]))
        assert tokens(completion) == expected, form
        assert completion.text == "I bid $4,000!"
        assert completion.reported_cost is None
        counted = [completion.tokens_cached, completion.tokens_written, completion.tokens_reasoning]
        assert counted == ([None] * 3 if None in expected else parts), form


def anthropic(prompt=50, reply=9, cached=ABSENT, written=ABSENT):
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    values = zip(names, (prompt, reply, cached, written), strict=True)
    return Anthropic, {name: value for name, value in values if value is not ABSENT}


def gemini(prompt=100, reply=9, total=ABSENT, cached=ABSENT, thoughts=ABSENT):
    names = ("promptTokenCount", "candidatesTokenCount", "totalTokenCount", "cachedContentTokenCount")
    values = zip((*names, "thoughtsTokenCount"), (prompt, reply, total, cached, thoughts), strict=True)
    return Gemini, {name: value for name, value in values if value is not ABSENT}


PROVIDERS = [
    (anthropic(), (50, 9)),
    (anthropic(cached=30, written=20), (100, 9)),
    (anthropic(cached=None, written=None), (50, 9)),
    (anthropic(prompt=0, cached=30), (30, 9)),
    (anthropic(cached=500), (550, 9)),
    (anthropic(0, 0), UNKNOWN),
    (anthropic(0, 0, 0, 0), UNKNOWN),
    (anthropic(reply=0), (50, None)),
    (anthropic(prompt=-5, cached=30), (None, 9)),
    (anthropic(prompt="50"), (None, 9)),
    (anthropic(prompt=50.5), (None, 9)),
    (anthropic(prompt=True), (None, 9)),
    (anthropic(reply=-9), (50, None)),
    (anthropic(reply=None), (50, None)),
    (anthropic(cached=-30), UNKNOWN),
    (anthropic(written="20"), UNKNOWN),
    (anthropic(prompt=10**12), (None, 9)),
    ((Anthropic, {}), UNKNOWN),
    ((Anthropic, None), UNKNOWN),
    ((Anthropic, "none"), UNKNOWN),
    (gemini(total=109), (100, 9)),
    (gemini(), (100, 9)),
    (gemini(total=109, cached=30), (100, 9)),
    (gemini(total=114, thoughts=5), (100, 14)),
    (gemini(thoughts=5), (100, 14)),
    (gemini(total=109, thoughts=5), (100, 9)),
    (gemini(reply=ABSENT, total=105, thoughts=5), (100, 5)),
    (gemini(reply=ABSENT, total=100), (100, None)),
    (gemini(0, 0, 0), UNKNOWN),
    (gemini(total=500), UNKNOWN),
    (gemini(total=0), UNKNOWN),
    (gemini(prompt=-100, total=-91), (None, 9)),
    (gemini(reply="9"), (100, None)),
    (gemini(reply=9.5), (100, None)),
    (gemini(thoughts=True), UNKNOWN),
    (gemini(cached=10**12), UNKNOWN),
    ((Gemini, {}), UNKNOWN),
    ((Gemini, None), UNKNOWN),
    ((Gemini, []), UNKNOWN),
]
"""A provider whose API LiteLLM translates and the usage that it reports, and the tokens that are counted."""


@pytest.mark.parametrize("number", range(len(PROVIDERS)))
def test_usage_of_providers_is_counted_as_they_report_it(number):
    (kind, usage), expected = PROVIDERS[number]
    with kind(usage=usage) as server:
        name = f"llm:litellm:{server.name},base_url={server.url},attempts=1"
        completion = make_policy("english", name).model.complete(REQUEST, no_pause)
    assert tokens(completion) == expected
    assert completion.text == "I bid $4,000!"
    assert completion.reported_cost is None
    assert len(server.requests) == 1


def test_a_reply_without_text_may_have_no_tokens():
    body = {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}
    usage = {"prompt_tokens": 100, "completion_tokens": 0, "total_tokens": 100}
    assert tokens(chat_api.parse(json.dumps({**body, "usage": usage}).encode())) == (100, 0)


class Reporting(Loopback):
    """A server with OpenAI's Chat Completions API that reports one usage."""

    def __init__(self, usage):
        super().__init__(bid_or_leave)
        self.usage = usage

    @property
    def bidder(self):
        return f"m=llm:openai:m,base_url={self.url}"

    def completion(self, body, **changed):
        return super().completion(body, **changed) | {"usage": self.usage}


def reporting(dialect, usage, stream):
    """Return a server of a dialect, or of a provider, that reports a usage, and its bidder."""
    if dialect in (Anthropic, Gemini):
        server = dialect(usage=usage, answer=lambda body: "I'm out!")
        return server, lambda: f"m=llm:litellm:{server.name},base_url={server.url}"
    server = dialect()
    server.usage = lambda body: usage
    if dialect is OpenAIResponses:
        whole = server.completion
        server.completion = lambda body, **changed: whole(body, **changed) | {"usage": usage}
    return server, lambda: f"m={server.bidder},stream={str(stream).lower()}"


ZEROS = {
    OpenAIChat: {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    OpenAIResponses: {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
    Anthropic: {"input_tokens": 0, "output_tokens": 0},
    Gemini: {"promptTokenCount": 0, "candidatesTokenCount": 0, "totalTokenCount": 0},
}
SPOKEN = [
    (dialect, stream)
    for dialect in ZEROS
    for stream in (False, True)
    if dialect not in (Anthropic, Gemini) or not stream
]


@pytest.mark.parametrize(("dialect", "stream"), SPOKEN)
def test_an_endpoint_that_reports_no_tokens_stops_a_run_with_a_limit_before_the_next_call(dialect, stream, tmp_path):
    server, bidder = reporting(dialect, ZEROS[dialect], stream)
    with server:
        model = make_policy("english", bidder()).model
        prices = TokenPrices({model.name: {"input": 1, "output": 1}})
        settings = Settings(bidders=(bidder(), "rule", "value"), games=2, changes=("num_items=2",))
        with pytest.raises(RunStopped, match="does not report token counts"):
            run(settings, RunOptions(prices=prices, max_cost=100.0), out=tmp_path)
        assert len(server.requests) == 1
        (call,) = read_calls(tmp_path)
        assert (call.tokens_in, call.tokens_out, call.cost) == (None, None, None)


def status_of(*arguments):
    return command(*arguments)


@pytest.mark.parametrize("usage", [ZEROS[OpenAIChat], {**ZEROS[OpenAIChat], "cost": 0}, {"total_tokens": 9}])
def test_without_a_limit_the_cost_is_unknown_in_all_tables(usage, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.json").write_text('{"m": {"input": 1, "output": 1}}')
    with Reporting(usage) as server:
        line = ["leaderboard", "--bidder", server.bidder, "--bidder", "rule", "--bidder", "value", "--games", 3]
        line += ["--set", "num_items=1", "--prices", "prices.json"]
        assert status_of(*line, "--out", "out", "--json", "table.json") == 0
        printed = capsys.readouterr()
        assert status_of(*line, "--max-cost", 1, "--out", "limited") == 1
        assert "cost unknown" in capsys.readouterr().err
    rows = [row for row in printed.out.splitlines() if re.match(r"\W*m\b", row) and "unknown" in row]
    assert len(rows) == 1
    assert "$" not in rows[0]
    assert "total cost" not in printed.err
    figures = json.loads((tmp_path / "out" / "run.json").read_text())["models"]["m"]
    assert (figures["tokens_in"], figures["cost"]) == (None, None)
    assert status_of("records", "show", "out", 0) == 0
    assert "? tokens, cost unknown" in capsys.readouterr().out
    assert status_of("records", "table", "out") == 0
    assert "unknown" in capsys.readouterr().out
    assert len(read_calls("limited")) == 1


@pytest.mark.parametrize("usage", [ZEROS[OpenAIChat], None, {"prompt_tokens": 100, "completion_tokens": 20}])
def test_a_model_whose_price_is_0_costs_nothing(usage, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.json").write_text('{"m": {"input": 0, "output": 0}}')
    with Reporting(usage) as server:
        line = ["leaderboard", "--bidder", server.bidder, "--bidder", "rule", "--bidder", "value", "--games", 3]
        line += ["--set", "num_items=1", "--prices", "prices.json", "--max-cost", 1, "--out", "out"]
        assert status_of(*line) == 0
    assert json.loads((tmp_path / "out" / "run.json").read_text())["models"]["m"]["cost"] == 0
    assert "cost unknown" not in capsys.readouterr().err
    assert {call.cost for call in read_calls("out")} == {0}


def test_calls_of_a_free_model_need_not_wait_for_the_first_one():
    journal = CallJournal(None, TokenPrices({"m": {"input": 0, "output": 0}}), 1.0)
    limit = journal.limit
    first, second = (limit.try_to_reserve(("http://h", "m"), 0.0) for _ in range(2))
    assert first is not None
    assert second is not None


@pytest.mark.parametrize(
    ("prices", "cost"),
    [({}, 0.0), ({"m": {"input": 0, "output": 0}}, 0.0), ({"m": {"input": 1e4, "output": 1e4}}, 1.2)],
)
def test_a_reported_cost_of_0_counts_unless_the_model_has_a_price(prices, cost):
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "cost": 0}
    journal = CallJournal(None, TokenPrices(prices))
    with Reporting(usage) as server:
        play("english", SHORT["english"], [server.bidder, "rule", "value"], 3, max_rounds=1, journal=journal)
    assert [call.cost for call in journal.calls] == [cost]
