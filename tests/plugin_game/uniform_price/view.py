"""Views: a seat knows its values up to this round, its bids, and the prices of closed rounds."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from aucenv.core.history import Entry
from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import ScenarioText, SeatView, visible_row
from aucenv.core.state import RUNNING
from uniform_price.rules import hide

__all__ = ["Round", "ScenarioText", "View", "copy_visible", "make_view"]


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without what is hidden from `seat`."""
    out[0] = state[b]
    hide(out[0], seat)


@dataclasses.dataclass(frozen=True)
class Round:
    """A closed round as a seat sees it; amounts in dollars.

    Attributes:
        value: the seat's value of a unit.
        bid: its bid; None if it abstained.
        won: whether it got a unit.
        price: what every winner paid.
    """

    value: float
    bid: float | None
    won: bool
    price: float


@dataclasses.dataclass(frozen=True, slots=True)
class View(SeatView):
    """The view of a seat; see SeatView. `item_number` is the round, from 0."""

    @property
    def value(self) -> float | None:
        """The seat's value of a unit in this round, in dollars; None once the game is over."""
        if self._get("status") != RUNNING:
            return None
        return to_dollars(int(self.row["value"][0, self.seat_number, self.item_number]))

    @property
    def profit(self) -> float:
        """The seat's profit so far, in dollars."""
        return to_dollars(self._get_seat_value("profit"))

    @property
    def history(self) -> list[Round]:
        """The closed rounds."""
        row, seat, rounds = self.row[0], self.seat_number, []
        for j in range(self.item_number):
            bid, value, price = (
                to_dollars(int(x)) for x in (row["bid"][seat, j], row["value"][seat, j], row["price"][j])
            )
            rounds.append(Round(value, bid if bid >= 0 else None, bool(row["gets"][seat, j]), price))
        return rounds


def make_view(
    state: np.ndarray,
    seat: int,
    scenario_text: Any,
    history: tuple[Entry, ...],
    refused: str | None = None,
    reveal: bool = False,
) -> View:
    """Return the view of a seat on a one-row state."""
    return View(visible_row(state, seat, copy_visible, reveal), seat, scenario_text, refused, reveal)
