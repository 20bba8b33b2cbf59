"""Replies in words to an auction: a bid, a withdrawal, or unreadable."""

from __future__ import annotations

from collections.abc import Collection

from aucenv.core.reader.bids import Bids
from aucenv.core.reader.reading import Reader
from aucenv.core.reader.refusals import Unreadable, only_value
from aucenv.core.reader.wording import acts_in_words
from aucenv.core.words.money import CURRENCIES, format_dollars

__all__ = ["Unreadable", "read", "write_reply"]


def write_reply(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply for an amount in cents, or for WITHDRAW."""
    return "I'm out!" if amount < 0 else f"I bid {format_dollars(amount, CURRENCIES[currency])}!"


_BIDS = Bids()


def read(
    reply: str,
    names: Collection[str] = (),
    currency: str = "dollar",
    language: str = "english",
    leave: str = "out",
    item: str = "",
) -> int:
    """Return the decision of a reply: cents, or WITHDRAW.

    Replies may be in any language of `core.reader.languages`, or in English.

    Args:
        names: The rivals' names; a line that starts with one of them and a colon is a quotation.
        currency: One of `CURRENCIES`; amounts may have its sign or name, and amounts in others are refused.
        language: The language of the error's message.
        leave: How the game's text calls a decision not to bid: an act of `core.reader.wording.acts_in_words`.
        item: The name of the item that is for sale; "" for none.

    Raises:
        Unreadable: The reply states no decision, or more than one.
    """
    reader = Reader(_BIDS, names, currency, item)
    values = reader.decisions(reply)

    def to_words(value: int) -> str:
        return format_dollars(value, CURRENCIES[currency]) if value >= 0 else acts_in_words(language)[leave]

    return only_value(values, reader.is_empty, to_words, hint="bid", currency=currency, language=language, leave=leave)
