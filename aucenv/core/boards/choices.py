"""The legal decisions of a person at a table, as data that a page shows as buttons and as a field for an amount."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.game_modules import RulesModule
from aucenv.core.words.money import to_dollars


def choice(text: str, dollars: float) -> JsonObject:
    """Return a button that makes a bid."""
    return {"text": text, "amount": dollars}


def no_bid(text: str) -> JsonObject:
    """Return a button that withdraws, or makes no bid."""
    return {"text": text, "withdraw": True}


def amount(label: str, least: float, most: float | None, step: float) -> JsonObject:
    """Return a field for an amount in dollars.

    Args:
        label: the verb of the decision.
        least, most: its range; None: no limit.
        step: the amounts are the multiples of this number of dollars above `least`.
    """
    return {"label": label, "least": least, "most": most, "step": step}


def choices_of(buttons: Sequence[JsonObject], field: JsonObject | None) -> JsonObject:
    """Return the choices of a decision: `buttons`, and `amount`, which is None if no amount can be named."""
    return {"buttons": list(buttons), "amount": field}


ANY = choices_of([no_bid("Make no bid")], amount("Bid", 0.0, None, 0.01))
"""The choices of somebody who does not see the game."""
MOST_CENTS = 10**12


def legal_choices(rules: RulesModule, view: Any) -> JsonObject:
    """Return the choices of a seat in a game that does not list them: no bid, or an amount that the rules allow."""
    least, most = (int(rules.clip(view.row, 0, view.seat_number, cents)) for cents in (0, MOST_CENTS))
    field = None if most < 0 else amount("Bid", to_dollars(max(least, 0)), to_dollars(most), 0.01)
    return choices_of([no_bid("Make no bid")], field)
