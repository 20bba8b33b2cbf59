"""Reasons for which a reply cannot be read, in the languages of auctions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aucenv.core.reader.amounts import UNCLEAR
from aucenv.core.reader.wording import sentences
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import CURRENCIES

VAGUE, MINIMUM, TWICE = -8, -7, -6
"""Values of decisions without an exact amount: an approximate one ("about $36"), "the minimum", and a JSON object in
which a field stands twice."""


class Unreadable(ValueError):
    """A reply that is not one clear decision; its message is shown to the bidder, who may retry."""


def only_value(
    values: Sequence[int],
    is_empty: bool,
    to_words: Callable[[int], str],
    *,
    hint: str,
    currency: str,
    language: str = "english",
    leave: str = "out",
) -> int:
    """Return the only decision of a reply.

    Args:
        values: the decisions that count.
        is_empty: whether the reply says nothing.
        to_words: returns a decision in words.
        hint: the hint on how to reply: "bid", "ascending" or "descending", or a sentence with a field {sign}.
        currency: one of `core.words.money.CURRENCIES`.
        language: a language of `data/refusals.json`, that of the message.
        leave: the act that the hint "bid" names besides a bid: "out", "abstain" or another one of `acts_in_words`.

    Raises:
        Unreadable: there is no decision, more than one, or one without a clear amount.
    """
    if len(values) == 1 and values[0] >= WITHDRAW:
        return values[0]
    wording = sentences()[language]
    key = _problem(values, is_empty)
    fields = {
        "hint": wording.get(hint, hint).format(sign=CURRENCIES[currency], leave=wording["acts"][leave]),
        "sign": CURRENCIES[currency],
        "currency": wording["currencies"][currency],
        "listed": ", ".join(to_words(value) for value in values) if key == "ambiguous" else "",
    }
    raise Unreadable(wording[key].format(**fields))


def _problem(values: Sequence[int], is_empty: bool) -> str:
    if not values:
        return "empty" if is_empty else "none"
    if TWICE in values:
        return "twice"
    if UNCLEAR in values or VAGUE in values:
        return "unclear"
    return "minimum" if MINIMUM in values else "ambiguous"
