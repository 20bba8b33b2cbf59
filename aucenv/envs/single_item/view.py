"""Views of sealed-bid and clock auctions: what one seat may know.

Private: the seat's values (signals) up to this round, its bids, profits and wins. Revealed after a round, depending on
`reveal`: all bids, sorted and without names, the winner's profit and, with cv, the prize's value (which its winner can
infer in any case); the price; or nothing. Hidden: the winner's name, other seats' values, the common part of apv, and
everything about later rounds.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from aucenv.core.fields import CURRENT, PREVIOUS, running
from aucenv.core.state import NOBODY
from aucenv.core.views import seat_view
from aucenv.core.views.projections import Projection
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.money import CURRENCIES, to_dollars
from aucenv.envs.single_item.rules import PrizeState
from aucenv.envs.single_item.values import REVEAL_NONE


class ScenarioText(seat_view.ScenarioText):
    """The public texts of a scenario: bidders by seat."""

    @property
    def sign(self) -> str:
        """The sign of the scenario's currency."""
        return CURRENCIES[self.scenario.currency]


@dataclasses.dataclass(frozen=True)
class Round:
    """A closed round as a seat sees it; amounts in dollars. None means hidden from the seat, or that there is no value.

    Attributes:
        number: the round, from 0.
        value: the prize's value to the seat; with cv, the seat's signal.
        bid: the seat's bid; None if it abstained, or on a clock if it neither left nor took the prize.
        won: whether the seat won the prize.
        paid: the seat's payment.
        profit: the seat's profit.
        price: the winner's payment; None if it is hidden or the prize was not sold.
        bids: all bids, the highest first.
        winner_profit: the winner's profit, whichever seat won.
        prize_value: with cv, the prize's value.
        exits: on an open clock, the prices at which seats left before the clock stopped, the highest first.
    """

    number: int
    value: float
    bid: float | None
    won: bool
    paid: float
    profit: float
    price: float | None
    bids: tuple[float, ...] | None
    winner_profit: float | None
    prize_value: float | None
    exits: tuple[float, ...] | None = None


class SingleItemView(SeatView):
    """The view of a seat; see SeatView. `item_number` is the game's round, from 0."""

    @property
    def scenario(self) -> Any:
        """The scenario, which is public."""
        return self.scenario_text.scenario

    num_rounds = PrizeState.num_items.now("The number of rounds of the game.")
    values = PrizeState.model.now('The value model, "ipv", "apv" or "cv".')
    reveal = PrizeState.reveal.now('The results that are revealed after a round, "all", "price" or "none".')
    value = PrizeState.value.of_seat(
        "The seat's value of this round's prize, in dollars; with cv, its signal. None once the game is over.", CURRENT
    ).where(running)
    profit = PrizeState.profit.of_seat("The seat's profit so far, in dollars.")
    prizes_won = PrizeState.won.of_seat("The number of prizes that the seat has won.")

    @property
    def history(self) -> list[Round]:
        """Every closed round as the seat sees it, in order."""
        return [self.round_at(j) for j in range(self.item_number)]

    @property
    def all_pay(self) -> bool:
        """Whether every seat pays its bid."""
        return False

    def round_at(self, j: int) -> Round:
        """Return closed round `j`, from 0, as the seat sees it."""
        row, seat = self.row[0], self.seat_number
        bid, price = int(row["bid"][seat, j]), int(row["price"][j])
        won, sold = int(row["winner"][j]) == seat, price != NOBODY
        reveals_all = self.reveal == "all" or self.reveals
        ranked = [int(cents) for cents in row["ranked"][j, : len(self.scenario_text.seats)]]
        paid = max(0, bid) if self.all_pay else price if won else 0
        surplus = to_dollars(int(row["surplus"][j]))
        return Round(
            number=j,
            value=to_dollars(int(row["value"][seat, j])),
            bid=to_dollars(bid) if bid >= 0 else None,
            won=won,
            paid=to_dollars(paid),
            profit=surplus if won else to_dollars(-paid),
            price=to_dollars(price) if sold else None,
            bids=tuple(to_dollars(cents) for cents in ranked if cents >= 0) if reveals_all else None,
            winner_profit=surplus if won or (reveals_all and sold) else None,
            prize_value=to_dollars(int(row["common"][j])) if self.values == "cv" and (reveals_all or won) else None,
        )


is_later = PrizeState.item.now().at_least(1)
won_last = is_later & PrizeState.winner.now(at=PREVIOUS).is_seat()
last_price = PrizeState.price.now(at=PREVIOUS)
is_revealed = is_later & ~PrizeState.reveal.now().equals(REVEAL_NONE) & last_price.is_set()
PRIZE_INFOS: dict[str, Projection[Any]] = {
    "round": PrizeState.item.now(),
    "value": SingleItemView.value,
    "last_won": won_last.where(is_later),
    "last_paid": last_price.where(won_last, PrizeState.gain.of_seat().negated()).where(is_later),
    "last_price": last_price.where(is_revealed | won_last),
    "last_profit": PrizeState.gain.of_seat().where(is_later),
    "profit": SingleItemView.profit,
    "prizes_won": SingleItemView.prizes_won,
}
"""The infos of all games with one prize a round."""
