"""Everything that one seat may know, and nothing more: see `prizes.view`.

On the clock: the price, whether the seat is in and what it has named; with open feedback how many are still in, and at
which prices seats have left. Who is in, and what others have named, is hidden from all.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import visible_row
from aucenv.core.state import NOBODY
from aucenv.envs.clock.scenario import DIRECTIONS
from aucenv.envs.single_item.rules import hide_prizes
from aucenv.envs.single_item.view import Round, ScenarioText, SingleItemView

__all__ = ["Round", "ScenarioText", "View", "copy_visible", "make_view"]


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without what `seat` may not know."""
    out[0] = state[b]
    g = out[0]
    hide_prizes(g, seat)
    if g["open"] == 0:
        g["still_in"] = 0
    elif g["item"] < g["num_items"]:
        for k in range(g["num_seats"] - g["still_in"]):  # at which prices seats have left
            g["ranked"][g["item"]][k] = state[b]["ranked"][g["item"]][k]
    for s in range(g["num_seats"]):
        if s != seat:
            g["acting"][s] = 0
            g["active"][s] = 0
            g["limit"][s] = NOBODY


@dataclasses.dataclass(frozen=True, slots=True)
class View(SingleItemView):
    """What `seat` knows now; see PrizeView."""

    @property
    def direction(self) -> str:
        """One of "ascending", "descending"."""
        return DIRECTIONS[self._get("falling")]

    @property
    def price(self) -> float | None:
        """The clock's; None once the game is over."""
        return None if self.value is None else to_dollars(self._get("price_now"))

    @property
    def tick_number(self) -> int:
        """Of the clock, from 0."""
        return self._get("round")

    @property
    def in_(self) -> bool:
        """Whether the seat has not left."""
        return self.value is not None and bool(self._own("active"))

    @property
    def limit(self) -> float | None:
        """The price that the seat has named in this round."""
        limit = self._own("limit")
        return to_dollars(limit) if limit != NOBODY and self.value is not None else None

    @property
    def still_in(self) -> int | None:
        """How many seats are in; None where it is not told, or the game is over."""
        if self.value is None or not (self._get("open") or self.reveals):
            return None
        return self._get("still_in")

    @property
    def left_at(self) -> list[float] | None:
        """The prices at which seats have left in this round, the highest first; None where it is not told."""
        if self.still_in is None:
            return None
        gone = len(self.scenario_text.seats) - self.still_in
        return [to_dollars(int(cents)) for cents in self.row["ranked"][0, self.item_number, :gone]]


def make_view(
    state: np.ndarray,
    seat: int,
    scenario_text: ScenarioText,
    history: tuple[tuple[int, int, int, int], ...],
    refused: str | None = None,
    reveal: bool = False,
) -> View:
    """The view of `seat` on a one-row state; with `reveal` nothing is hidden from it. Nobody is told who did what."""
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text, refused, reveal)
