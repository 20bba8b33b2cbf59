"""`aucenv models check`, against servers on the loopback interface that support different things."""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import sys

import pytest
from aucenv.baselines.llm import cost_estimate
from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.cost_estimate import estimates, measure, reported_prices
from aucenv.baselines.llm.dry_run import dry_run
from aucenv.baselines.llm.endpoints.check import check_endpoint, is_decision
from aucenv.baselines.llm.endpoints.probes import WORD
from aucenv.baselines.llm.options import agents_of
from aucenv.benchmarks.timings.loopback import Loopback, bid_or_leave
from run_command import command

from aucenv.core.play.bid_errors import count_bid_errors
from aucenv.registration import FAMILIES
from aucenv.runs.model_calls.calls import Completion
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import play

KEY = "sk-planted-7c1e2d9a"
DECISION = json.dumps({"reasoning": "It is cheap.", "action": "bid", "amount": 2})


class Endpoint(Loopback):
    """A server with the features that its arguments name.

    Args:
        refused: the parameters that it refuses, and "system" for the role.
        usage: whether it reports the use of tokens.
        thoughts: the number of tokens of its reasoning, for which `max_tokens` must have room.
        honours_json: whether it writes JSON objects of the requested form.
        calls: the arguments of its calls of tools; None: it calls none.
        words: its reply to requests for a decision in words; None: a readable one.
        price: the dollars per token of prompts and replies that its costs are based on; None: it reports no costs.
        status: the status of all its answers, if they are errors, with their message.
        breaks_streams: whether its streams end early.
    """

    def __init__(self, refused=(), usage=True, thoughts=0, honours_json=False, words=None, price=None, status=None,
                 breaks_streams=False, calls=None):  # fmt: skip
        super().__init__(self.words)
        self.refused = set(refused)
        self.usage = usage
        self.thoughts = thoughts
        self.honours_json = honours_json
        self.decision = words
        self.price = price
        self.status = status
        self.breaks_streams = breaks_streams
        self.calls = calls

    def words(self, body):
        last = body["messages"][-1]["content"]
        system = body["messages"][0]["content"] if body["messages"][0]["role"] == "system" else ""
        if WORD in system:
            return WORD
        if self.honours_json and "response_format" in body:
            return DECISION if "coffee" in last else DECISION.replace("2}", "100}")
        if "Least bid" in last:
            return self.decision or bid_or_leave(body)
        return f"A cat sleeps {body.get('seed', 'long')}."

    def completion(self, body, **changed):
        data = super().completion(body, **changed)
        limit = body.get("max_tokens") or body.get("max_completion_tokens") or 10**6
        spoken = data["usage"]["completion_tokens"]
        message = data["choices"][0]["message"]
        if self.calls and "tools" in body:
            function = {"name": body["tools"][0]["function"]["name"], "arguments": self.calls}
            message |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
        data["usage"]["completion_tokens"] = spoken + self.thoughts
        if self.thoughts:
            message["reasoning_content"] = "Hm. " * 10
            data["usage"]["completion_tokens_details"] = {"reasoning_tokens": min(limit, self.thoughts)}
        if self.thoughts + spoken > limit:
            message["content"], data["usage"]["completion_tokens"] = "", limit
            data["choices"][0]["finish_reason"] = "length"
        if self.price:
            per_prompt, per_reply = self.price
            usage = data["usage"]
            usage["cost"] = per_prompt * usage["prompt_tokens"] + per_reply * usage["completion_tokens"]
        if not self.usage:
            del data["usage"]
        return data

    async def respond(self, body, writer):
        roles = {message["role"] for message in body.get("messages", ())}
        named = next((name for name in sorted(self.refused) if name in body or name in roles), None)
        if self.status:
            await self.send(writer, {"error": {"message": self.status[1]}}, False, self.status[0])
        elif named == "system":
            await self.refuse(writer, "Unsupported value: the system role is not supported", "messages")
        elif named:
            await self.refuse(writer, f"Unsupported parameter: '{named}' is not supported with this model.", named)
        elif body.get("stream") and self.breaks_streams:
            await self.write(writer, b'data: {"choices": [{"delta": {"content": "A c', kind="text/event-stream")
        elif body.get("stream") and not self.usage:
            data = self.completion(body)
            await self.send(writer, {**data, "usage": None}, True)
        else:
            await super().respond(body, writer)

    async def refuse(self, writer, message, parameter):
        error = {
            "message": message,
            "type": "invalid_request_error",
            "param": parameter,
            "code": "unsupported_parameter",
        }
        await self.send(writer, {"error": error}, False, "400 Bad Request")


class ResponsesOnly(Endpoint):
    """A server that has only the Responses API."""

    async def respond(self, body, writer):
        if "messages" in body:
            error = {"message": "This model is only supported in v1/responses"}
            await self.send(writer, {"error": error}, False, "404 Not Found")
            return
        text = self.words({**body, "messages": body["input"]})
        usage = {"input_tokens": 100, "output_tokens": 5}
        content = [{"type": "output_text", "text": text}]
        output = [{"type": "message", "role": "assistant", "content": content}]
        response = {"id": "r1", "status": "completed", "model": "m", "output": output, "usage": usage}
        if body.get("stream"):
            event = {"type": "response.completed", "response": response}
            await self.write(writer, f"data: {json.dumps(event)}\n\n".encode(), kind="text/event-stream")
        else:
            await self.send(writer, response, False)


def name_of(server, more="", label=""):
    return f"{label}llm:openai:m,base_url={server.url},backoff=0.001{more}"


def features_of(report):
    return {feature.name: feature for feature in report.features}


@pytest.fixture
def english_alone(monkeypatch):
    """Let estimates be those of one game."""
    monkeypatch.setattr(cost_estimate, "FAMILIES", ("english",))


def plays(bidder):
    """Play two rounds with a bidder, and return whether all replies of its model were read."""
    record = play("english", "standard-20k-random", [bidder, "rule", "value"], max_rounds=2)
    unreadable, replies = count_bid_errors(record)["bidder_0"].unreadable_rate
    return replies > 0 and not unreadable


def test_an_endpoint_with_every_feature():
    with Endpoint(honours_json=True) as server:
        report = check_endpoint(name_of(server, label="gpt="))
        assert report.bidder == name_of(server, label="gpt=")
        assert plays(report.bidder)
    features = features_of(report)
    supported = ("system role", "temperature", "top_p", "seed", "json_schema", "streaming", "usage", "a bid")
    assert {name: features[name].supported for name in supported} == dict.fromkeys(supported, "yes")
    assert features["reasoning"].supported == "no"
    assert features["token limit"].note == "max_tokens"
    assert features["streaming"].note.endswith("with usage")
    assert len(server.requests) >= 10
    assert all(request["max_tokens"] <= 1024 for request in server.requests)


@pytest.mark.parametrize(
    ("refused", "feature", "option"),
    [
        ("temperature", "temperature", ",temperature=none"),
        ("seed", "seed", ",seed=none"),
        ("top_p", "top_p", ""),
        ("system", "system role", ""),
        ("response_format", "json_schema", ""),
        ("stream", "streaming", ""),
        ("max_tokens", None, ",token_limit=max_completion_tokens"),
    ],
)
def test_a_refused_parameter_is_named_with_the_reason_and_left_out_of_the_bidder(refused, feature, option):
    with Endpoint(refused=[refused], honours_json=True) as server:
        report = check_endpoint(name_of(server))
        assert report.bidder == name_of(server, option)
        before = len(server.requests)
        assert plays(report.bidder)
        if option:
            assert not any(refused in request for request in server.requests[before:])
    features = features_of(report)
    assert {name for name in features if features[name].supported == "no"} == {"reasoning"} | ({feature} - {None})
    assert f"{'role' if refused == 'system' else refused}" in features[feature or "token limit"].note
    assert "not supported" in features[feature or "token limit"].note


def test_options_that_are_refused_are_removed_from_the_bidder():
    with Endpoint(refused=["top_p", "stream", "temperature"]) as server:
        report = check_endpoint(name_of(server, ",top_p=0.9,stream=true,temperature=0.3"))
        assert report.bidder == name_of(server, ",temperature=none")


def test_json_that_is_accepted_but_not_written_is_reported_as_ignored():
    with Endpoint() as server:
        feature = features_of(check_endpoint(name_of(server)))["json_schema"]
    assert (feature.supported, feature.note) == ("ignored", "accepted, but the reply is no JSON object of the form")


@pytest.mark.parametrize(
    ("options", "supported", "note"),
    [
        ({"calls": DECISION}, "yes", "the reply is the call of a tool, with arguments of the form"),
        ({"calls": DECISION, "refused": ["tool_choice"]}, "yes", "none can be forced, because tool_choice is refused"),
        (
            {"calls": DECISION, "refused": ["tools"]},
            "no",
            "left out, because it is refused: 400: Unsupported parameter",
        ),
        ({"calls": '{"bid": 2}'}, "ignored", "accepted, but the arguments are not of the form"),
        ({}, "ignored", "accepted, but the arguments of the tool are missing"),
    ],
)
def test_whether_an_endpoint_takes_tools_is_reported(options, supported, note):
    with Endpoint(**options) as server:
        feature = features_of(check_endpoint(name_of(server)))["tools"]
    assert feature.supported == supported
    assert note in feature.note


def test_a_model_that_writes_nothing_readable_gets_a_tool_if_it_calls_it():
    with Endpoint(calls=DECISION.replace("2}", "1500}"), words="Well, who knows?") as server:
        report = check_endpoint(name_of(server))
        assert report.bidder == name_of(server, ",reply=tools")
        assert features_of(check_endpoint(report.bidder))["a bid"].supported == "yes"
        assert plays(report.bidder)


def test_a_model_without_readable_words_gets_structured_replies_if_the_endpoint_honours_them():
    with Endpoint(honours_json=True, words="Well, who knows?") as server:
        report = check_endpoint(name_of(server))
        assert report.bidder == name_of(server, ",reply=json")
        assert features_of(report)["a bid"].supported == "no"
        assert features_of(check_endpoint(report.bidder))["a bid"].supported == "yes"


def test_reasoning_that_cuts_replies_off_raises_max_tokens():
    with Endpoint(thoughts=900) as server:
        report = check_endpoint(name_of(server))
        assert report.bidder == name_of(server, ",max_tokens=4096")
        measured = measure(report)
        assert plays(report.bidder)
    features = features_of(report)
    assert features["a bid"].supported == "yes"
    assert features["reasoning"].note == "900 tokens for a bid; its text is in a field of its own"
    assert round(measured.reasoning) == 900
    assert server.requests[0]["max_tokens"] < 900 < server.requests[1]["max_tokens"]


def test_reasoning_without_an_end_is_said_to_cut_the_reply_off():
    with Endpoint(thoughts=10**6) as server:
        report = check_endpoint(name_of(server))
    assert "reasoning left too few tokens" in features_of(report)["a bid"].note
    assert "max_tokens=65536" in report.bidder


def test_an_endpoint_without_usage_is_priced_by_characters():
    with Endpoint(usage=False) as server:
        report = check_endpoint(name_of(server))
    features = features_of(report)
    assert features["usage"].supported == "no"
    assert features["streaming"].note.endswith("without usage")
    assert measure(report).is_assumed


def test_a_broken_stream_is_no_reason_not_to_play():
    with Endpoint(breaks_streams=True) as server:
        report = check_endpoint(name_of(server))
    assert features_of(report)["streaming"].supported == "unknown"
    assert "malformed" in features_of(report)["streaming"].note
    assert report.bidder == name_of(server)


def test_a_model_that_has_only_the_responses_api_is_called_there():
    with ResponsesOnly() as server:
        report = check_endpoint(name_of(server))
        assert report.bidder == name_of(server, ",api=responses")
        assert plays(report.bidder)
    assert features_of(report)["seed"].note == "requests of this API do not have it"
    assert features_of(report)["streaming"].supported == "yes"


def test_costs_that_an_endpoint_reports_give_its_prices(english_alone):
    with Endpoint(price=(2e-6, 8e-6)) as server:
        report = check_endpoint(name_of(server))
        costs = list(estimates(report, measure(report), TokenPrices({"m": {"input": 1, "output": 1}})))
    prices = reported_prices(report.replies.completions)
    assert prices == pytest.approx((2e-6, 8e-6))
    assert costs[0].cost == pytest.approx(2e-6 * costs[0].tokens_in + 8e-6 * costs[0].tokens_out)
    rows = [Completion("", "stop", 10 * k, 5, reported_cost=cost) for k, cost in enumerate((9.0, 0.0, 5.0, 0.1))]
    assert reported_prices(rows) is None


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (("401 Unauthorized", f"Incorrect key {KEY}"), r": 401: Incorrect key \*\*\* \(does PLANTED_KEY hold a key"),
        (("404 Not Found", "The model `m` does not exist"), r": 404: The model `m` .*name right\?"),
        (("400 Bad Request", "Invalid value for 'user'"), r": 400: Invalid value for 'user'$"),
        (("429 Too Many Requests", "later"), r": no answer to 3 attempts; the last: 429"),
    ],
)
def test_an_endpoint_that_cannot_play_gives_one_line_and_status_1(status, message, monkeypatch, capsys):
    monkeypatch.setenv("PLANTED_KEY", KEY)
    with Endpoint(status=status) as server:
        assert command("models", "check", name_of(server, ",key_env=PLANTED_KEY")) == 1
    out, err = capsys.readouterr()
    assert not out
    assert re.search(message, err.splitlines()[-1])
    assert KEY not in err
    assert len(server.requests) <= 3


def test_an_unreachable_endpoint_gives_the_reason(capsys):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    assert command("models", "check", f"llm:openai:m,base_url=http://127.0.0.1:{port}/v1,backoff=0.001") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "nothing accepts connections there" in line


@pytest.mark.parametrize("bidder", ["rule", "llm:openai", "llm:openai:m,agent=x", "llm:openai:m,base_url=ftp://x"])
def test_names_of_other_bidders_are_refused(bidder, capsys):
    assert command("models", "check", bidder) == 2
    assert "expected" in capsys.readouterr().err


def test_the_command_prints_tables_and_a_command_that_runs(tmp_path, capsys, english_alone):
    prices = tmp_path / "prices.json"
    prices.write_text('{"m": {"input": 1.0, "output": 4.0}}')
    with Endpoint() as server:
        name = name_of(server, f",agent=bdi,header.X-Key={KEY}", label="gpt=")
        assert command("models", "check", name, "--prices", str(prices)) == 0
        out = capsys.readouterr().out
        line = next(line for line in out.splitlines() if line.startswith("aucenv leaderboard"))
        assert shlex.split(line)[3] == name.replace(KEY, "***")
        words = [word.replace("***", KEY) for word in shlex.split(line)[1:]]
        assert command(*words, "--games", "1", "--set", "num_items=1") == 0
    assert KEY not in out
    assert "unknown" not in out
    assert re.search(r"english +│ bdi +│ +\d+ │ \$0\.\d{4}", out)


def test_the_command_writes_json_and_says_how_to_set_prices(capsys):
    with Endpoint() as server:
        assert command("models", "check", name_of(server), "--json", "-") == 0
    out, err = capsys.readouterr()
    (report,) = json.loads(out)
    assert report["features"]["seed"]["supported"] == "yes"
    assert {(row["game"], row["agent"]) for row in report["games"]} == {
        (game, agent) for game in FAMILIES for agent in agents_of(game)
    }
    assert all(row["cost"] is None for row in report["games"])
    assert "The price of m is unknown: --prices FILE sets it" in err


def test_text_of_an_endpoint_is_escaped(capsys, english_alone):
    with Endpoint(words="\x1b[2Jhello\u202e") as server:
        assert command("models", "check", name_of(server)) == 0
    out = capsys.readouterr().out
    assert not {"\x1b", "\u202e"} & set(out)


def test_dry_runs_have_competent_agents_whose_replies_are_all_read():
    sampling = SamplingOptions(0.0, 1024, None)
    runs = {(game, agent): dry_run(game, agent, {}, sampling, 300) for game in FAMILIES for agent in agents_of(game)}
    assert all(min(run.replies) >= 300 for run in runs.values())
    assert len(runs["english", "bdi"].prompts) > len(runs["english", "plain"].prompts)
    longer = dry_run("english", "plain", {}, sampling, 600)
    assert len(longer.prompts) == len(runs["english", "plain"].prompts)
    assert sum(longer.prompts) > sum(runs["english", "plain"].prompts)


def test_options_of_the_agent_count_in_its_estimate():
    plans, no_plans = (
        dry_run("english", "bdi", {"plan": plan}, SamplingOptions(0.0, 1024, None)) for plan in ("adaptive", "none")
    )
    assert len(plans.prompts) > len(no_plans.prompts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DECISION, True),
        (f"```json\n{DECISION}\n```", False),
        ('{"action": "bid", "amount": 2}', False),
        (DECISION.replace("bid", "fly"), False),
        (DECISION.replace("2", '"2"'), False),
        ("[" * 10**5, False),
        ("2", False),
    ],
)
def test_only_objects_of_the_form_are_decisions(text, expected):
    assert is_decision(text) is expected


def test_the_command_line_does_not_import_what_checks_need():
    code = "import aucenv.cli, sys; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split()
    assert not {"numba", "aucenv.baselines.llm.endpoints.check", "httpx2"} & set(modules)
