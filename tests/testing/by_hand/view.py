"""Views: a seat knows its values up to this round, its bids, and the prices of closed rounds."""

from __future__ import annotations

import dataclasses

from uniform_price.game import UniformPriceScenario
from uniform_price.rules import State

from aucenv.core.adapters.infos import Infos
from aucenv.core.fields import CURRENT, PREVIOUS, running
from aucenv.core.views.seat_view import ScenarioText, SeatView, ViewMaker
from aucenv.core.words.money import to_dollars

__all__ = ["INFOS", "Round", "ScenarioText", "View", "make_view"]


@dataclasses.dataclass(frozen=True)
class Round:
    """A closed round as a seat sees it; amounts in dollars.

    Attributes:
        value: the seat's value of a unit.
        bid: its bid; None if it abstained.
        gets: whether it got a unit.
        price: what every winner paid.
    """

    value: float
    bid: float | None
    gets: bool
    price: float


class View(SeatView):
    """The view of a seat; see SeatView. `item_number` is the round, from 0."""

    value = State.value.of_seat(
        "The seat's value of a unit in this round, in dollars; None once the game is over.", CURRENT
    ).where(running)
    profit = State.profit.of_seat("The seat's profit so far, in dollars.")
    won = State.won.of_seat("The units that the seat has won.")

    @property
    def scenario(self) -> UniformPriceScenario:
        """The scenario."""
        return self.scenario_text.scenario

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


make_view = ViewMaker(View, State)
is_later = State.item.now().at_least(1)
INFOS = Infos(
    round=State.item.now().plus(1).where(running),
    value=View.value,
    last_price=State.price.now(at=PREVIOUS).where(is_later),
    last_won=State.gets.of_seat(at=PREVIOUS).where(is_later),
    profit=View.profit,
    units_won=State.won.of_seat(),
)
