"""Views: what one seat may know, and the infos.

A View holds a copy of the state without what is hidden from the seat. Rule bidders read that copy, so they cannot cheat
by accident. `rules.State` says who sees what.
"""

from __future__ import annotations

import dataclasses

from aucenv.core.adapters.infos import Infos
from aucenv.core.fields import CURRENT, running
from aucenv.core.state import NOBODY, seat_names
from aucenv.core.views.seat_view import PublicTexts, SeatView, ViewMaker
from aucenv.core.words.money import to_dollars
from aucenv.envs.english.game import EnglishScenario
from aucenv.envs.english.rules import State


@dataclasses.dataclass(frozen=True)
class ScenarioText(PublicTexts):
    """The public texts of a scenario: items by `lot`, bidders by seat."""

    seats: tuple[str, ...]
    names: tuple[str, ...]
    item_ids: tuple[int | str, ...]
    item_names: tuple[str, ...]
    descriptions: tuple[str, ...]

    @classmethod
    def of(cls, scenario: EnglishScenario) -> ScenarioText:
        """Return the texts of a scenario."""
        return cls(
            seats=tuple(seat_names(len(scenario.bidders))),
            names=tuple(bidder.name for bidder in scenario.bidders),
            item_ids=tuple(item.id for item in scenario.items),
            item_names=tuple(item.name for item in scenario.items),
            descriptions=tuple(item.description for item in scenario.items),
        )


@dataclasses.dataclass(frozen=True)
class ItemView:
    """An item as a seat sees it; amounts in dollars.

    Attributes:
        estimate: the seat's estimate of the true value.
        sold: whether the item has been sold; until then winner, hammer_price and true_value are None.
    """

    id: int | str
    name: str
    description: str
    starting_price: float
    estimate: float
    sold: bool
    winner: str | None
    hammer_price: float | None
    true_value: float | None


@dataclasses.dataclass(frozen=True)
class Bid:
    """One seat's action in a closed round; `amount` in dollars, None = it withdrew."""

    item: int
    round: int
    seat: str
    amount: float | None


class View(SeatView):
    """The view of a seat; see SeatView."""

    KEEPS_HISTORY = True

    round = State.round.now("The round of the current item, from 0.")
    starting_price = State.price.now("The current item's starting price after discounts, in dollars.")
    increment = State.increment.now("The least raise over the standing bid, as a share of the current starting price.")
    least_raise = State.raise_by.now("The least raise over the standing bid, in dollars.")
    discounts_possible = State.discount.now("Whether a starting price that receives no bid is halved.")
    asks_broke = State.ask_broke.now("Whether bidders that cannot pay the least legal bid have a decision, too.")
    standing_bid = State.standing.now("The standing bid in dollars; None if there is none.").where(
        State.leader.now().is_set()
    )
    leader = State.leader.now("The seat that holds the standing bid; None if there is none.")
    least_bid = State.least.now("The least legal bid in dollars; None once the game is over.").where(running)
    budget = State.budget.of_seat("The seat's remaining budget, in dollars.")
    endowment = State.endowment.of_seat("The seat's budget at the start, in dollars.")
    budgets = State.budget.by_seat("The remaining budget of each seat, in dollars.")
    profits = State.profit.by_seat("The profit of each seat so far, in dollars.")
    objectives = State.objective.by_seat('The objective of each seat, "profit", "items" or "item" (that in `targets`).')
    targets = State.target.by_seat(
        'The name of each seat\'s target item; None for seats with another objective than "item".'
    )
    active = State.active.by_seat("Whether each seat is still active, as it has not withdrawn from the current item.")

    @property
    def items(self) -> list[ItemView]:
        """All items in the auction's order."""
        return [self._item(j) for j in range(self._get("num_items"))]

    @property
    def item(self) -> ItemView | None:
        """The current item; None once all items are closed."""
        return self._item(self.item_number) if self.item_number < self._get("num_items") else None

    @property
    def estimate(self) -> float | None:
        """The seat's estimate of the current item's true value, in dollars."""
        return self.item.estimate if self.item else None

    @property
    def history(self) -> list[Bid]:
        """Every bid and withdrawal of the closed rounds, in order."""
        seats = self.scenario_text.seats
        return [
            Bid(item, round_, seats[seat], to_dollars(amount) if amount >= 0 else None)
            for item, round_, seat, amount in self._history
        ]

    def _item(self, j: int) -> ItemView:
        row, lot = self.row[0], self.row["lot"][0, j]
        winner = int(row["winner"][j])
        sold = winner != NOBODY
        return ItemView(
            id=self.scenario_text.item_ids[lot],
            name=self.scenario_text.item_names[lot],
            description=self.scenario_text.descriptions[lot],
            starting_price=to_dollars(int(row["start"][j])),
            estimate=to_dollars(int(row["estimate"][self.seat_number, j])),
            sold=sold,
            winner=self.scenario_text.seats[winner] if sold else None,
            hammer_price=to_dollars(int(row["hammer"][j])) if sold else None,
            true_value=to_dollars(int(row["value"][j])) if sold or self.reveals else None,
        )


make_view = ViewMaker(View, State)
INFOS = Infos(
    item=State.lot.now(at=CURRENT).where(running, number=NOBODY),
    round=View.round,
    standing_bid=View.standing_bid,
    leader=View.leader,
    least_bid=View.least_bid,
    budget=View.budget,
    profit=State.profit.of_seat(),
    items_won=State.won.of_seat(),
)
