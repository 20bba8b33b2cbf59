"""What an OpenAI-compatible endpoint sends back -> a Completion, or what kind of failure it is."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import ModelFailure
from aucenv.core.reply import LONGEST
from aucenv.runs.calls import Completion

TRANSIENT = (408, 409, 425, 429)
"""Statuses below 500 that pass."""
FINISHES = {"length": "length", "max_tokens": "length", "content_filter": "content_filter", "safety": "content_filter"}
"""Why a reply ended, by what endpoints say; "stop" by anything else."""
BROKEN_OFF = ("error", "abort", "insufficient_system_resource")
TOO_LONG = (
    "context.(?:length|size|window)|maximum context|too many tokens|(?:prompt|input) is too long|number of tokens"
)
FILTERED = "content_filter|content_policy|content management|responsibleai"


class TransportFailure(Exception):
    """Nothing that a model said: the same request is sent again.

    Args:
        kind: what happened, in a word for the journal: "timeout", "connection", "malformed", "429", ...
        after: seconds that the endpoint asks to be left alone; None: it does not say.
    """

    def __init__(self, kind: str, after: float | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.after = after


def of_body(body: bytes) -> Completion:
    """The completion in a body of status 200, in one piece or streamed.

    Raises:
        TransportFailure: it holds none.
        ModelFailure: it holds an error that lasts.
    """
    try:
        text = body.decode("utf-8-sig")
        streamed = re.match(r"\s*(?:data|event|id|retry)?:", text)
        completion = _of_stream(text) if streamed else _of_chunks([json.loads(text)], "message")
    except UnicodeDecodeError:
        raise TransportFailure("wrong encoding") from None
    except (ValueError, RecursionError):
        raise TransportFailure("malformed" if body.strip() else "empty body") from None
    return dataclasses.replace(completion, finish=completion.finish or "stop")


def _of_stream(text: str) -> Completion:
    data = [line[5:].strip() for line in re.split("\r\n|\r|\n", text) if line.startswith("data:")]
    chunks = [json.loads(part) for part in data if part and part != "[DONE]"]
    if not chunks:
        raise TransportFailure("malformed" if text.strip() else "empty body")
    completion = _of_chunks(chunks, "delta")
    if "[DONE]" not in data and not completion.finish:
        raise TransportFailure("cut stream")
    return completion


def _of_chunks(chunks: list[Any], part: str) -> Completion:
    """The completion whose pieces these are: one "message", or many of "delta"."""
    said, refused, finish = [], [], None
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
        said.append(_words(piece.get("content")))
        refused.append(_words(piece.get("refusal")))
        finish = choice.get("finish_reason") or finish
    return _completion("".join(said), "".join(refused), finish, usage)


def _first_choice(chunk: JsonMapping, part: str) -> JsonMapping:
    choices = chunk.get("choices")
    if choices is None and part == "delta":
        return {}
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise TransportFailure("malformed")
    return next((choice for choice in choices if not choice.get("index")), {})


def _words(content: Any) -> str:
    """A content: words, nothing, or parts with words."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(_words(text.get("value") if isinstance(text, dict) else text) for text in parts)
    if content is not None and not isinstance(content, str):
        raise TransportFailure("malformed")
    return content or ""


def in_whole_characters(text: str) -> str:
    """The text with the halves of characters that JSON can spell put together, or replaced: files cannot hold them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _completion(said: str, refused: str, finish: Any, usage: JsonMapping) -> Completion:
    if refused:
        finish = "refusal"
    elif finish in BROKEN_OFF:
        raise TransportFailure(f"finish {finish}")
    elif finish is not None:
        finish = FINISHES.get(str(finish).lower(), "stop")
    tokens_in, tokens_out = (
        count if type(count) is int and 0 <= count < 10**9 else None
        for count in (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    )
    return Completion(in_whole_characters(said or refused)[-LONGEST:], finish or "", tokens_in, tokens_out)


def raise_for_status(status: int, error: JsonMapping, after: float | None) -> Completion:
    """The completion that an error stands for, if a model's behaviour is behind it.

    Raises:
        TransportFailure: it passes.
        ModelFailure: it lasts.
    """
    code, kind, message = (str(error.get(name) or "") for name in ("code", "type", "message"))
    about = f"{code} {kind} {message}".lower()
    if status in (400, 413, 422) and re.search(TOO_LONG, about):
        return Completion("", "context")
    if status == 400 and re.search(FILTERED, about):
        return Completion("", "content_filter")
    out_of_money = "insufficient_quota" in (code, kind)
    if status >= 500 or (status in TRANSIENT and not out_of_money):
        raise TransportFailure(str(status), after)
    shown = "".join(c if c.isprintable() else " " for c in message)
    reason = " ".join(shown.split())[:300] or code or "no reason given"
    if error.get("param") in ("temperature", "seed"):
        reason += f" (say {error['param']}=none in the bidder's name)"
    raise ModelFailure(f"{status}: {reason}")
