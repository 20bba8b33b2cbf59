"""Views: everything that one seat may know, and nothing more; see `single_item.view`.

A seat knows the clock's price, whether it is still in, and the price that it has named. With open feedback it also
knows how many seats are in and, in this and all earlier rounds, the prices at which seats left while the clock ran. It
never knows which rivals are in, or which prices they named.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import visible_row
from aucenv.core.state import NOBODY
from aucenv.envs.clock.rules import keep_exits
from aucenv.envs.clock.scenario import DIRECTIONS
from aucenv.envs.single_item.rules import hide_prizes
from aucenv.envs.single_item.values import ALL
from aucenv.envs.single_item.view import Round, ScenarioText, SingleItemView

__all__ = ["Round", "ScenarioText", "View", "copy_visible", "make_view"]


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without the values that are hidden from `seat`."""
    out[0] = state[b]
    g = out[0]
    hide_prizes(g, seat)
    if g["open"] == 0:
        g["still_in"] = 0
    else:
        if g["item"] < g["num_items"]:
            for k in range(g["num_seats"] - g["still_in"]):  # the prices at which seats have left
                g["ranked"][g["item"]][k] = state[b]["ranked"][g["item"]][k]
        if g["reveal"] != ALL:
            for j in range(g["item"]):
                keep_exits(state[b], g, j)
    for s in range(g["num_seats"]):
        if s != seat:
            g["acting"][s] = 0
            g["active"][s] = 0
            g["limit"][s] = NOBODY


@dataclasses.dataclass(frozen=True, slots=True)
class View(SingleItemView):
    """The view of a seat; see SingleItemView."""

    @property
    def direction(self) -> str:
        """The clock's direction, "ascending" or "descending"."""
        return DIRECTIONS[self._get("falling")]

    @property
    def price(self) -> float | None:
        """The clock's price in dollars; None once the game is over."""
        return None if self.value is None else to_dollars(self._get("price_now"))

    @property
    def tick_number(self) -> int:
        """The clock's tick, from 0."""
        return self._get("round")

    @property
    def in_(self) -> bool:
        """Whether the seat is still in."""
        return self.value is not None and bool(self._get_seat_value("active"))

    @property
    def limit(self) -> float | None:
        """The price that the seat has named in this round, in dollars; None if there is none."""
        limit = self._get_seat_value("limit")
        return to_dollars(limit) if limit != NOBODY and self.value is not None else None

    @property
    def still_in(self) -> int | None:
        """The number of seats that are still in; None if it is hidden, or once the game is over."""
        if self.value is None or not (self._get("open") or self.reveals):
            return None
        return self._get("still_in")

    @property
    def left_at(self) -> list[float] | None:
        """The prices at which seats have left in this round, the highest first; None if they are hidden."""
        if self.still_in is None:
            return None
        num_left = len(self.scenario_text.seats) - self.still_in
        return [to_dollars(int(cents)) for cents in self.row["ranked"][0, self.item_number, :num_left]]

    def round_at(self, j: int) -> Round:
        """Return closed round `j`, from 0, as the seat sees it."""
        played = SingleItemView.round_at(self, j)
        if not self._get("open"):
            return played
        price = int(self.row["price"][0, j])
        ranked = self.row["ranked"][0, j, : len(self.scenario_text.seats)].tolist()
        exits = (cents for cents in ranked if cents >= 0 and (played.bids is None or cents < price))
        return dataclasses.replace(played, exits=tuple(to_dollars(cents) for cents in exits))


def make_view(
    state: np.ndarray,
    seat: int,
    scenario_text: ScenarioText,
    history: tuple[tuple[int, int, int, int], ...],
    refused: str | None = None,
    reveal: bool = False,
) -> View:
    """Return the view of `seat` on a one-row state; with `reveal` nothing is hidden.

    Views do not contain `history`, since no seat learns which rivals left or took the prize.
    """
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text, refused, reveal)
