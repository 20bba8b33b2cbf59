"""Views: what one seat may know, and the infos; see `single_item.view`.

A seat knows the clock's price, whether it is still in, and the price that it has named. With open feedback it also
knows how many seats are in and, in this and all earlier rounds, the prices at which seats left while the clock ran. It
never knows which rivals are in, or which prices they named.
"""

from __future__ import annotations

import dataclasses

from aucenv.core.adapters.infos import Infos
from aucenv.core.fields import running
from aucenv.core.state import NOBODY
from aucenv.core.views.seat_view import ViewMaker
from aucenv.core.words.money import to_dollars
from aucenv.envs.clock.rules import State, hide
from aucenv.envs.single_item.view import PRIZE_INFOS, Round, ScenarioText, SingleItemView

__all__ = ["INFOS", "Round", "ScenarioText", "View", "make_view"]


class View(SingleItemView):
    """The view of a seat; see SingleItemView."""

    direction = State.falling.now('The clock\'s direction, "ascending" or "descending".')
    price = State.price_now.now("The clock's price in dollars; None once the game is over.").where(running)
    tick_number = State.round.now("The clock's tick, from 0.")
    in_ = (running & State.active.of_seat()).documented("Whether the seat is still in.")
    limit = State.limit.of_seat(
        "The price that the seat has named in this round, in dollars; None if there is none."
    ).where(running & State.limit.of_seat().is_set(), number=-1)

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


make_view = ViewMaker(View, State, hide)
INFOS = Infos(
    price=View.price,
    tick=View.tick_number,
    still_in=State.still_in.now().where(running & State.open.now(), number=NOBODY),
    **{"in": View.in_},
    named=View.limit,
    **PRIZE_INFOS,
)
