"""Everything that one seat may know, and nothing more: see `prizes.view`."""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import visible_row
from aucenv.envs.sealed_bid.rules import FIRST, PRICINGS
from aucenv.envs.single_item.rules import hide_prizes
from aucenv.envs.single_item.view import Round, ScenarioText, SingleItemView

__all__ = ["Round", "ScenarioText", "View", "copy_visible", "make_view"]


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without what `seat` may not know."""
    out[0] = state[b]
    hide_prizes(out[0], seat)


@dataclasses.dataclass(frozen=True, slots=True)
class View(SingleItemView):
    """What `seat` knows now; see PrizeView."""

    @property
    def pricing(self) -> str:
        """One of "first", "second", "third", "all_pay"."""
        return PRICINGS[self._get("pricing")]

    @property
    def all_pay(self) -> bool:
        return self.pricing == "all_pay"

    def preferred_bid(self, j: int) -> float | None:
        """What the winner of closed round `j` would rather have bid: the least that wins. First price, all told.

        Source: Synthetic Labs, arXiv 2507.09083: the second-highest bid and a step; here at least the reserve, at most
        the cap.
        """
        played = self.round_at(j)
        if self._get("pricing") != FIRST or played.bids is None or played.price is None:
            return None
        step = self._get("step")
        least = round(played.bids[1] * 100) + step if len(played.bids) > 1 else 0
        least = max(least, -(-self._get("reserve") // step) * step)
        return to_dollars(min(least, self._get("cap")))


def make_view(
    state: np.ndarray,
    seat: int,
    scenario_text: ScenarioText,
    history: tuple[tuple[int, int, int, int], ...],
    refused: str | None = None,
    reveal: bool = False,
) -> View:
    """The view of `seat` on a one-row state; with `reveal` nothing is hidden from it. Nobody is told who bid what."""
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text, refused, reveal)
