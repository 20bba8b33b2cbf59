"""Parts of responses that all APIs of endpoints share: JSON of limited size, texts, usage, and the finished reply."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

from aucenv.baselines.llm.endpoints.errors import TransportFailure
from aucenv.baselines.llm.endpoints.tool_calls import ToolCalls
from aucenv.baselines.llm.endpoints.usage import Names, usage_of

from aucenv.core.files import JsonMapping
from aucenv.core.reader.speech import spoken
from aucenv.runs.model_calls.calls import Completion

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


@dataclasses.dataclass
class Reply:
    """A reply that is put together from the parts of a response.

    Attributes:
        names: the API's names of numbers of tokens.
        usage: the usage that the endpoint reports.
    """

    names: Names
    texts: list[str] = dataclasses.field(default_factory=list)
    refusals: list[str] = dataclasses.field(default_factory=list)
    reasoning: list[str] = dataclasses.field(default_factory=list)
    calls: ToolCalls = dataclasses.field(default_factory=ToolCalls)
    usage: JsonMapping = dataclasses.field(default_factory=dict)
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
        if self.calls:
            is_thought = not spoken(text).strip()  # a block of thinking that is not closed would hide the calls
            self.reasoning += [text] if is_thought else []
            text = "\n".join([*([] if is_thought else [text]), self.calls.text()])
        reasoning = "".join(self.reasoning)
        usage = usage_of(self.usage, self.names, bool(text or refusal or reasoning))
        finish = "refusal" if refusal else FINISHES.get(self.finish_reason.lower(), "stop")
        return Completion(
            text or refusal,
            finish,
            reasoning=reasoning,
            answered_by=self.answered_by,
            fingerprint=self.fingerprint,
            request_id=self.response_id,
            finish_reason=self.finish_reason,
            tool_calls=len(self.calls),
            **dataclasses.asdict(usage),
        )
