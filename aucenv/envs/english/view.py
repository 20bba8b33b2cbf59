"""Views: everything that one seat may know, and nothing more.

A View holds a copy of the state without the values that are hidden from the seat (`copy_visible`). Rule bidders read
that copy, so they cannot cheat by accident. Public: the items and their order, starting prices, budgets, objectives,
all bids and withdrawals of closed rounds, winners, hammer prices, and the true values of sold items. Private:
estimates. Hidden from all seats: the biases and errors of the estimates.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import SeatView, visible_row
from aucenv.core.state import NOBODY, RUNNING, seat_names
from aucenv.envs.english.scenario import OBJECTIVES, Scenario


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without the values that are hidden from `seat`."""
    out[0] = state[b]
    g = out[0]
    g["key"] = 0
    g["forced_tie"] = NOBODY
    for j in range(g["num_items"]):
        if g["winner"][j] == NOBODY:
            g["value"][j] = 0
    for s in range(g["num_seats"]):
        g["bias"][s] = 0
        g["noise"][s] = 0
        if s != seat:
            g["seat_key"][s] = 0
            for j in range(g["num_items"]):
                g["estimate"][s][j] = 0


@dataclasses.dataclass(frozen=True)
class ScenarioText:
    """The public texts of a scenario: items by `lot`, bidders by seat."""

    seats: tuple[str, ...]
    names: tuple[str, ...]
    item_ids: tuple[int | str, ...]
    item_names: tuple[str, ...]
    descriptions: tuple[str, ...]

    @classmethod
    def of(cls, scenario: Scenario) -> ScenarioText:
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


@dataclasses.dataclass(frozen=True, slots=True)
class View(SeatView):
    """The view of a seat; see SeatView."""

    _history: tuple[tuple[int, int, int, int], ...]

    def _per_seat(self, field: str) -> dict[str, int]:
        return dict(zip(self.scenario_text.seats, self.row[field][0].tolist(), strict=False))

    @property
    def round(self) -> int:
        """The round of the current item, from 0."""
        return self._get("round")

    @property
    def items(self) -> list[ItemView]:
        """All items in the auction's order."""
        return [self._item(j) for j in range(self._get("num_items"))]

    @property
    def item(self) -> ItemView | None:
        """The current item; None once all items are closed."""
        return self._item(self.item_number) if self.item_number < self._get("num_items") else None

    @property
    def starting_price(self) -> float:
        """The current item's starting price after discounts, in dollars."""
        return to_dollars(self._get("price"))

    @property
    def increment(self) -> float:
        """The least raise over the standing bid, as a share of the current starting price."""
        return self._get("increment") / 1_000_000

    @property
    def least_raise(self) -> float:
        """The least raise over the standing bid, in dollars."""
        return to_dollars(self._get("raise_by"))

    @property
    def discounts_possible(self) -> bool:
        """Whether a starting price that receives no bid is halved."""
        return bool(self._get("discount"))

    @property
    def asks_broke(self) -> bool:
        """Whether bidders that cannot pay the least legal bid have a decision, too."""
        return bool(self._get("ask_broke"))

    @property
    def standing_bid(self) -> float | None:
        """The standing bid in dollars; None if there is none."""
        return to_dollars(self._get("standing")) if self._get("leader") != NOBODY else None

    @property
    def leader(self) -> str | None:
        """The seat that holds the standing bid; None if there is none."""
        leader = self._get("leader")
        return self.scenario_text.seats[leader] if leader != NOBODY else None

    @property
    def least_bid(self) -> float | None:
        """The least legal bid in dollars; None once the game is over."""
        return to_dollars(self._get("least")) if self._get("status") == RUNNING else None

    @property
    def estimate(self) -> float | None:
        """The seat's estimate of the current item's true value, in dollars."""
        return self.item.estimate if self.item else None

    @property
    def budget(self) -> float:
        """The seat's remaining budget, in dollars."""
        return to_dollars(self._get_seat_value("budget"))

    @property
    def endowment(self) -> float:
        """The seat's budget at the start, in dollars."""
        return to_dollars(self._get_seat_value("endowment"))

    @property
    def budgets(self) -> dict[str, float]:
        """The remaining budget of each seat, in dollars."""
        return {seat: to_dollars(cents) for seat, cents in self._per_seat("budget").items()}

    @property
    def profits(self) -> dict[str, float]:
        """The profit of each seat so far, in dollars."""
        return {seat: to_dollars(cents) for seat, cents in self._per_seat("profit").items()}

    @property
    def objectives(self) -> dict[str, str]:
        """The objective of each seat, "profit", "items" or "item" (the item in `targets`)."""
        return {seat: OBJECTIVES[code] for seat, code in self._per_seat("objective").items()}

    @property
    def targets(self) -> dict[str, str | None]:
        """The name of each seat's target item; None for seats with another objective than "item"."""
        names = self.scenario_text.item_names
        return {seat: names[lot] if lot != NOBODY else None for seat, lot in self._per_seat("target").items()}

    @property
    def active(self) -> dict[str, bool]:
        """Whether each seat is still active, as it has not withdrawn from the current item."""
        return {seat: bool(active) for seat, active in self._per_seat("active").items()}

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


def make_view(
    state: np.ndarray,
    seat: int,
    scenario_text: ScenarioText,
    history: tuple[tuple[int, int, int, int], ...],
    refused: str | None = None,
    reveal: bool = False,
) -> View:
    """Return the view of `seat` on a one-row state; with `reveal` nothing is hidden."""
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text, refused, reveal, history)
