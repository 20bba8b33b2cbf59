"""An endpoint that drops one prompt again and again is named, with the error and the time that is left."""

from __future__ import annotations

import re
import shlex

import pytest
from aucenv.baselines.llm.endpoints.attempts import Failures, Patience
from aucenv.baselines.llm.endpoints.client import ApiModel
from aucenv.baselines.llm.endpoints.errors import TransportFailure
from aucenv.baselines.llm.endpoints.litellm_model import LiteLLMModel
from failing_server import BODIES, DROPS, STATUSES, FailingServer
from run_command import command

from aucenv.core.notices import informed_by
from aucenv.core.policy import ModelFailure
from aucenv.runs.model_calls.calls import Request

REQUEST = Request(({"role": "user", "content": "Least bid: $4,000."},), 0.0, 50, 7)
OTHER = Request(({"role": "user", "content": "Least bid: $5,000."},), 0.0, 50, 7)
QUICK = [mode for mode in (*DROPS, *BODIES) if mode not in ("hang", "trickle", "trickled head", "error in 200")]
BUSY = ("408", "409", "429")
"""Statuses with which an endpoint asks for patience."""


def asked(model, request=REQUEST):
    """Call a model, and return what the user is informed of, and the reasons for the pauses."""
    lines, reasons = [], []
    with informed_by(lines.append):
        try:
            model.complete(request, lambda seconds, why="": reasons.append(why) if why else None)
        except ModelFailure as failure:
            lines.append(str(failure))
    return lines, reasons


def model_of(server, **changed):
    return ApiModel("m", server.url, **{"timeout": 5, "backoff": 1} | changed)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", QUICK)
def test_the_third_drop_of_a_prompt_names_the_endpoint(mode, stream):
    with FailingServer(*[mode] * 5) as server:
        lines, reasons = asked(model_of(server, stream=stream))
    (line,) = lines
    kind = re.match(rf"waiting for {re.escape(server.url)}: (.*), attempt 2 of 15$", reasons[0])[1]
    expected = (
        f"{server.url}: m has not answered the same prompt in 3 attempts; the last: {kind}; 12 more follow, for about"
    )
    assert re.fullmatch(rf"{re.escape(expected)} [0-9]+ min", line)
    times = [reason.partition(", about ")[2] for reason in reasons]
    assert times[:2] == ["", ""]
    assert all(re.fullmatch("[0-9]+ min left", left) for left in times[2:])
    assert all(reason.startswith(f"waiting for {server.url}: {kind}, attempt ") for reason in reasons)


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_is_named_unless_it_asks_for_patience(status):
    with FailingServer(*[status] * 4) as server:
        lines, reasons = asked(model_of(server))
    assert len(lines) == (0 if status in BUSY else 1)
    assert all(f"the last: {status}; 12 more follow" in line for line in lines)
    assert reasons[-1] == f"waiting for {server.url}: {status}, attempt 5 of 15"


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_each_api_says_why_a_connection_failed(api):
    with FailingServer(rate=1, modes=("reset",)) as server:
        lines, _ = asked(model_of(server, attempts=5, backoff=0.001, api=api))
    assert len(lines) == 2
    assert (
        "the last: connection (the endpoint closed it without a whole answer); 2 more follow, for about 1 s" in lines[0]
    )
    assert lines[1].endswith(
        "no answer to 5 attempts; the last: connection (the endpoint closed it without a whole answer)"
    )


def test_endpoints_of_providers_are_named():
    with FailingServer(rate=1, modes=("reset",)) as server:
        model = LiteLLMModel("anthropic/claude-sonnet-4-5", server.url, attempts=4, backoff=0.001)
        lines, reasons = asked(model)
    assert lines[0].startswith(
        f"{server.url}: anthropic/claude-sonnet-4-5 has not answered the same prompt in 3 attempts"
    )
    assert re.search("attempt 4 of 4, about [0-9]+ s left$", reasons[-1])


def test_an_endpoint_is_named_once_until_it_answers():
    with FailingServer(*["reset"] * 4) as server:
        silent = model_of(server, attempts=4, backoff=0.001)
        assert len(asked(silent)[0]) == 2
        assert len(asked(silent, OTHER)[0]) == 1  # only the error
        assert asked(silent)[0] == []  # it answers
        other = Request(({"role": "user", "content": "Least bid: $6,000."},), 0.0, 50, 7)
        assert len(asked(silent, other)[0]) == 2


def test_the_time_that_is_left_includes_that_of_attempts():
    failures = Failures("m", "http://h", Patience(attempts=15, backoff=1.0))
    lines = []
    with informed_by(lines.append):
        reasons = [failures.add(TransportFailure("timeout"), 180.0)[1] for _ in range(14)]
    assert lines[0].endswith("the last: timeout; 12 more follow, for about 43 min")
    assert reasons[2].endswith("timeout, attempt 4 of 15, about 43 min left")
    assert reasons[-1].endswith("timeout, attempt 15 of 15, about 4 min left")
    with pytest.raises(ModelFailure, match="no answer to 15 attempts; the last: timeout"):
        failures.add(TransportFailure("timeout"), 180.0)


COMMANDS = (
    "leaderboard --bidder BIDDER --bidder rule --bidder value --games 1 --set num_items=1",
    "watch --bidder BIDDER --bidder rule --bidder value --set num_items=1",
    "watch --game sealed_bid --bidder BIDDER --bidder truthful --bidder shade --set num_items=1",
    "study labs/winners-curse --bidder BIDDER --games 1 --yes",
)


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_print_who_drops_a_prompt(line, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = "I bid 1" if "study" in line else "I'm out!"
    with FailingServer(*["reset"] * 3, answer=lambda body: answer) as server:
        bidder = f"m=llm:openai:m,base_url={server.url},backoff=0.001"
        assert not command(*shlex.split(line.replace("BIDDER", bidder)))
    errors = capsys.readouterr().err
    assert f"aucenv: {server.url}: m has not answered the same prompt in 3 attempts; the last: connection (" in errors
    assert re.search(r"12 more follow, for about [0-9]+ s\n", errors)
