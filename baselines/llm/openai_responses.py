"""Parse the responses of OpenAI-compatible endpoints into completions, and classify their errors."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import ModelFailure
from aucenv.core.reader.speech import end_of_reply
from aucenv.runs.calls import Completion

TRANSIENT = (408, 409, 425, 429)
"""HTTP statuses below 500 that are transient errors."""
FINISHES = {"length": "length", "max_tokens": "length", "content_filter": "content_filter", "safety": "content_filter"}
"""Why a reply ended, by the endpoint's finish reason; any other reason counts as "stop"."""
INTERRUPTED = ("error", "abort", "insufficient_system_resource")
"""Finish reasons of replies that the endpoint did not complete; the request is sent again."""
TOO_LONG = (
    "context.(?:length|size|window)|maximum context|too many tokens|(?:prompt|input) is too long|number of tokens"
)
"""Pattern of errors that say that the prompt exceeds the model's context."""
FILTERED = "content_filter|content_policy|content management|responsibleai"
"""Pattern of errors that say that a content filter has rejected the prompt."""


FORM_REFUSED = (
    r"response.?format|json.?schema|structured|guided|grammar|"
    r"(?:unsupported|unknown|unrecogni[sz]ed|unexpected|extra|invalid|not (?:support|permit|allow)\w*|no endpoints)"
    r".{0,60}(?:param|argument|field|input|propert)"
)
"""Pattern of errors that may say that the endpoint or the model does not support the form of a reply."""
OTHER_PARAMETERS = ("temperature", "seed", "max_tokens", "max_completion_tokens", "messages", "model", "stream")
"""Parameters that an error may name; it then does not concern the form of the reply."""


class FormRefused(ModelFailure):
    """A permanent error that may concern the form of the reply: the request may succeed without the form."""


class TransportFailure(Exception):
    """A transient error, after which the same request is sent again.

    Args:
        kind: the error in a word, for the journal: "timeout", "connection", "malformed", "429", ...
        after: seconds that the endpoint asks to wait; None if it names no time.
    """

    def __init__(self, kind: str, after: float | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.after = after


def parse_body(body: bytes) -> Completion:
    """Return the completion in the body of a response with status 200, streamed or not.

    Raises:
        TransportFailure: if there is no completion in it.
        ModelFailure: if it holds a permanent error.
    """
    try:
        text = body.decode("utf-8-sig")
        streamed = re.match(r"\s*(?:data|event|id|retry)?:", text)
        completion = _parse_stream(text) if streamed else _join_chunks([json.loads(text)], "message")
    except UnicodeDecodeError:
        raise TransportFailure("wrong encoding") from None
    except (ValueError, RecursionError):
        raise TransportFailure("malformed" if body.strip() else "empty body") from None
    return dataclasses.replace(completion, finish=completion.finish or "stop")


def _parse_stream(text: str) -> Completion:
    data = [line[5:].strip() for line in re.split("\r\n|\r|\n", text) if line.startswith("data:")]
    chunks = [json.loads(part) for part in data if part and part != "[DONE]"]
    if not chunks:
        raise TransportFailure("malformed" if text.strip() else "empty body")
    completion = _join_chunks(chunks, "delta")
    if "[DONE]" not in data and not completion.finish:
        raise TransportFailure("cut stream")
    return completion


def _join_chunks(chunks: list[Any], part: str) -> Completion:
    """Return the completion that consists of these chunks: one with a "message", or many with a "delta"."""
    texts, refusals, finish = [], [], None
    usage: JsonObject = {}
    for chunk in chunks:
        if not isinstance(chunk, dict):
            raise TransportFailure("malformed")
        if chunk.get("error"):
            error = chunk["error"] if isinstance(chunk["error"], dict) else {"message": chunk["error"]}
            code = str(error.get("code"))
            return raise_for_status(int(code) if re.fullmatch("[1-5][0-9][0-9]", code) else 500, error, None)
        usage = chunk["usage"] if isinstance(chunk.get("usage"), dict) else usage
        choice = _first_choice(chunk, part)
        piece = choice.get(part) or {}
        if not isinstance(piece, dict) or (not piece and part == "message"):
            raise TransportFailure("malformed")
        texts.append(_content_text(piece.get("content")))
        refusals.append(_content_text(piece.get("refusal")))
        finish = choice.get("finish_reason") or finish
    return _completion("".join(texts), "".join(refusals), finish, usage)


def _first_choice(chunk: JsonMapping, part: str) -> JsonMapping:
    choices = chunk.get("choices")
    if choices is None and part == "delta":
        return {}
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise TransportFailure("malformed")
    return next((choice for choice in choices if not choice.get("index")), {})


def _content_text(content: Any) -> str:
    """Return the text of a message's content, which is a string, None, or a list of parts with text."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(_content_text(text.get("value") if isinstance(text, dict) else text) for text in parts)
    if content is not None and not isinstance(content, str):
        raise TransportFailure("malformed")
    return content or ""


def repair_surrogates(text: str) -> str:
    """Join the surrogate pairs of a text and replace lone surrogates, which files cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _completion(text: str, refusal: str, finish: Any, usage: JsonMapping) -> Completion:
    if refusal:
        finish = "refusal"
    elif finish in INTERRUPTED:
        raise TransportFailure(f"finish {finish}")
    elif finish is not None:
        finish = FINISHES.get(str(finish).lower(), "stop")
    tokens_in, tokens_out = (
        count if type(count) is int and 0 <= count < 10**9 else None
        for count in (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    )
    return Completion(end_of_reply(repair_surrogates(text or refusal)), finish or "", tokens_in, tokens_out)


def raise_for_status(status: int, error: JsonMapping, after: float | None) -> Completion:
    """Return an empty completion, whose `finish` names the reason, if the prompt was too long or filtered; else raise.

    Raises:
        TransportFailure: if the error is transient.
        ModelFailure: if the error is permanent; FormRefused if it may concern the form of the reply.
    """
    code, kind, message = (str(error.get(name) or "") for name in ("code", "type", "message"))
    message = message or str(error.get("detail") or "")  # as servers that use FastAPI name it
    error_text = f"{code} {kind} {message}".lower()
    if status in (400, 413, 422) and re.search(TOO_LONG, error_text):
        return Completion("", "context")
    if status == 400 and re.search(FILTERED, error_text):
        return Completion("", "content_filter")
    out_of_money = "insufficient_quota" in (code, kind)
    if status >= 500 or (status in TRANSIENT and not out_of_money):
        raise TransportFailure(str(status), after)
    printable = "".join(c if c.isprintable() else " " for c in message)
    reason = " ".join(printable.split())[:300] or code or "no reason given"
    if error.get("param") in ("temperature", "seed"):
        reason += f" (set {error['param']}=none in the bidder's name)"
    about_form = re.search(FORM_REFUSED, f"{error.get('param')} {code} {kind} {message}", re.IGNORECASE)
    if status in (400, 404, 422) and about_form and error.get("param") not in OTHER_PARAMETERS:
        raise FormRefused(f"{status}: {reason}")
    raise ModelFailure(f"{status}: {reason}")
