"""OpenAI's Responses API: the body of a request, and the parsing of its response."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from aucenv.baselines.llm.endpoints.chat_api import events
from aucenv.baselines.llm.endpoints.errors import ErrorInBody, TransportFailure, error_fields
from aucenv.baselines.llm.endpoints.response_parts import Reply, parse_json, text_parts
from aucenv.baselines.llm.endpoints.tool_calls import NAME, forced, function
from aucenv.baselines.llm.endpoints.usage import Names

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.runs.model_calls.calls import Completion, Request

PATH = "/responses"
LIMIT = "max_output_tokens"
"""The name of the maximum number of tokens of a reply, reasoning included."""
_TOKENS = Names("input_tokens", "output_tokens", "input_tokens_details", "output_tokens_details")
_ENDS = ("response.completed", "response.incomplete", "response.failed")
"""The types of the last event of a stream, which holds the whole response."""


def body_of(
    model: str, request: Request, reasoning_effort: str | None, stream: bool, left_out: Collection[str]
) -> JsonObject:
    """Return the body of a request; the API has no seed. The arguments are those of `chat_api.body_of`."""
    form = request.reply_form
    tool = {"type": "function", **function(form, left_out)} if form and request.as_tool else None
    json_schema = None if form is None or tool else {"name": NAME, "strict": True, "schema": form.json_schema()}
    optional = {
        LIMIT: request.max_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "reasoning": None if reasoning_effort is None else {"effort": reasoning_effort},
        "text": None if json_schema is None else {"format": {"type": "json_schema", **json_schema}},
        **forced(tool, left_out),
        "store": False,
        "stream": stream or None,
    }
    return {"model": model, "input": list(request.messages)} | {
        name: value for name, value in optional.items() if value is not None and name not in left_out
    }


def parse(body: bytes) -> Completion:
    """Return the completion in the body of a response with status 200, streamed or not.

    Raises:
        TransportFailure: if there is no completion in it.
        ErrorInBody: if it holds an error.
    """
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"data:", b"event:", b":", b"id:", b"retry:")):
        return _completion(_last_response(body))
    return _completion(parse_json(body))


def _last_response(body: bytes) -> Any:
    """Return the whole response, which the last event of a stream holds."""
    for data in events(body):
        if data == b"[DONE]":
            continue
        event = parse_json(data)
        if not isinstance(event, dict):
            raise TransportFailure("malformed")
        if event.get("type") == "error" or event.get("error"):
            raise ErrorInBody(error_fields(event))
        if event.get("type") in _ENDS:
            return event.get("response")
    raise TransportFailure("cut stream")


def _completion(response: Any) -> Completion:
    if not isinstance(response, dict):
        raise TransportFailure("malformed")
    if response.get("error"):
        raise ErrorInBody(error_fields(response))
    output, status = response.get("output"), response.get("status")
    if status in ("failed", "cancelled", "queued", "in_progress"):
        raise TransportFailure(f"status {status}")
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        raise TransportFailure("malformed")
    reply = Reply(_TOKENS)
    for item in output:
        _add_item(item, reply)
    if isinstance(response.get("usage"), dict):
        reply.usage = response["usage"]
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    reply.note(answered_by=response.get("model"), response_id=response.get("id"), finish_reason=reason or status)
    return reply.completion()


def _add_item(item: JsonMapping, reply: Reply) -> None:
    if item.get("type") == "reasoning":
        parts = [*_list(item.get("summary")), *_list(item.get("content"))]
        reply.reasoning.append("\n\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict)))
    elif item.get("type") in ("message", None):
        spoken, reasoning, refusal = text_parts(item.get("content"))
        reply.texts.append(spoken)
        reply.reasoning.append(reasoning)
        reply.refusals.append(refusal)
    elif item.get("type") == "function_call":
        reply.calls.add(item)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
