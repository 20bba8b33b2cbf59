"""Views: everything that one seat may know, and nothing more; see `single_item.view`."""

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
    """Copy row `b` into the one row of `out`, without the values that are hidden from `seat`."""
    out[0] = state[b]
    hide_prizes(out[0], seat)


@dataclasses.dataclass(frozen=True, slots=True)
class View(SingleItemView):
    """The view of a seat; see SingleItemView."""

    @property
    def pricing(self) -> str:
        """The pricing, "first", "second", "third" or "all_pay"."""
        return PRICINGS[self._get("pricing")]

    @property
    def all_pay(self) -> bool:
        return self.pricing == "all_pay"

    def preferred_bid(self, j: int) -> float | None:
        """Return the least bid with which the winner of closed round `j` would have won, in dollars.

        It is None unless the pricing is "first" and all bids are revealed. Source: Synthetic Labs, arXiv 2507.09083:
        the second-highest bid plus one step; here at least the reserve and at most the cap.
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
    """Return the view of `seat` on a one-row state; with `reveal` nothing is hidden.

    Views do not contain `history`, since no seat learns the names of other bids' bidders.
    """
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text, refused, reveal)
