"""Parsing of responses, with unusual bodies that real endpoints send."""

from __future__ import annotations

import json

import pytest
from aucenv.baselines.llm.endpoints.attempts import cleaned
from aucenv.baselines.llm.endpoints.chat_api import parse
from aucenv.baselines.llm.endpoints.errors import ErrorInBody, TransportFailure, outcome_of, read_error

from aucenv.core.policy import ModelFailure
from aucenv.core.words.outside_text import Secrets


def parse_body(body):
    try:
        return cleaned(parse(body), Secrets([]))
    except ErrorInBody as failure:
        return outcome_of(failure.error, None, (), ())


def raise_for_status(status, error, after):
    return outcome_of(read_error(status, {"error": error}), after, (), ())


def body_of(content="I'm out!", finish="stop", **more):
    message = {"role": "assistant", "content": content, **more}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def delta(content, finish=None, index=0):
    return {"choices": [{"index": index, "delta": {"content": content}, "finish_reason": finish}]}


def stream(*chunks, done=True, begin="", line="\n"):
    lines = [f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk)}{line}{line}" for chunk in chunks]
    return (begin + "".join(lines) + (f"data: [DONE]{line}{line}" if done else "")).encode()


@pytest.mark.parametrize(
    ("body", "text", "finish"),
    [
        (json.dumps(body_of()), "I'm out!", "stop"),
        ("\ufeff" + json.dumps(body_of()), "I'm out!", "stop"),
        (json.dumps(body_of(finish=None)), "I'm out!", "stop"),
        (json.dumps(body_of(finish="eos")), "I'm out!", "stop"),
        (json.dumps(body_of(finish="max_tokens")), "I'm out!", "length"),
        (json.dumps(body_of(finish="SAFETY", content=None)), "", "content_filter"),
        (json.dumps(body_of(content=None, refusal="No.")), "No.", "refusal"),
        (json.dumps(body_of(content=None, tool_calls=[{}])), "", "stop"),
        (
            json.dumps(body_of(content=[{"type": "text", "text": "I'm "}, {"text": {"value": "out!"}}])),
            "I'm out!",
            "stop",
        ),
        (json.dumps(body_of(content="\ud83d\ude00")), "\U0001f600", "stop"),
        (r'{"choices": [{"message": {"content": "a\ud800b"}}]}', "a\ufffdb", "stop"),
        ('{"error": {"code": 400, "message": "maximum context length is 5"}}', "", "context"),
    ],
)
def test_bodies_that_are_not_streamed(body, text, finish):
    completion = parse_body(body.encode("utf-8", "surrogatepass"))
    assert (completion.text, completion.finish) == (text, finish)


@pytest.mark.parametrize(
    ("body", "text", "finish"),
    [
        (stream(delta("I'm "), delta("out!", "stop")), "I'm out!", "stop"),
        (stream(delta("I'm "), delta("out!"), delta(None, "length")), "I'm out!", "length"),
        (stream(delta("I'm "), delta("out!"), {"choices": [], "usage": {}}), "I'm out!", "stop"),
        (stream(delta("I'm out!"), {"choices": None, "usage": {}}, {"usage": {}}), "I'm out!", "stop"),
        (stream(delta("I'm out!"), {"choices": [{"delta": None, "finish_reason": "stop"}]}), "I'm out!", "stop"),
        (stream(delta("I'm out!"), delta("I bid $5!", index=1)), "I'm out!", "stop"),
        (stream(delta("I'm out!"), begin="\ufeff"), "I'm out!", "stop"),
        (stream(delta("I'm out!"), begin=": ping\n\nevent: message\n"), "I'm out!", "stop"),
        (stream(delta("I'm out!"), line="\r\n"), "I'm out!", "stop"),
        (stream(delta("I'm out!", "stop"), done=False), "I'm out!", "stop"),
        (stream(r'{"choices": [{"delta": {"content": "\ud83d"}}]}', r'{"choices": [{"delta": {"content": "\ude00"}}]}'), "\U0001f600", "stop"),
        (stream(delta("I bid"), {"error": {"code": 400, "message": "content_filter"}, "choices": []}), "", "content_filter"),
    ],
)  # fmt: skip
def test_streamed_bodies(body, text, finish):
    completion = parse_body(body)
    assert (completion.text, completion.finish) == (text, finish)


@pytest.mark.parametrize(
    "body",
    [
        stream(delta("I bid $5"), done=False),
        stream(delta("I bid $5"), '{"cho', done=False),
        stream(done=True),
        json.dumps(body_of(finish="error")).encode(),
        json.dumps(body_of(finish="insufficient_system_resource")).encode(),
        json.dumps(body_of(content=[{"text": 5}])).encode(),
        json.dumps(body_of(content={"a": 1})).encode(),
        b'{"choices": {}}',
        b'{"choices": [5]}',
        b'{"error": "overloaded"}',
        b'{"error": {"code": "server_busy"}}',
        b"[]",
        b"5",
    ],
)
def test_bodies_without_a_reply_are_transient_errors(body):
    with pytest.raises(TransportFailure):
        parse_body(body)


@pytest.mark.parametrize("count", [-1, 10**400, "5", None, True, 2.5])
def test_invalid_token_counts_are_unknown(count):
    completion = parse_body(
        json.dumps(body_of() | {"usage": {"prompt_tokens": count, "completion_tokens": 3}}).encode()
    )
    assert (completion.tokens_in, completion.tokens_out) == (None, 3)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "x"}),
        (400, {"type": "exceed_context_size_error", "message": "the request exceeds the available context size"}),
        (400, {"message": "prompt is too long: 9 tokens > 5 maximum"}),
        (400, {"message": "The input token count (9) exceeds the maximum number of tokens allowed (5)."}),
        (413, {"message": "maximum context length"}),
    ],
)
def test_a_conversation_that_is_too_long_is_a_completion(status, error):
    assert raise_for_status(status, error, None).finish == "context"


@pytest.mark.parametrize("error", [{"code": "insufficient_quota"}, {"code": 429, "type": "insufficient_quota"}])
def test_an_empty_account_is_a_permanent_error(error):
    with pytest.raises(ModelFailure, match="429"):
        raise_for_status(429, error, None)


def test_reasons_are_printed_without_control_characters():
    with pytest.raises(ModelFailure, match=r"^400: a\\x1b \\u202eb\\ud800 c$"):
        raise_for_status(400, {"message": "a\x1b\n\u202eb\ud800  c"}, None)
