"""Parts of responses that all APIs of endpoints share: JSON of limited size, texts, usage, and the finished reply."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from typing import Any

from aucenv.baselines.llm.endpoint_errors import TransportFailure

from aucenv.core.files import JsonMapping
from aucenv.runs.calls import Completion

MAX_JSON_BYTES = 4_000_000
"""The maximum size of one JSON value; larger ones, parsed, would take more memory than any reply is worth."""
MAX_VALUES = 100_000
"""The maximum number of values in a JSON value, and of events in a stream."""
FINISHES = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "length"),
    **dict.fromkeys(("content_filter", "safety", "recitation", "blocklist", "prohibited_content"), "content_filter"),
    "refusal": "refusal",
}
"""Why a reply ended, by the endpoint's finish reason; any other reason counts as "stop"."""
INTERRUPTED = ("error", "abort", "insufficient_system_resource")
"""Finish reasons of replies that the endpoint did not complete; the request is sent again."""


def check_size(values: int) -> None:
    """Raise unless a response with this number of values may be parsed."""
    if values > MAX_VALUES:
        raise TransportFailure("too large")


def parse_json(data: bytes) -> Any:
    """Return the JSON value in these bytes.

    Raises:
        TransportFailure: if they are not JSON, or the value is too large.
    """
    if len(data) > MAX_JSON_BYTES:
        raise TransportFailure("too large")
    if len(data) > MAX_VALUES and sum(map(data.count, _SEPARATORS)) > MAX_VALUES:
        outside_strings = _STRING.sub(b"", data)
        check_size(sum(map(outside_strings.count, _SEPARATORS)))
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise TransportFailure("wrong encoding") from None
    except (ValueError, RecursionError):
        raise TransportFailure("malformed" if data.strip() else "empty body") from None


_SEPARATORS = (b",", b"[", b"{")
_STRING = re.compile(rb'"(?:[^"\\]+|\\.)*"', re.DOTALL)


def text_of(content: Any) -> str:
    """Return a text; "" for None.

    Raises:
        TransportFailure: if it is neither.
    """
    if content is not None and not isinstance(content, str):
        raise TransportFailure("malformed")
    return content or ""


def text_parts(content: Any) -> tuple[str, str, str]:
    """Return what a message says, its reasoning and its refusal.

    Args:
        content: the message's content: a text, None, or a list of parts with a type and a text.
    """
    if not isinstance(content, list):
        return text_of(content), "", ""
    spoken, reasoning, refusals = [], [], []
    for part in content:
        if isinstance(part, dict):
            kind = str(part.get("type"))
            if re.search("reason|think|summary", kind):
                reasoning.append(_text_in(part, "text", "thinking", "reasoning", "summary", "content"))
            elif kind == "refusal":
                refusals.append(_text_in(part, "refusal", "text"))
            else:
                spoken.append(_text_in(part, "text"))
    return "".join(spoken), "".join(reasoning), "".join(refusals)


def _text_in(part: JsonMapping, *names: str) -> str:
    """Return the text in the first of these fields: a text, {"value": text}, or a list of parts with a text."""
    value = next((part[name] for name in names if part.get(name)), None)
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, list):
        return "".join(_text_in(inner, "text", "summary") for inner in value if isinstance(inner, dict))
    return text_of(value)


@dataclasses.dataclass(frozen=True)
class Usage:
    """The use of tokens and the cost in dollars that an endpoint reports; None for what it does not."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_written: int | None = None
    tokens_reasoning: int | None = None
    reported_cost: float | None = None


def usage_of(usage: JsonMapping, names: tuple[str, str, str, str]) -> Usage:
    """Return the usage in a response.

    Args:
        usage: the usage.
        names: the names of the numbers of tokens of the prompt and the reply, and of the details of each.
    """
    prompt, reply, prompt_details, reply_details = names
    details = [usage[name] if isinstance(usage.get(name), dict) else {} for name in (prompt_details, reply_details)]
    tokens_in, tokens_out = _tokens(usage.get(prompt)), _tokens(usage.get(reply))
    cached = _tokens(details[0].get("cached_tokens", usage.get("prompt_cache_hit_tokens")))
    written = _tokens(details[0].get("cache_creation_tokens", details[0].get("cache_write_tokens")))
    reasoning = _tokens(details[1].get("reasoning_tokens", usage.get("reasoning_tokens")))
    total = _tokens(usage.get("total_tokens"))
    if tokens_in is not None and tokens_out is not None and reasoning and total == tokens_in + tokens_out + reasoning:
        tokens_out += reasoning  # some endpoints do not count reasoning in the reply
    if cached is not None and tokens_in is not None:
        cached = min(cached, tokens_in)
    if written is not None and tokens_in is not None:
        written = min(written, tokens_in - (cached or 0))
    if reasoning is not None and tokens_out is not None:
        reasoning = min(reasoning, tokens_out)
    return Usage(tokens_in, tokens_out, cached, written, reasoning, _dollars(usage.get("cost")))


def _tokens(count: Any) -> int | None:
    return count if type(count) is int and 0 <= count < 10**9 else None


def _dollars(cost: Any) -> float | None:
    fits = type(cost) in (int, float) and math.isfinite(cost) and 0 <= cost < 1e9
    return float(cost) if fits else None


@dataclasses.dataclass
class Reply:
    """A reply that is put together from the parts of a response."""

    texts: list[str] = dataclasses.field(default_factory=list)
    refusals: list[str] = dataclasses.field(default_factory=list)
    reasoning: list[str] = dataclasses.field(default_factory=list)
    usage: Usage = dataclasses.field(default_factory=Usage)
    finish_reason: str = ""
    answered_by: str = ""
    fingerprint: str = ""
    response_id: str = ""

    def note(self, **fields: Any) -> None:
        """Set the fields whose value is some text."""
        for name, value in fields.items():
            if isinstance(value, str) and value:
                setattr(self, name, value)

    def completion(self) -> Completion:
        """Return the completion.

        Raises:
            TransportFailure: if the endpoint has not completed the reply.
        """
        if self.finish_reason in INTERRUPTED:
            raise TransportFailure(f"finish {self.finish_reason}")
        text, refusal = "".join(self.texts), "".join(self.refusals)
        finish = "refusal" if refusal else FINISHES.get(self.finish_reason.lower(), "stop")
        return Completion(
            text or refusal,
            finish,
            reasoning="".join(self.reasoning),
            answered_by=self.answered_by,
            fingerprint=self.fingerprint,
            request_id=self.response_id,
            finish_reason=self.finish_reason,
            **dataclasses.asdict(self.usage),
        )
