"""OpenAI's Chat Completions API, as many endpoints speak it: the body of a request, and the parsing of its response."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from aucenv.baselines.llm.endpoints.errors import ErrorInBody, TransportFailure, error_fields
from aucenv.baselines.llm.endpoints.response_parts import Reply, check_size, parse_json, text_of, text_parts
from aucenv.baselines.llm.endpoints.tool_calls import NAME, forced, function
from aucenv.baselines.llm.endpoints.usage import CHAT

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.words.structured_reply import ReplyForm
from aucenv.runs.model_calls.calls import Completion, Request

PATH = "/chat/completions"
LIMITS = ("max_tokens", "max_completion_tokens")
"""The names of the maximum number of tokens of a reply."""
REASONING = ("reasoning_content", "reasoning", "thinking")
"""The fields in which endpoints return a model's reasoning."""


def response_format(form: ReplyForm) -> JsonObject:
    """Return the value of OpenAI's parameter `response_format`, which vLLM, Ollama and llama.cpp support too."""
    return {"type": "json_schema", "json_schema": {"name": NAME, "strict": True, "schema": form.json_schema()}}


def body_of(
    model: str,
    request: Request,
    token_limit: str,
    reasoning_effort: str | None,
    stream: bool,
    left_out: Collection[str],
) -> JsonObject:
    """Return the body of a request.

    Args:
        model: the name of the model.
        request: the request.
        token_limit: one of LIMITS; the other one is sent if the endpoint has refused it.
        reasoning_effort: how much a reasoning model may think; None: the endpoint's default.
        stream: whether to request a stream.
        left_out: the parameters that the endpoint has refused.
    """
    body: JsonObject = {"model": model, "messages": list(request.messages)}
    names = (token_limit, *(name for name in LIMITS if name != token_limit))
    limit = next((name for name in names if name not in left_out), None)
    form = request.reply_form
    tool = {"type": "function", "function": function(form, left_out)} if form and request.as_tool else None
    optional = {
        limit: request.max_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "seed": request.seed,
        "reasoning_effort": reasoning_effort,
        "response_format": None if form is None or tool else response_format(form),
        "stream": stream or None,
        "stream_options": {"include_usage": True} if stream and "stream" not in left_out else None,
    }
    return (
        body
        | forced(tool, left_out)
        | {name: value for name, value in optional.items() if name and value is not None and name not in left_out}
    )


def parse(body: bytes) -> Completion:
    """Return the completion in the body of a response with status 200, streamed or not.

    Raises:
        TransportFailure: if there is no completion in it.
        ErrorInBody: if it holds an error.
    """
    reply = Reply(CHAT)
    if re.match(rb"(?:\xef\xbb\xbf)?\s*(?:data|event|id|retry)?:", body):
        _parse_stream(body, reply)
    else:
        _add_chunk(parse_json(body), "message", reply)
    return reply.completion()


def events(body: bytes) -> Iterator[bytes]:
    """Yield the data of the events of a stream."""
    check_size(body.count(b"data:"))
    for line in re.finditer(rb"(?:^|(?<=[\r\n]))(?:\xef\xbb\xbf)?data:([^\r\n]*)", body):
        data = line[1].strip()
        if data:
            yield data


def _parse_stream(body: bytes, reply: Reply) -> None:
    done, chunks = False, 0
    for data in events(body):
        if data == b"[DONE]":
            done = True
        else:
            chunks += 1
            _add_chunk(parse_json(data), "delta", reply)
    if not chunks:
        raise TransportFailure("malformed" if body.strip() else "empty body")
    if not done and not reply.finish_reason:
        raise TransportFailure("cut stream")


def _add_chunk(chunk: Any, part: str, reply: Reply) -> None:
    """Add what a chunk says: the whole response, whose choices have a "message", or an event, with a "delta"."""
    if not isinstance(chunk, dict):
        raise TransportFailure("malformed")
    if chunk.get("error"):
        raise ErrorInBody(error_fields(chunk))
    if isinstance(chunk.get("usage"), dict):
        reply.usage = chunk["usage"]
    reply.note(answered_by=chunk.get("model"), fingerprint=chunk.get("system_fingerprint"), response_id=chunk.get("id"))
    choice = _first_choice(chunk, part)
    piece = choice.get(part) or {}
    if not isinstance(piece, dict) or (not piece and part == "message"):
        raise TransportFailure("malformed")
    _add_message(piece, reply, part == "message")
    reason = choice.get("finish_reason")
    if reason is not None:
        reply.finish_reason = str(reason)


def _add_message(message: JsonMapping, reply: Reply, is_whole: bool) -> None:
    spoken, reasoning, refusal = text_parts(message.get("content"))
    reply.calls.add_message(message, is_whole)
    reply.texts.append(spoken)
    reply.refusals += [refusal, text_of(message.get("refusal"))]
    fields = [message[name] for name in REASONING if isinstance(message.get(name), str) and message[name]]
    if not fields and isinstance(message.get("reasoning_details"), list):
        details = [detail for detail in message["reasoning_details"] if isinstance(detail, dict)]
        fields = ["".join(str(detail.get("text") or detail.get("summary") or "") for detail in details)]
    reply.reasoning += [reasoning, *fields[:1]]


def _first_choice(chunk: JsonMapping, part: str) -> JsonMapping:
    choices = chunk.get("choices")
    if choices is None and part == "delta":
        return {}
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise TransportFailure("malformed")
    return next((choice for choice in choices if not choice.get("index")), {})
