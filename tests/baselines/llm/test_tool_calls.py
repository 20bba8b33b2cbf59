"""Calls of tools are decisions, in every mode of replies and in all APIs, and calls that cannot be read are refused."""

from __future__ import annotations

import dataclasses
import json
import warnings

import pytest
from agent_games import SHORT
from aucenv.baselines.llm.bidder import CachedModel
from aucenv.baselines.llm.endpoints import chat_api, responses_api
from aucenv.baselines.llm.endpoints.attempts import cleaned
from aucenv.baselines.llm.endpoints.client import ApiModel
from aucenv.baselines.llm.endpoints.errors import TransportFailure
from aucenv.baselines.llm.endpoints.tool_calls import NAME
from aucenv.benchmarks.timings.loopback import Loopback
from pauses import no_pause
from provider_servers import REPLY, Anthropic, Gemini

from aucenv.core.notices import Notice
from aucenv.core.reader.speech import MAX_READ
from aucenv.core.words import reply
from aucenv.core.words.outside_text import Secrets
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Request
from aucenv.runs.model_calls.cost_limit import request_bound
from aucenv.runs.model_calls.journal import CallJournal, read_calls
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import play
from aucenv.runs.records import replay

REQUEST = Request(({"role": "user", "content": "Least bid: $4,000."},), 0.0, 64, 7, BID_OR_WITHDRAW, as_tool=True)
REFUSED = "refused"


def decided(action, amount, reasoning="It is cheap."):
    return json.dumps({"reasoning": reasoning, "action": action, "amount": amount})


def called(*calls):
    """Return a message of the Chat Completions API with calls, each a name and its arguments."""
    functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {
        "content": None,
        "tool_calls": [
            {"id": f"c{n}", "type": "function", "function": function} for n, function in enumerate(functions)
        ],
    }


def whole(message):
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def as_stream(message):
    """Return the message in the events of a stream, the arguments of each call in two pieces."""
    deltas = [{"role": "assistant", "content": message.get("content")}]
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        if not isinstance(function["arguments"], str):
            deltas.append({"tool_calls": [{**call, "index": index}]})
            continue
        first, last = function["arguments"][:5], function["arguments"][5:]
        deltas.append({"tool_calls": [{**call, "index": index, "function": {**function, "arguments": first}}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": last}}]})
    if message.get("function_call"):
        deltas += [{"function_call": message["function_call"]}]
    events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def as_items(message):
    """Return the message as the output of the Responses API."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    calls += [message["function_call"]] if message.get("function_call") else []
    items = [{"type": "function_call", "call_id": f"c{n}", **call} for n, call in enumerate(calls)]
    words = [{"type": "message", "content": message["content"]}] if message.get("content") else []
    return {"status": "completed", "output": [*words, *items]}


FORMS = {
    "whole": lambda message: (chat_api, json.dumps(whole(message))),
    "streamed": lambda message: (chat_api, as_stream(message)),
    "responses": lambda message: (responses_api, json.dumps(as_items(message))),
}


def completion_of(message, form):
    api, body = FORMS[form](message)
    return cleaned(api.parse(body.encode()), Secrets([]))


def reading(text):
    try:
        return reply.read(text)
    except reply.Unreadable:
        return REFUSED


BID, OUT = decided("bid", 4000), decided("withdraw", None)
READ = {
    "a bid": (called((NAME, BID)), 400_000),
    "a withdrawal": (called((NAME, OUT)), -1),
    "arguments that are an object": (called((NAME, json.loads(BID))), 400_000),
    "a namespace": (called((f"functions.{NAME}", BID)), 400_000),
    "a bid beside words": ({**called((NAME, BID)), "content": "The lamp is cheap."}, 400_000),
    "thinking that is not closed": ({**called((NAME, BID)), "content": "<think>The lamp is cheap."}, 400_000),
    "words without calls": ({"content": "I bid $4,000!", "tool_calls": []}, 400_000),
    "no calls": ({"content": "I bid $4,000!", "tool_calls": None, "function_call": None}, 400_000),
    "the old form": ({"content": None, "function_call": {"name": NAME, "arguments": BID}}, 400_000),
    "another tool": (called(("place_bid", '{"amount": 4000}')), 400_000),
    "another tool in the old form": (
        {"content": "", "function_call": {"name": "bid", "arguments": '{"amount": 4000}'}},
        400_000,
    ),
    "a tool without parameters": (called(("withdraw", "{}")), -1),
    "a tool without arguments": (called(("withdraw", "")), -1),
    "equal calls": (called((NAME, BID), (NAME, BID)), 400_000),
    "a call that decides nothing": (called(("think", '{"thought": "Cheap."}'), ("bid", '{"amount": 4000}')), 400_000),
    "two bids": (called((NAME, BID), (NAME, decided("bid", 5000))), REFUSED),
    "a bid and a withdrawal": (called((NAME, BID), (NAME, OUT)), REFUSED),
    "a withdrawal and a bid": (called(("withdraw", "{}"), ("bid", '{"amount": 4000}')), REFUSED),
    "a bid and a broken call": (called((NAME, BID), (NAME, BID[:-9])), REFUSED),
    "a broken call and a bid": (called((NAME, OUT[:-9]), (NAME, BID)), REFUSED),
    "many calls": (called(*[(NAME, BID)] * 300, (NAME, OUT)), REFUSED),
    "a tool whose name contradicts its arguments": (called(("withdraw", BID)), REFUSED),
    "no JSON": (called((NAME, "I bid $4,000!")), REFUSED),
    "a name with arguments that are no JSON": (called(("withdraw", "as it is too dear")), REFUSED),
    "cut off": (called((NAME, BID[:-9])), REFUSED),
    "two objects": (called((NAME, BID + BID)), REFUSED),
    "Python": (called((NAME, str(json.loads(BID)))), REFUSED),
    "a number": (called((NAME, "4000")), REFUSED),
    "a text": (called((NAME, '"I bid $4,000!"')), REFUSED),
    "a list": (called((NAME, f"[{BID}]")), REFUSED),
    "null": (called((NAME, "null")), REFUSED),
    "true": (called((NAME, True)), REFUSED),
    "empty": (called((NAME, "")), REFUSED),
    "blank": (called((NAME, " \n")), REFUSED),
    "without fields": (called((NAME, "{}")), REFUSED),
    "a field without a name": (called((NAME, '{"": "I bid $4,000!"}')), REFUSED),
    "another field": (called((NAME, '{"note": "I bid $4,000!"}')), REFUSED),
    "a field twice": (called((NAME, '{"action": "bid", "amount": 5, "amount": 4000}')), REFUSED),
    "no amount": (called((NAME, decided("bid", None))), REFUSED),
    "a negative amount": (called((NAME, decided("bid", -5))), REFUSED),
    "an infinite amount": (called((NAME, '{"action": "bid", "amount": 1e999}')), REFUSED),
    "a long number": (called((NAME, '{"action": "bid", "amount": ' + "9" * 5000 + "}")), REFUSED),
    "NaN": (called((NAME, '{"action": "bid", "amount": NaN}')), REFUSED),
    "deep": (called((NAME, '{"a":' * 9000 + "1" + "}" * 9000)), REFUSED),
    "huge": (called((NAME, decided("bid", 4000, "I bid $9,000! " * 99_000))), REFUSED),
    "huge and no JSON": (called((NAME, "I bid $9,000! " * 99_000)), REFUSED),
    "huge together": (called(*[(NAME, decided("bid", 4000, "x" * 8_000))] * 3), REFUSED),
    "surrogates": (called((NAME, decided("bid", 4000, "\ud83d"))), 400_000),
    "no name": ({"content": None, "tool_calls": [{"function": {"arguments": "I bid $4,000!"}}]}, REFUSED),
}


@pytest.mark.parametrize("case", READ)
def test_calls_are_read_or_refused(case):
    message, expected = READ[case]
    for form in FORMS:
        completion = completion_of(message, form)
        assert reading(completion.text) == expected, form
        assert len(completion.text) <= MAX_READ


@pytest.mark.parametrize("form", FORMS)
def test_the_text_of_a_reply_holds_what_was_called(form):
    one = completion_of(called((NAME, BID)), form)
    assert (one.text, one.finish, one.tool_calls) == (BID, "stop", 1)
    other = completion_of(called(("place_bid", '{"amount": 4000}'), (NAME, OUT)), form)
    assert other.text == f'{{"name": "place_bid", "arguments": {{"amount": 4000}}}}\n{OUT}'
    assert other.tool_calls == 2
    broken = completion_of(called((NAME, BID), (NAME, "I bid $5!")), form)
    calls = [{"name": NAME, "arguments": BID}, {"name": NAME, "arguments": "I bid $5!"}]
    assert json.loads(broken.text) == {"unreadable_tool_calls": calls}
    assert completion_of({"content": "I'm out!"}, form).tool_calls == 0


HOSTILE = [
    {"tool_calls": "I bid $4,000!"},
    {"tool_calls": {"0": {"function": {"name": NAME, "arguments": BID}}}},
    {"tool_calls": [None, 5, "x", [], {"function": None}, {"function": []}, {"function": {"name": None}}]},
    {"function_call": "auto"},
    {"function_call": []},
    {"function_call": {}},
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("message", HOSTILE)
def test_what_is_no_call_is_no_reply(message, stream):
    message = {"content": None, "role": "assistant", **message}
    event = {"choices": [{"delta": message, "finish_reason": "stop"}]}
    body = f"data: {json.dumps(event)}\n\n" if stream else json.dumps(whole(message))
    completion = chat_api.parse(body.encode())
    assert (completion.text, completion.tool_calls) == ("", 0)


def test_nested_arguments_are_refused_and_a_response_that_is_too_deep_is_malformed():
    def body(depth):
        arguments = '{"a":' * depth + "1" + "}" * depth
        call = f'{{"function": {{"name": "bid", "arguments": {arguments}}}}}'
        return f'{{"choices": [{{"message": {{"tool_calls": [{call}]}}}}]}}'.encode()

    assert reading(chat_api.parse(body(300)).text) == REFUSED
    with pytest.raises(TransportFailure, match="malformed"):
        chat_api.parse(body(50_000))


PIECES = [
    ([{"index": 0, "id": "a", "function": {"name": "bid"}}, {"index": 0, "function": {"arguments": '{"amount": 4000}'}}], 1),
    ([{"id": "a", "function": {"name": "bid", "arguments": '{"amount"'}}, {"function": {"arguments": ": 4000}"}}], 1),
    ([{"index": 0, "function": {"name": "bid", "arguments": '{"amount"'}}, {"index": 0, "function": {"name": "bid", "arguments": ": 4000}"}}], 1),
    ([{"index": 0, "id": "a", "function": {"name": "bid", "arguments": '{"amount": 4000}'}}, {"index": 0, "id": "b", "function": {"name": "bid", "arguments": '{"amount": 4000}'}}], 2),
    ([{"index": 1, "function": {"name": "bid", "arguments": '{"amount": 4000}'}}, {"index": 0, "function": {"name": "bid", "arguments": '{"amount": 4000.00}'}}], 2),
]  # fmt: skip


@pytest.mark.parametrize(("pieces", "calls"), PIECES)
def test_the_pieces_of_a_stream_are_put_together(pieces, calls):
    events = [{"choices": [{"delta": {"tool_calls": [piece]}}]} for piece in pieces]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    completion = chat_api.parse(body.encode())
    assert completion.tool_calls == calls
    assert reading(completion.text) == 400_000


def test_a_key_in_arguments_is_masked():
    body = json.dumps(whole(called((NAME, decided("bid", 4000, "sk-planted-1")))))
    assert "sk-planted" not in cleaned(chat_api.parse(body.encode()), Secrets(["sk-planted-1"])).text


class Calling(Loopback):
    """A server whose first replies call a tool with these arguments, and all others withdraw.

    Args:
        arguments: the arguments of the first calls.
        name: the name of the tool; None: that of the tool of the request.
        refused: an error, with its status, for all requests that offer tools.
    """

    def __init__(self, *arguments, name=None, refused=None):
        super().__init__(lambda body: "I'm out!")
        self.arguments = list(arguments)
        self.name = name
        self.refused = refused

    def completion(self, body, **changed):
        if not self.arguments and "tools" not in body:
            return super().completion(body, **changed)
        name = self.name or body["tools"][0]["function"]["name"]
        action = (
            None if self.arguments else body["tools"][0]["function"]["parameters"]["properties"]["action"]["enum"][-1]
        )
        arguments = self.arguments.pop(0) if self.arguments else decided(action, None)
        function = {"name": name, "arguments": arguments}
        calls = [{"id": "c1", "type": "function", "function": function}]
        return super().completion(body, content=None, tool_calls=calls, **changed)

    async def respond(self, body, writer):
        if self.refused and "tools" in body:
            status, error = self.refused
            await self.send(writer, {"error": error}, False, status)
        else:
            await super().respond(body, writer)


def names_of(server, count, options):
    return [f"llm:openai:m,base_url={server.url},backoff=0.001{options}", *["random"] * (count - 1)]


ALL_GAMES = pytest.mark.parametrize("game", SHORT)


@ALL_GAMES
@pytest.mark.parametrize("case", ["no JSON", "empty", "huge", "deep", "a bid and a broken call", "cut off"])
def test_calls_that_cannot_be_read_are_recorded_and_asked_again(game, case):
    arguments = [call["function"]["arguments"] for call in READ[case][0]["tool_calls"]]
    with Calling(arguments[-1]) as server:
        journal = CallJournal()
        names = names_of(server, len(SHORT[game].bidders), ",reply=tools")
        record = play(game, SHORT[game], names, 3, journal=journal)
    first = next(decision for decision in record.decisions if decision["seat"] == "bidder_0")
    assert len(first["attempts"]) == 1
    assert first["attempts"][0]["action"] == journal.calls[0].reply
    assert journal.calls[0].tool_calls == 1
    refusal = server.requests[1]["messages"][-1]["content"]
    assert first["attempts"][0]["refused"] in refusal
    replay(record)


@ALL_GAMES
def test_the_tool_has_the_form_of_structured_replies(game):
    with Calling() as server, Loopback(lambda body: "I'm out!") as structured:
        for at, reply_form in ((server, "tools"), (structured, "json")):
            names = names_of(at, len(SHORT[game].bidders), f",reply={reply_form}")
            play(game, SHORT[game], names, 3, max_rounds=1)
    by_tool, by_format = server.requests[0], structured.requests[0]
    ((tool,), schema) = by_tool["tools"], by_format["response_format"]["json_schema"]["schema"]
    assert tool["function"]["parameters"] == schema
    assert tool["function"]["strict"] is True
    assert by_tool["tool_choice"] == "required"
    assert by_tool["messages"] == by_format["messages"]
    assert "response_format" not in by_tool


def test_calls_decide_in_text_modes(tmp_path):
    with Calling('{"amount": 2000}', '{"amount": 1}', name="bid") as server:
        names = [f"m=llm:openai:m,base_url={server.url}", "random", "random"]
        journal = CallJournal(tmp_path / "calls.jsonl")
        record = play("english", SHORT["english"], names, 3, max_rounds=2, journal=journal)
        journal.close()
    assert "tools" not in server.requests[0]
    mine = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert mine[0]["amount"] == 2000
    assert [call.tool_calls for call in read_calls(tmp_path)[:1]] == [1]
    assert json.loads(mine[0]["action"]) == {"name": "bid", "arguments": {"amount": 2000}}


ERRORS = [
    ("400 Bad Request", {"message": "Unsupported parameter: 'tools' is not supported with this model."}),
    ("400 Bad Request", {"message": "m does not support tools"}),
    ("404 Not Found", {"message": "No endpoints found that can handle the requested parameters."}),
    ("422 Unprocessable Entity", {"message": "Unexpected fields in the request: {'tools'}"}),
    ("500 Internal Server Error", {"message": "tools param requires --jinja flag"}),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("error", ERRORS)
def test_refused_tools_are_left_out_with_one_notice(error, stream):
    with Calling(refused=error) as server:
        journal = CallJournal()
        names = names_of(server, 3, f",reply=tools,stream={str(stream).lower()}")
        with pytest.warns(Notice, match="m does not support tools") as notices:
            record = play("english", SHORT["english"], names, 3, journal=journal)
    assert len(notices) == 1
    assert "only its prompts ask for JSON" in str(notices[0].message)
    assert sum("tools" in body for body in server.requests) == 1
    assert sum("tool_choice" in body for body in server.requests) == 1
    assert [call.retries for call in journal.calls if call.retries] == [["tools"]]
    assert not any(call.structured for call in journal.calls)
    assert not any(decision["attempts"] for decision in record.decisions)  # the words are read


def test_a_reply_that_was_cut_off_is_no_decision():
    class Cut(Calling):
        def completion(self, body, **changed):
            return super().completion(body, finish_reason="length")

    with Cut() as server:
        completion = ApiModel("m", server.url, timeout=5).complete(REQUEST, no_pause)
    assert completion.finish == "length"


def test_requests_for_calls_are_distinct_and_cached(tmp_path):
    by_format = dataclasses.replace(REQUEST, as_tool=False)
    assert REQUEST.digest("m") != by_format.digest("m")
    assert REQUEST.sampling != by_format.sampling
    with Calling() as server:
        model = CachedModel(ApiModel("m", server.url, timeout=5), tmp_path)
        first, again = (model.complete(REQUEST, no_pause) for _ in range(2))
    assert len(server.requests) == 1
    assert (again.text, again.tool_calls, again.structured) == (first.text, 1, True)


def test_the_bound_of_a_cost_has_room_for_the_tool():
    class Model:
        name, endpoint = "m", "http://h"

    prices = TokenPrices({"m": {"input": 1, "output": 1}})
    bounds = [request_bound(Model(), dataclasses.replace(REQUEST, as_tool=tool), prices) for tool in (False, True)]
    assert bounds[0] < bounds[1]


@pytest.mark.parametrize("kind", [Anthropic, Gemini])
@pytest.mark.parametrize(("refuses", "options"), [(None, ""), ("tools", ""), (None, ",reasoning_effort=low")])
def test_litellm_offers_the_tool(kind, refuses, options):
    request = dataclasses.replace(REQUEST, seed=None, max_tokens=3000, temperature=None)
    with kind(refuses) as server, warnings.catch_warnings(record=True) as notices:
        warnings.simplefilter("always", Notice)
        name = f"llm:litellm:{kind.name},base_url={server.url},backoff=0,reply=tools{options}"
        completion = make_policy("english", name).model.complete(request, no_pause)
    assert reading(completion.text) == 400_000
    left_out = {Anthropic: ("tool_choice",), Gemini: ()}[kind] if options else ("tools",) if refuses else ()
    assert completion.left_out == left_out
    assert len([notice for notice in notices if "does not support" in str(notice.message)]) == len(left_out)
    assert completion.tool_calls == (0 if refuses else 1)
    assert completion.structured == (not left_out)
    assert refuses is None or completion.text == REPLY


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("llm:local:smollm2,reply=tools", "reply: expected one of words, json, got 'tools'"),
        ("llm:scripted,reply=tools", "reply: expected one of words, json, got 'tools'"),
        ("llm:openai:m,base_url=http://h,reply=tools,max_tokens=63", "at least 64 with reply=tools, got 63"),
        ("llm:openai:m,base_url=http://h,reply=tools,body.tools=[]", "body.tools: .* because reply=tools sets it"),
        ("llm:openai:m,base_url=http://h,reply=tools,body.tool_choice=auto", "body.tool_choice: .* reply=tools sets"),
    ],
)
def test_options_that_do_not_fit_are_named(name, message):
    with pytest.raises(ValueError, match=message):
        make_policy("english", name)
