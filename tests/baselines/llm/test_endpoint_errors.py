"""Every error of the table has the outcome that it must have."""

from __future__ import annotations

import dataclasses
import json
import warnings
from pathlib import Path

import pytest
from aucenv.benchmarks.timings.loopback import Loopback
from dialect_servers import OpenAIResponses, status_line
from pauses import no_pause

from aucenv.core.policy import ModelFailure
from aucenv.core.words.structured_reply import ReplyForm
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Request

ROWS = json.loads((Path(__file__).parents[2] / "data" / "endpoint_errors.json").read_text())
MESSAGES = ({"role": "system", "content": "You bid."}, {"role": "user", "content": "Least bid: $4,000."})
REQUEST = Request(MESSAGES, 0.0, 99, 7, ReplyForm((("bid", "number"), ("withdraw", "null"))), 0.9)


BY_TOOLS = ("tools", "tool_choice", "strict")


def named_in(body, parameter):
    if parameter == "strict":
        return '"strict": true' in json.dumps(body.get("tools", []))
    return parameter in body or (parameter == "response_format" and "format" in body.get("text", {}))


class Table(OpenAIResponses):
    """A server whose models answer with the error of the row that their name states, as long as it applies."""

    async def respond(self, body, writer):
        row = ROWS[int(body["model"].split("-")[1])]
        asked = sum(other["model"] == body["model"] for other in self.requests)
        outcome = row["outcome"]
        if outcome == "transient":
            applies = asked == 1
        elif isinstance(outcome, str):
            applies = True
        elif outcome["leave_out"] == "system":
            applies = any(message["role"] == "system" for message in body["messages"])
        else:
            applies = named_in(body, outcome["leave_out"])
        if applies:
            error = row["body"] if isinstance(row["body"], str) else json.dumps(row["body"])
            await self.write(writer, error.encode(), status_line(row["status"]))
        else:
            await self.answer_with(writer, 200, self.accepted(body))

    def accepted(self, body):
        return super().completion(body) if "input" in body else Loopback.completion(self, body)


@pytest.fixture(scope="module")
def table():
    with Table() as server:
        yield server


def left_out_for(row):
    return row["outcome"]["leave_out"] if isinstance(row["outcome"], dict) else ""


def asks_as_tool(number):
    """Return whether the request for a row offers a tool, in turn where the row fits both forms."""
    left_out = left_out_for(ROWS[number])
    return left_out in BY_TOOLS or (left_out not in ("response_format", "text") and number % 2 == 0)


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[f"{row['dialect']}-{n}" for n, row in enumerate(ROWS)])
def test_an_error_has_its_outcome(number, table):
    outcome, left_out, as_tool = ROWS[number]["outcome"], left_out_for(ROWS[number]), asks_as_tool(number)
    limit = left_out if "tokens" in left_out else "max_tokens"
    request = dataclasses.replace(REQUEST, as_tool=as_tool)
    name = f"llm:openai:row-{number},base_url={table.url},stream=true,backoff=0.001,attempts=3,timeout=9"
    api = "responses" if "text.format" in json.dumps(ROWS[number]["body"]) else "chat"
    options = f",api={api}" if api == "responses" else f",token_limit={limit}"
    model = make_policy("english", name + options).model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            completion = model.complete(request, no_pause)
        except ModelFailure as failure:
            completion = failure
    sent = [body for body in table.requests if body["model"] == model.name]
    if outcome == "permanent":
        assert isinstance(completion, ModelFailure), completion
        assert len(sent) <= 2  # an error that names no parameter of the request may concern the form of the reply
        return
    assert not isinstance(completion, ModelFailure), completion
    if isinstance(outcome, dict):
        assert completion.left_out == ("text" if api == "responses" else outcome["leave_out"],)
        assert len(sent) == 2
        without = {"tools", "tool_choice"} if left_out == "tools" else {left_out, "text"}
        assert {name for name in sent[0] if name not in sent[1]} <= without
        assert [named_in(body, left_out) for body in sent] == [True, False] or left_out not in BY_TOOLS
    elif outcome == "transient":
        assert len(completion.retries) == 1
        assert sent == [sent[0]] * 2
        assert completion.left_out == ()
    else:
        assert completion.finish == outcome
        assert len(sent) == 1
