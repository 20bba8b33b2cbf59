"""Views: a seat knows its values up to this round, its bids, and the prices of closed rounds."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from uniform_price.rules import hide
from uniform_price.scenario import UniformPriceScenario

from aucenv.core.history import Entry
from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import SeatView, visible_row
from aucenv.core.state import RUNNING, seat_names


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without what is hidden from `seat`."""
    out[0] = state[b]
    hide(out[0], seat)


@dataclasses.dataclass(frozen=True)
class ScenarioText:
    """The public texts of a scenario."""

    seats: tuple[str, ...]
    names: tuple[str, ...]
    scenario: UniformPriceScenario

    @classmethod
    def of(cls, scenario: UniformPriceScenario) -> ScenarioText:
        return cls(tuple(seat_names(scenario.num_bidders)), scenario.bidders, scenario)


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
    def scenario(self) -> UniformPriceScenario:
        return self.scenario_text.scenario

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
    def units_won(self) -> int:
        return self._get_seat_value("won")

    @property
    def history(self) -> list[Round]:
        """The closed rounds."""
        return [self.round_of(self.seat_number, j) for j in range(self.item_number)]

    def round_of(self, seat: int, j: int) -> Round:
        """Return closed round `j` as a seat sees it."""
        row = self.row[0]
        bid = int(row["bid"][seat, j])
        value, price = to_dollars(int(row["value"][seat, j])), to_dollars(int(row["price"][j]))
        return Round(value, to_dollars(bid) if bid >= 0 else None, bool(row["gets"][seat, j]), price)


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
