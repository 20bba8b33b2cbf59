"""What a seat may know in every game that sells one prize a round.

Private: own values (signals) up to this round, own bids, profits and wins. Told after a round, as `reveal` says: all
bids sorted and without names, the winner's profit and, in cv, what the prize was worth (its winner can tell in any
case); the price; or nothing. Hidden from all: who won, other seats' values, the common part in apv, all that later
rounds bring.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from aucenv.core.money import CURRENCIES, to_dollars
from aucenv.core.seat_view import SeatView
from aucenv.core.state import NOBODY, RUNNING, seat_names
from aucenv.envs.single_item.values import MODELS, REVEALS, SingleItemScenario


@dataclasses.dataclass(frozen=True)
class ScenarioText:
    """The words of a scenario that everybody may read; bidders by seat."""

    seats: tuple[str, ...]
    names: tuple[str, ...]
    scenario: Any

    @classmethod
    def of(cls, scenario: SingleItemScenario) -> ScenarioText:
        return cls(tuple(seat_names(scenario.num_bidders)), scenario.bidders, scenario)

    @property
    def sign(self) -> str:
        """Of the currency."""
        return CURRENCIES[self.scenario.currency]


@dataclasses.dataclass(frozen=True)
class Round:
    """What a seat knows of a closed round; dollars. None: it is not told, or there is none.

    Attributes:
        value: what the prize was worth to the seat; in cv, its signal.
        bid: the seat's; None = it abstained, or never named or reached a price on the clock.
        paid: by the seat.
        price: what the winner paid; None where it is not told or nobody won.
        bids: all of them, the highest first.
        winner_profit: also of another's win.
        prize_value: what the prize was worth, in cv; who has won it can tell.
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


@dataclasses.dataclass(frozen=True, slots=True)
class SingleItemView(SeatView):
    """What `seat` knows now; see SeatView. `item_number` is the game's round."""

    @property
    def scenario(self) -> Any:
        """The rules, which everybody knows."""
        return self.scenario_text.scenario

    @property
    def num_rounds(self) -> int:
        return self._get("num_items")

    @property
    def values(self) -> str:
        """One of "ipv", "apv", "cv"."""
        return MODELS[self._get("model")]

    @property
    def reveal(self) -> str:
        """What is told after a round: "all", "price" or "none"."""
        return REVEALS[self._get("reveal")]

    @property
    def value(self) -> float | None:
        """What this round's prize is worth to the seat; in cv, its signal. None once the game is over."""
        if self._get("status") != RUNNING:
            return None
        return to_dollars(int(self.row["value"][0, self.seat_number, self.item_number]))

    @property
    def profit(self) -> float:
        """The seat's profit so far."""
        return to_dollars(self._own("profit"))

    @property
    def prizes_won(self) -> int:
        return self._own("won")

    @property
    def history(self) -> list[Round]:
        """What the seat knows of every closed round, in order."""
        return [self.round_at(j) for j in range(self.item_number)]

    @property
    def all_pay(self) -> bool:
        """Whether everybody pays the own bid."""
        return False

    def round_at(self, j: int) -> Round:
        """What the seat knows of closed round `j`."""
        row, seat = self.row[0], self.seat_number
        bid, price = int(row["bid"][seat, j]), int(row["price"][j])
        won, sold = int(row["winner"][j]) == seat, price != NOBODY
        tells_all = self.reveal == "all" or self.reveals
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
            bids=tuple(to_dollars(cents) for cents in ranked if cents >= 0) if tells_all else None,
            winner_profit=surplus if won or (tells_all and sold) else None,
            prize_value=to_dollars(int(row["common"][j])) if self.values == "cv" and (tells_all or won) else None,
        )
