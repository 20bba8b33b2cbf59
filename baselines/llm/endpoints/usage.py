"""The use of tokens that an endpoint reports. What cannot be true counts as not reported."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any, NamedTuple

from aucenv.core.files import JsonMapping, JsonObject

MOST_TOKENS = 10**9
"""More tokens than a call can have."""
_ANTHROPIC_CACHE = ("cache_read_input_tokens", "cache_creation_input_tokens")
CACHED = ("cached_tokens", "prompt_cache_hit_tokens", _ANTHROPIC_CACHE[0])
WRITTEN = ("cache_creation_tokens", "cache_write_tokens", _ANTHROPIC_CACHE[1])
REASONING = ("reasoning_tokens",)
"""The names of the tokens of the prompt that were read from a cache and written to one, and of those of reasoning.

They stand among the details of the prompt and the reply, or beside them.
"""


class Names(NamedTuple):
    """An API's names of the numbers of tokens of the prompt and the reply, and of the details of each."""

    prompt: str
    reply: str
    prompt_details: str
    reply_details: str


CHAT = Names("prompt_tokens", "completion_tokens", "prompt_tokens_details", "completion_tokens_details")


class ProviderUsage(NamedTuple):
    """The usage in the responses of a provider's own API.

    Attributes:
        field: the field that holds it.
        names: the name of each number, by that in the Chat Completions API.
        beside: the numbers, by these names, that the provider counts beside those of the prompt and the reply.
    """

    field: str
    names: JsonMapping
    beside: tuple[str, ...]

    def taken_from(self, response: JsonObject) -> JsonObject:
        """Replace the usage of a response by one without tokens, and return it as the Chat Completions API has it."""
        given = response.get(self.field)
        response[self.field] = dict.fromkeys((self.names[CHAT.prompt], self.names[CHAT.reply]), 0)
        if not isinstance(given, dict):
            return {}
        usage = {name: given[own] for name, own in self.names.items() if given.get(own) is not None}
        usage.setdefault(CHAT.reply, 0)  # Gemini leaves out what is 0
        counted = [usage.get(name, 0) for name in (CHAT.prompt, CHAT.reply, *self.beside)]
        if all(type(count) is int for count in counted):
            usage.setdefault("total_tokens", sum(counted))
        return usage


PROVIDERS = {
    "anthropic": ProviderUsage(
        "usage",
        {CHAT.prompt: "input_tokens", CHAT.reply: "output_tokens", **{name: name for name in _ANTHROPIC_CACHE}},
        _ANTHROPIC_CACHE,
    ),
    "gemini": ProviderUsage(
        "usageMetadata",
        {
            CHAT.prompt: "promptTokenCount",
            CHAT.reply: "candidatesTokenCount",
            CACHED[0]: "cachedContentTokenCount",
            REASONING[0]: "thoughtsTokenCount",
            "total_tokens": "totalTokenCount",
        },
        REASONING,
    ),
}


@dataclasses.dataclass(frozen=True)
class Usage:
    """The use of tokens and the cost in dollars that an endpoint reports; None for what it does not."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_written: int | None = None
    tokens_reasoning: int | None = None
    reported_cost: float | None = None


def usage_of(usage: JsonMapping, names: Names, has_text: bool) -> Usage:
    """Return the usage that a response reports.

    Endpoints count tokens of a cache and of reasoning among those of the prompt and the reply, or beside them. The
    numbers are read in the way in which they add up to the total. If there is none, or a number cannot be true, the
    tokens are unknown. A cost of $0 counts only beside numbers of tokens.

    Args:
        usage: the usage.
        names: the API's names.
        has_text: whether the response has a text, which takes at least one token.
    """
    cost = _dollars(usage.get("cost"))
    prompt, reply = (_tokens(usage.get(name)) for name in (names.prompt, names.reply))
    parts = [
        _part(usage, details, known)
        for details, known in (
            (names.prompt_details, CACHED),
            (names.prompt_details, WRITTEN),
            (names.reply_details, REASONING),
        )
    ]
    total = usage.get("total_tokens")
    if prompt is not None and reply is not None:
        counted = _sums(prompt, reply, [part or 0 for part in parts], total) if _IMPOSSIBLE not in parts else None
        prompt, reply = counted or (None, None)
    tokens_in, tokens_out = prompt or None, reply if reply or not has_text else None
    if tokens_in is None or tokens_out is None:
        return Usage(tokens_in, tokens_out, reported_cost=cost or None)
    cached, written, reasoning = parts
    return Usage(tokens_in, tokens_out, cached, written, reasoning, cost)


def _sums(prompt: int, reply: int, parts: list[int], total: Any) -> tuple[int, int] | None:
    """Return all tokens of the prompt and of the reply, with as few parts beside them as the numbers allow.

    Args:
        parts: the tokens that were read from a cache, those that were written to one, and those of reasoning.
        total: the total that the endpoint reports, which any way to count must give; None: it reports none.
    """
    for beside in _WAYS:
        cached, written, reasoning = (part * is_beside for part, is_beside in zip(parts, beside, strict=True))
        tokens_in, tokens_out = prompt + cached + written, reply + reasoning
        fits = sum(parts[:2]) <= tokens_in and parts[2] <= tokens_out
        if fits and (total is None or (type(total) is int and total == tokens_in + tokens_out)):
            return tokens_in, tokens_out
    return None


_WAYS = sorted(itertools.product((False, True), repeat=3), key=lambda beside: (sum(beside), not beside[2]))
"""Which of the parts are counted beside the prompt or the reply; reasoning, which costs most, is tried first."""
_IMPOSSIBLE = -1
"""The number that stands for one that cannot be true."""


def _part(usage: JsonMapping, details: str, names: tuple[str, ...]) -> int | None:
    """Return the first of these numbers that is reported; None if none is."""
    inner = usage.get(details)
    places = (inner if isinstance(inner, dict) else {}, usage)
    value = next((place[name] for place in places for name in names if place.get(name) is not None), None)
    if value is None:
        return None
    tokens = _tokens(value)
    return _IMPOSSIBLE if tokens is None else tokens


def _tokens(count: Any) -> int | None:
    return count if type(count) is int and 0 <= count < MOST_TOKENS else None


def _dollars(cost: Any) -> float | None:
    fits = type(cost) in (int, float) and math.isfinite(cost) and 0 <= cost < 1e9
    return float(cost) if fits else None
