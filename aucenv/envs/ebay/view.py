"""Views: what one seat may know, and the infos; see `single_item.view`.

All seats see the days, the order of the day (on the last day only that of the moves so far), and of each move the day,
the seat, whether it raised its maximum, the price and the leader. How long a soft close lasts is hidden from all.
"""

from __future__ import annotations

import dataclasses

from aucenv.core.adapters.infos import Infos
from aucenv.core.fields import running
from aucenv.core.records.record_parts import values_of
from aucenv.core.state import NOBODY
from aucenv.core.views.seat_view import ViewMaker
from aucenv.core.words.money import to_dollars
from aucenv.envs.ebay.game import EbayScenario
from aucenv.envs.ebay.rules import State
from aucenv.envs.single_item import view as single_item
from aucenv.envs.single_item.view import PRIZE_INFOS, SingleItemView

__all__ = ["INFOS", "Move", "Round", "ScenarioText", "View", "make_view"]


@dataclasses.dataclass(frozen=True)
class ScenarioText(single_item.ScenarioText):
    """The public texts of a scenario, whose reserve is hidden.

    Attributes:
        has_reserve: whether there is a hidden reserve.
    """

    has_reserve: bool = False

    @classmethod
    def of(cls, scenario: EbayScenario) -> ScenarioText:
        """Return the texts of a scenario; that of the texts has the reserve 0."""
        text = super().of(dataclasses.replace(scenario, reserve=0))
        return dataclasses.replace(text, has_reserve=scenario.reserve > 0)


@dataclasses.dataclass(frozen=True)
class Round(single_item.Round):
    """A closed auction as a seat sees it: see `single_item.view.Round`. `bids` are the final maxima.

    Attributes:
        leader: the seat that led at the end, whether or not the prize was sold; None if nobody has bid.
        days: the number of days, with those added.
    """

    leader: str | None = None
    days: int = 0


@dataclasses.dataclass(frozen=True)
class Move:
    """A move as all seats see it.

    Attributes:
        day: the day, from 0.
        seat: the seat that moved, such as "bidder_0".
        raised: whether it raised its maximum; otherwise it held.
        price: the price after the move, in dollars.
        leader: the seat that led after the move; None before the first bid.
    """

    day: int
    seat: str
    raised: bool
    price: float
    leader: str | None


class View(SingleItemView):
    """The view of a seat; see SingleItemView. `item_number` is the game's auction, from 0."""

    price = State.price_now.now("The price in dollars; None once the game is over.").where(running)
    maximum = State.maximum.of_seat(
        "The seat's own maximum in this auction, in dollars; None if it has not bid, or once the game is over."
    ).where(running & State.maximum.of_seat().is_set(), number=-1)
    leader = State.leader.now("The seat with the highest maximum; None before the first bid.")
    day = State.day.now("The day of the auction, from 0.")
    days_left = (
        State.days_now.now("The number of days after this one, with those added so far.")
        .plus(State.day.now().negated())
        .plus(-1)
    )

    @property
    def is_last_day(self) -> bool:
        """Whether this is the last day, on which no order is announced."""
        return self.days_left == 0

    @property
    def order(self) -> list[str] | None:
        """The seats in the order in which they move on this day; None on the last day."""
        if self.is_last_day and not self.reveals:
            return None
        return [seat for seat in values_of(State.order, self) if seat is not None]

    @property
    def least_raise(self) -> float | None:
        """The least amount that raises the seat's maximum, in dollars; None if there is none in the range."""
        step, price = self._get("step"), self._get("price_now")
        least = max(-(-price // step) * step, self._get_seat_value("maximum") + step if self.maximum is not None else 0)
        return to_dollars(least) if self.value is not None and least <= self._get("cap") else None

    @property
    def moves(self) -> list[Move]:
        """The moves of this auction so far, in order."""
        columns = [values_of(each, self) for each in (State.moved, State.raised, State.price_after, State.leader_after)]
        rows, seats = list(zip(*columns, strict=True))[: self._get("round")], len(self.scenario_text.seats)
        return [Move(number // seats, *move) for number, move in enumerate(rows)]

    def round_at(self, j: int) -> Round:
        """Return closed auction `j`, from 0, as the seat sees it."""
        played = SingleItemView.round_at(self, j)
        shared = {part.name: getattr(played, part.name) for part in dataclasses.fields(played)}
        return Round(**shared, leader=values_of(State.led, self)[j], days=values_of(State.days_run, self)[j])


make_view = ViewMaker(View, State)
INFOS = Infos(
    price=View.price,
    leads=running & View.leader.is_seat(),
    leader=View.leader.where(running, number=NOBODY),
    day=View.day,
    days_left=View.days_left.where(running, 0),
    maximum=View.maximum,
    **PRIZE_INFOS,
)
