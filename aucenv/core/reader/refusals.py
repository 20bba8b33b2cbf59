"""Reasons for which a reply cannot be read, in the languages of auctions. The sentences are in `data/refusals.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from aucenv.core.money import CURRENCIES
from aucenv.core.reader.amounts import UNCLEAR
from aucenv.core.state import WITHDRAW

VAGUE, MINIMUM, TWICE = -8, -7, -6
"""Values of decisions without an exact amount: an approximate one ("about $36"), "the minimum", and a JSON object in
which a field stands twice."""


class Unreadable(ValueError):
    """A reply that is not one clear decision; its message is shown to the bidder, who may retry."""


@functools.lru_cache
def _sentences() -> Mapping[str, Mapping[str, Any]]:
    text = (resources.files("aucenv.core.reader") / "data" / "refusals.json").read_text(encoding="utf-8")
    sentences: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return sentences


def sentence(language: str, key: str) -> str:
    """Return a sentence of a language that has no fields."""
    return str(_sentences()[language][key])


def acts_in_words(language: str, price: str = "") -> dict[str, str]:
    """Return the simplest words for each act: "out", "abstain", "stay", "leave", "wait", "take".

    Args:
        price: the price in "leave_at" and "take_at", which are acts at a price that is named in advance.
    """
    return {act: words.format(price=price) for act, words in _sentences()[language]["acts"].items()}


def translated(reason: str, language: str) -> str:
    """Return the reason why a model's reply cannot be used, in a language."""
    english = _sentences()["english"]
    key = next((key for key, words in english.items() if words == reason), None)
    return reason if key is None else str(_sentences()[language][key])


def only_value(
    values: Sequence[int],
    is_empty: bool,
    to_words: Callable[[int], str],
    *,
    hint: str,
    currency: str,
    language: str = "english",
) -> int:
    """Return the only decision of a reply.

    Args:
        values: the decisions that count.
        is_empty: whether the reply says nothing.
        to_words: returns a decision in words.
        hint: which hint on how to reply the message gives: "bid", "ascending" or "descending".
        currency: one of `core.money.CURRENCIES`.
        language: a language of `data/refusals.json`, that of the message.

    Raises:
        Unreadable: there is no decision, more than one, or one without a clear amount.
    """
    if len(values) == 1 and values[0] >= WITHDRAW:
        return values[0]
    sentences = _sentences()[language]
    key = _problem(values, is_empty)
    fields = {
        "hint": sentences[hint].format(sign=CURRENCIES[currency]),
        "sign": CURRENCIES[currency],
        "currency": sentences["currencies"][currency],
        "listed": ", ".join(to_words(value) for value in values) if key == "ambiguous" else "",
    }
    raise Unreadable(sentences[key].format(**fields))


def _problem(values: Sequence[int], is_empty: bool) -> str:
    if not values:
        return "empty" if is_empty else "none"
    if TWICE in values:
        return "twice"
    if UNCLEAR in values or VAGUE in values:
        return "unclear"
    return "minimum" if MINIMUM in values else "ambiguous"
