"""Structured replies (`reply=json`, `reply=tools`): what is asked for, what endpoints accept or refuse, and what is kept."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from agent_games import SHORT, bidder
from aucenv.baselines.llm.bidder import CachedModel
from aucenv.baselines.llm.endpoints import attempts
from aucenv.baselines.llm.endpoints.client import ApiModel
from aucenv.benchmarks.rankings.leaderboard import Settings, run
from aucenv.benchmarks.timings.loopback import Loopback
from competent_agent import Competent
from games import CASES
from pauses import no_pause

from aucenv.core.notices import Notice
from aucenv.core.policy import ModelFailure
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Completion, Request
from aucenv.runs.model_calls.journal import CallJournal, conversations
from aucenv.runs.play import play
from aucenv.runs.records import replay

REQUEST = Request(({"role": "user", "content": "Least bid: $4,000."},), 0.0, 64, 7)
FORMED = dataclasses.replace(REQUEST, reply_form=BID_OR_WITHDRAW)
DECISIONS = {r"abstain": "abstain", r"out!": "withdraw", r"stay": "stay", r"leave": "leave", r"wait": "wait"}
REFUSED = {
    "400": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."},
    "404": {"message": "No endpoints found that can handle the requested parameters."},
    "422": {"message": "Unexpected fields in the request: {'response_format'}"},
}


def as_json(words):
    """Return the structured reply with the decision of a competent agent's words."""
    words = words.rpartition(". ")[2]  # reasons before the decision may have any words
    action = next((action for pattern, action in DECISIONS.items() if re.search(pattern, words)), "")
    amount = re.findall(r"[0-9][0-9,]*(?:\.[0-9]+)?", words)
    if not action:
        action = "bid" if amount else "take"
    value = float(amount[-1].replace(",", "")) if action == "bid" else None
    return json.dumps({"reasoning": "It is worth more than $9.", "action": action, "amount": value})


class Structured(Competent):
    """A competent server that replies with JSON where a form is required, and calls the tool where there is one.

    Args:
        refused: a key of REFUSED, the error for requests with a form.
    """

    def __init__(self, refused=None):
        super().__init__()
        self.refused = refused

    def reply(self, body):
        words = super().reply(body)
        if "response_format" not in body:
            return words
        form = body["response_format"]["json_schema"]
        text = as_json(words)
        assert form["strict"]
        assert form["schema"]["additionalProperties"] is False
        assert json.loads(text)["action"] in form["schema"]["properties"]["action"]["enum"]
        return text

    def completion(self, body, **changed):
        data = super().completion(body, **changed)
        if "tools" in body:
            message = data["choices"][0]["message"]
            function = {"name": body["tools"][0]["function"]["name"], "arguments": as_json(message["content"])}
            message |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
        return data

    async def respond(self, body, writer):
        if self.refused and "response_format" in body:
            await self.send(writer, {"error": REFUSED[self.refused]}, False, f"{self.refused} Refused")
        else:
            await super().respond(body, writer)


@pytest.mark.parametrize(
    ("game", "agent", "scenario", "actions", "amount"),
    [
        ("english", "bdi", None, ["bid", "withdraw"], ["number", "null"]),
        ("harbor", "harbor", None, ["bid", "withdraw"], ["number", "null"]),
        ("sealed_bid", "plan-bid-reflect", None, ["bid", "abstain"], ["number", "null"]),
        ("clock", "plan-bid-reflect", None, ["stay", "leave"], "null"),
        ("clock", "plan-bid-reflect", "descending-ipv", ["wait", "take"], "null"),
        ("water_allocation", "resident", None, ["bid", "withdraw"], ["number", "null"]),
    ],
)
@pytest.mark.parametrize("reply", ["json", "tools"])
def test_only_decisions_are_structured_and_they_are_read(game, agent, scenario, actions, amount, reply):
    scenario = find_family(game).game.load_scenario(scenario).changed(num_rounds=2) if scenario else SHORT[game]
    records = []
    for form in ("words", reply):
        with Structured() as server:
            journal = CallJournal()
            names = [bidder(server, agent, reply=form), *CASES[game].rivals]
            records.append(play(game, scenario, names, 3, journal=journal))
    words, record = records
    replay(record)
    assert [d["amount"] for d in record.decisions] == [d["amount"] for d in words.decisions]
    assert record.outcome == words.outcome
    assert not any(decision["attempts"] for decision in record.decisions)
    assert {call.structured for call in journal.calls if call.purpose == "bid"} == {True}
    assert not any(call.structured for call in journal.calls if call.purpose != "bid")
    for call, messages in conversations(journal.calls):
        asked = "as one JSON object, and write nothing outside it" in messages[-1]["content"]
        assert asked == (call.purpose == "bid")
    assert {call.tool_calls for call in journal.calls if call.purpose == "bid"} == {int(reply == "tools")}
    field = {"json": "response_format", "tools": "tools"}[reply]
    body = next(body for body in server.requests if field in body)
    function = body["tools"][0]["function"]["parameters"] if reply == "tools" else None
    schema = function or body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["action"]["enum"] == actions
    assert schema["properties"]["amount"]["type"] == amount


def test_a_clock_that_takes_prices_in_advance_says_so():
    policy = make_policy("clock", "llm:openai:m,base_url=http://127.0.0.1:1,reply=json")
    with Loopback(lambda body: '{"reasoning": "", "action": "leave", "amount": 50}') as server:
        name = f"llm:openai:m,base_url={server.url},reply=json"
        record = play("clock", "ascending-apv", [name, *["truthful"] * 2], 3)
    assert policy.sampling.structured
    first = server.requests[0]
    assert first["response_format"]["json_schema"]["schema"]["properties"]["amount"]["type"] == ["number", "null"]
    assert 'With "leave", the amount is a price in advance' in first["messages"][-1]["content"]
    assert all(d["amount"] == 50 for d in record.decisions if d["seat"] == "bidder_0" and d["amount"] is not None)


@pytest.mark.parametrize(
    ("language", "words"),
    [("chinese", "一个 JSON 对象"), ("hindi", "JSON ऑब्जेक्ट"), ("spanish", "objeto JSON"), ("russian", "объекта")],
)
def test_the_form_is_described_in_the_language_of_the_prompts(language, words):
    with Loopback(lambda body: '{"reasoning": "", "action": "bid", "amount": 1}') as server:
        name = f"llm:openai:m,base_url={server.url},reply=json,agent=plan-bid-reflect,language={language}"
        play("sealed_bid", SHORT["sealed_bid"], [name, *["truthful"] * 2], 3)
    asked = [body["messages"][-1]["content"] for body in server.requests if "response_format" in body]
    assert len(asked) == 3
    assert all(words in text and '"action": "bid"' in text for text in asked)


@pytest.mark.parametrize("status", REFUSED)
@pytest.mark.parametrize("stream", [False, True])
def test_a_refused_form_is_left_out_with_one_notice(status, stream):
    with Structured(status) as server:
        names = [bidder(server, "bdi", reply="json", stream=str(stream).lower()), "rule", "value"]
        journal = CallJournal()
        with pytest.warns(Notice, match="m does not support response_format") as notices:
            record = play("english", SHORT["english"], names, 3, journal=journal)
    assert len(notices) == 1
    assert str(notices[0].message).startswith(f"{server.url}: m does not support response_format ({status}: ")
    assert not any(decision["attempts"] for decision in record.decisions)  # the words are read
    assert not any(call.structured for call in journal.calls)
    assert [call.retries for call in journal.calls if call.retries] == [["response_format"]]
    assert sum("response_format" in body for body in server.requests) == 1
    tried, repeated = server.requests[[("response_format" in body) for body in server.requests].index(True) :][:2]
    assert {k: v for k, v in tried.items() if k != "response_format"} == repeated


def test_simultaneous_refusals_give_one_notice():
    with Failing("400 Bad Request", {"error": REFUSED["400"]}, then_works=True) as server:
        model = ApiModel("m", server.url, timeout=5, backoff=0.001)
        other = dataclasses.replace(model, name="other")
        with pytest.warns(Notice) as notices, ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda m: m.complete(FORMED, no_pause), (model, other) * 6))
    assert sorted(str(notice.message).split()[1] for notice in notices) == ["m", "other"]


class Failing(Loopback):
    """A server with one error, until its requests have no form if `then_works`."""

    def __init__(self, status, error, then_works=False):
        super().__init__()
        self.status, self.error, self.then_works = status, error, then_works

    async def respond(self, body, writer):
        if self.then_works and "response_format" not in body:
            await super().respond(body, writer)
        else:
            await self.send(writer, self.error, False, self.status)


@pytest.mark.parametrize(
    ("status", "message", "requests"),
    [
        ("401 Unauthorized", {"message": "Incorrect API key: response_format"}, 1),
        ("400 Bad Request", {"message": "API key not valid. Please pass a valid API key."}, 1),
        ("404 Not Found", {"message": "The model `m` does not exist", "code": "model_not_found"}, 1),
        ("400 Bad Request", {"message": "Unsupported value: 'temperature'", "param": "temperature"}, 2),
        ("400 Bad Request", {"message": "Unsupported parameter: 'seed'"}, 2),
    ],
)
def test_other_errors_are_not_taken_for_refusals_of_the_form(status, message, requests):
    with Failing(status, {"error": message}) as server, pytest.raises(ModelFailure, match=status[:3]):
        ApiModel("m", server.url, timeout=5).complete(FORMED, no_pause)
    assert len(server.requests) == requests
    assert not attempts.REFUSED.of(server.url, "m")


def test_a_prompt_that_is_too_long_is_no_refusal():
    error = {"error": {"message": "maximum context length is 10 tokens (structured output)"}}
    with Failing("400 Bad Request", error) as server:
        completion = ApiModel("m", server.url, timeout=5).complete(FORMED, no_pause)
    assert (completion.finish, len(server.requests)) == ("context", 1)


@pytest.mark.parametrize(
    "error",
    [
        {"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]},
        {"detail": "Unexpected fields in the request: {'response_format'}"},
        {"object": "error", "message": "json_schema is not supported", "param": None, "code": 400},
        {"error": "response format `json_schema` is unavailable"},
        {"error": {"message": "Unrecognized request argument supplied", "param": "response_format"}},
    ],
)
def test_refusals_are_recognized_in_all_bodies(error):
    with Failing("400 Bad Request", error, then_works=True) as server, pytest.warns(Notice):
        completion = ApiModel("m", server.url, timeout=5).complete(FORMED, no_pause)
    assert completion.text in ("I bid $4,000!", "I'm out!")
    assert (completion.retries, completion.structured) == (("response_format",), False)


def test_requests_with_and_without_a_form_are_distinct(tmp_path):
    assert FORMED.digest("m") != REQUEST.digest("m")
    assert FORMED.sampling != REQUEST.sampling
    recorded = "3997f7c8e704c1dd51e43e2bacca07c086d246eea804a7f44ba6d5a0f146f062"
    assert REQUEST.digest("m") == recorded  # by versions without forms
    with Loopback(lambda body: '{"action": "bid"}' if "response_format" in body else "I bid $1!") as server:
        model = CachedModel(ApiModel("m", server.url, timeout=5), tmp_path)
        first = [model.complete(asked, no_pause) for asked in (REQUEST, FORMED)]
        again = [model.complete(asked, no_pause) for asked in (REQUEST, FORMED)]
    assert [completion.text for completion in first] == ["I bid $1!", '{"action": "bid"}']
    assert [(c.text, c.structured) for c in again] == [(c.text, c.structured) for c in first]
    assert [completion.structured for completion in again] == [False, True]
    assert len(server.requests) == len(list(tmp_path.iterdir())) == 2


def test_the_journal_marks_structured_calls_and_reads_older_lines(tmp_path):
    file = tmp_path / "calls.jsonl"
    journal = CallJournal(file)

    class Model:
        name, endpoint = "m", "local"

        def complete(self, asked, pause):
            structured = asked.reply_form is not None
            return Completion("b" if structured else "a", "stop", 1, 1, structured=structured)

    seat = journal.at(0, "bidder_0")
    assert seat.ask(Model(), REQUEST, 0, 0).reply == "a"
    assert seat.ask(Model(), FORMED, 1, 0).reply == "b"
    journal.close()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["structured"] for line in lines] == [False, True]
    again = CallJournal(file)
    assert again.find((0, "bidder_0", 1, 0, "bid"), FORMED.digest("m")).reply == "b"
    assert again.find((0, "bidder_0", 1, 0, "bid"), REQUEST.digest("m")) is None
    older = [{name: value for name, value in line.items() if name != "structured"} for line in lines]
    file.write_text("".join(json.dumps(line) + "\n" for line in older))
    assert [call.structured for call in CallJournal(file).calls] == [False, False]


@pytest.mark.parametrize(("refused", "reply"), [(None, "json"), ("400", "json"), (None, "tools")])
def test_a_stopped_run_resumes_with_the_same_bytes(tmp_path, refused, reply):
    with Structured(refused) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        bidders = (bidder(server, "bdi", reply=reply), "rule", "value")
        settings = Settings(
            bidders=bidders,
            games=3,
            changes=(
                "num_items=2",
                "num_bidders=3",
            ),
        )
        for name in ("whole", "resumed"):
            run(settings, out=tmp_path / name)
        whole, resumed = tmp_path / "whole", tmp_path / "resumed"
        games = (resumed / "games.jsonl").read_text().splitlines(keepends=True)
        assert (whole / "games.jsonl").read_text() == "".join(games)
        (resumed / "games.jsonl").write_text(games[0])
        asked = len(server.requests)
        run(settings, out=resumed)
        assert len(server.requests) == asked  # all calls are in the journal
        assert (resumed / "games.jsonl").read_text() == (whole / "games.jsonl").read_text()
        words = dataclasses.replace(
            settings, bidders=(bidders[0].replace(f"reply={reply}", "reply=words"), *bidders[1:])
        )
        with pytest.raises(ValueError, match="bidders"):
            run(words, out=resumed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("reply=yaml", "reply: expected one of words, json(, tools)?, got 'yaml'"),
        ("reply=json,max_tokens=63", "max_tokens: expected at least 64 with reply=json, got 63"),
    ],
)
@pytest.mark.parametrize("model", ["llm:openai:m,base_url=http://h", "llm:local:smollm2"])
def test_invalid_options_are_named(options, message, model):
    with pytest.raises(ValueError, match=message):
        make_policy("english", f"{model},{options}")


def test_a_game_without_a_form_has_no_structured_replies(monkeypatch):
    monkeypatch.delattr("aucenv.envs.sealed_bid.words.reply_form")
    message = "reply: expected words, because sealed_bid has no form of structured replies"
    with pytest.raises(ValueError, match=message):
        make_policy("sealed_bid", "llm:openai:m,base_url=http://h,reply=json")


def test_commands_print_a_notice_in_one_line():
    code = (
        "import warnings; from aucenv.core.notices import Notice; from aucenv.commands.console.terminal import one_line_notices\n"
        "with one_line_notices(): warnings.warn('http://h: m \\x1b does not', Notice); warnings.warn('other')\n"
    )
    errors = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr.splitlines()
    assert errors[0] == "aucenv: http://h: m \\x1b does not"
    assert "UserWarning: other" in errors[1]
