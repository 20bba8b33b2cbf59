"""Everything that one seat may know, and nothing more.

A View holds a copy of the state without what the seat may not know (`copy_visible`); rule bidders
read that copy, so that they cannot cheat by accident. Public: the items and their order, starting
prices, budgets, objectives, all bids and withdrawals of closed rounds, winners, hammer prices and, once
the hammer has fallen, true values. Private: estimates. Hidden from all: what makes the estimates wrong.
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
    """Copy row `b` into the one row of `out`, without what `seat` may not know."""
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
    """The words of a scenario that everybody may read; items by `lot`, bidders by seat."""

    seats: tuple[str, ...]
    names: tuple[str, ...]
    item_ids: tuple[int | str, ...]
    item_names: tuple[str, ...]
    descriptions: tuple[str, ...]

    @classmethod
    def of(cls, scenario: Scenario) -> ScenarioText:
        return cls(
            seats=tuple(seat_names(len(scenario.bidders))),
            names=tuple(bidder.name for bidder in scenario.bidders),
            item_ids=tuple(item.id for item in scenario.items),
            item_names=tuple(item.name for item in scenario.items),
            descriptions=tuple(item.description for item in scenario.items),
        )


@dataclasses.dataclass(frozen=True)
class ItemView:
    """One item as a seat sees it; dollars.

    Attributes:
        estimate: the seat's own estimate of the true value.
        sold: whether the hammer has fallen; winner, hammer_price and true_value are None before.
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
    """What one seat did in one closed round; `amount` in dollars, None = it withdrew."""

    item: int
    round: int
    seat: str
    amount: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class View(SeatView):
    """What `seat` knows now; see SeatView."""

    _history: tuple[tuple[int, int, int, int], ...]

    def _per_seat(self, field: str) -> dict[str, int]:
        return dict(zip(self.scenario_text.seats, self.row[field][0].tolist(), strict=False))

    @property
    def round(self) -> int:
        """The current item's round, from 0."""
        return self._get("round")

    @property
    def items(self) -> list[ItemView]:
        """All items in the auction's order."""
        return [self._item(j) for j in range(self._get("num_items"))]

    @property
    def item(self) -> ItemView | None:
        """The current item; None once all are through."""
        return self._item(self.item_number) if self.item_number < self._get("num_items") else None

    @property
    def starting_price(self) -> float:
        """The current item's, after discounts."""
        return to_dollars(self._get("price"))

    @property
    def increment(self) -> float:
        """The share of the current starting price that a bid must add to the standing bid."""
        return self._get("increment") / 1_000_000

    @property
    def least_raise(self) -> float:
        """What a bid must add to the standing bid, dollars."""
        return to_dollars(self._get("raise_by"))

    @property
    def discounts_possible(self) -> bool:
        """Whether a starting price that brings no bid is halved."""
        return bool(self._get("discount"))

    @property
    def standing_bid(self) -> float | None:
        return to_dollars(self._get("standing")) if self._get("leader") != NOBODY else None

    @property
    def leader(self) -> str | None:
        """The seat that holds the standing bid."""
        leader = self._get("leader")
        return self.scenario_text.seats[leader] if leader != NOBODY else None

    @property
    def least_bid(self) -> float | None:
        """The least legal bid; None once the game is over."""
        return to_dollars(self._get("least")) if self._get("status") == RUNNING else None

    @property
    def estimate(self) -> float | None:
        """The seat's estimate of the current item's true value."""
        return self.item.estimate if self.item else None

    @property
    def budget(self) -> float:
        """What is left of the seat's budget."""
        return to_dollars(self._own("budget"))

    @property
    def endowment(self) -> float:
        """The seat's budget at the start."""
        return to_dollars(self._own("endowment"))

    @property
    def budgets(self) -> dict[str, float]:
        return {seat: to_dollars(cents) for seat, cents in self._per_seat("budget").items()}

    @property
    def profits(self) -> dict[str, float]:
        return {seat: to_dollars(cents) for seat, cents in self._per_seat("profit").items()}

    @property
    def objectives(self) -> dict[str, str]:
        """Per seat "profit", "items", or "item": see `targets`."""
        return {seat: OBJECTIVES[code] for seat, code in self._per_seat("objective").items()}

    @property
    def targets(self) -> dict[str, str | None]:
        """The name of the one item that a seat is after; None where it has another objective."""
        names = self.scenario_text.item_names
        return {seat: names[lot] if lot != NOBODY else None for seat, lot in self._per_seat("target").items()}

    @property
    def active(self) -> dict[str, bool]:
        """Who has not withdrawn from the current item."""
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
    """The view of `seat` on a one-row state; with `reveal` nothing is hidden from it."""
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text, refused, reveal, history)
