"""What an OpenAI-compatible endpoint sends back -> a Completion, or what kind of failure it is."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any

from aucenv.calls import Completion
from aucenv.core.reply import LONGEST
from aucenv.policy import ModelFailure

TRANSIENT = (408, 409, 425, 429)
"""Statuses below 500 that pass."""


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
    usage: dict[str, Any] = {}
    for chunk in chunks:
        if not isinstance(chunk, dict):
            raise TransportFailure("malformed")
        if chunk.get("error"):
            error = chunk["error"] if isinstance(chunk["error"], dict) else {"message": chunk["error"]}
            code = error.get("code")
            raise_for_status(code if isinstance(code, int) else 500, error, None)
        usage = chunk["usage"] if isinstance(chunk.get("usage"), dict) else usage
        choices = chunk.get("choices")
        if not isinstance(choices, list) or (not choices and part == "message"):
            raise TransportFailure("malformed")
        for choice in choices[:1]:
            piece = choice.get(part) if isinstance(choice, dict) else None
            if not isinstance(piece, dict):
                raise TransportFailure("malformed")
            said.append(_words(piece.get("content")))
            refused.append(_words(piece.get("refusal")))
            finish = choice.get("finish_reason") or finish
    return _completion("".join(said), "".join(refused), finish, usage)


def _words(content: Any) -> str:
    """A content: words, nothing, or parts with words."""
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TransportFailure("malformed")
    return content.encode("utf-8", "replace").decode()  # JSON can spell halves of surrogate pairs, files cannot


def _completion(said: str, refused: str, finish: Any, usage: Mapping[str, Any]) -> Completion:
    if refused:
        finish = "refusal"
    elif finish not in ("length", "content_filter", None):
        finish = "stop"
    tokens_in, tokens_out = (
        count if type(count) is int and count >= 0 else None
        for count in (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    )
    return Completion((said or refused)[-LONGEST:], finish or "", tokens_in, tokens_out)


def raise_for_status(status: int, error: Mapping[str, Any], after: float | None) -> Completion:
    """The completion that an error stands for, if a model's behaviour is behind it.

    Raises:
        TransportFailure: it passes.
        ModelFailure: it lasts.
    """
    code, message = str(error.get("code") or error.get("type") or ""), str(error.get("message") or "")
    about = f"{code} {message}".lower()
    if status == 400 and re.search("context_length|context length|maximum context|too many tokens", about):
        return Completion("", "context")
    if status == 400 and re.search("content_filter|content_policy|content management|responsibleai", about):
        return Completion("", "content_filter")
    out_of_money = code == "insufficient_quota"
    if status >= 500 or (status in TRANSIENT and not out_of_money):
        raise TransportFailure(str(status), after)
    reason = " ".join(message.split())[:300] or code or "no reason given"
    if error.get("param") in ("temperature", "seed"):
        reason += f" (say {error['param']}=none in the bidder's name)"
    raise ModelFailure(f"{status}: {reason}")
