"""Views: what one seat may know, and the infos; see `single_item.view`."""

from __future__ import annotations

from aucenv.core.adapters.infos import Infos
from aucenv.core.views.seat_view import ViewMaker
from aucenv.core.words.money import to_dollars
from aucenv.envs.sealed_bid.rules import FIRST, State
from aucenv.envs.single_item.view import PRIZE_INFOS, Round, ScenarioText, SingleItemView

__all__ = ["INFOS", "Round", "ScenarioText", "View", "make_view"]


class View(SingleItemView):
    """The view of a seat; see SingleItemView."""

    pricing = State.pricing.now('The pricing, "first", "second", "third" or "all_pay".')

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


make_view = ViewMaker(View, State)
INFOS = Infos(**PRIZE_INFOS)
