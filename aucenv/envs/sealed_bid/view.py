"""Everything that one seat may know, and nothing more.

Private: own values (signals) up to this round, own bids, profits and wins. Told after a round, as `reveal` says: all
bids sorted and without names, the winner's profit and, in cv, what the prize was worth; the price; or nothing. Hidden
from all: who won, other seats' values, the common part in apv, all that later rounds bring.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import CURRENCIES, to_dollars
from aucenv.core.state import NOBODY, RUNNING, STATUS_NAMES, WITHDRAW
from aucenv.envs.sealed_bid.rules import ALL, FIRST, NONE, PRICINGS, REVEALS
from aucenv.envs.sealed_bid.scenario import Scenario
from aucenv.envs.values import CV, MODELS


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without what `seat` may not know."""
    out[0] = state[b]
    g = out[0]
    g["key"] = 0
    g["forced_tie"] = NOBODY
    now = g["item"]
    seats = g["num_seats"]
    for j in range(g["num_items"]):
        own = g["winner"][j] == seat
        if j >= now or g["reveal"] != ALL or g["model"] != CV:
            g["common"][j] = 0
        if not own:
            g["winner"][j] = NOBODY
            if g["reveal"] == NONE:
                g["price"][j] = NOBODY
            if g["reveal"] != ALL:
                g["surplus"][j] = 0
        if j > now:
            g["value"][seat][j] = 0
        for k in range(seats):
            if g["reveal"] != ALL:
                g["ranked"][j][k] = 0
            if k != seat:
                g["value"][k][j] = 0
                g["bid"][k][j] = 0
    for s in range(seats):
        if s != seat:
            g["seat_key"][s] = 0
            g["gain"][s] = 0
            g["profit"][s] = 0
            g["won"][s] = 0


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The words of a scenario that everybody may read; bidders by seat."""

    seats: tuple[str, ...]
    names: tuple[str, ...]
    scenario: Scenario

    @classmethod
    def of(cls, scenario: Scenario) -> Catalogue:
        return cls(tuple(f"bidder_{seat}" for seat in range(scenario.num_bidders)), scenario.bidders, scenario)

    @property
    def sign(self) -> str:
        """Of the currency."""
        return CURRENCIES[self.scenario.currency]


@dataclasses.dataclass(frozen=True)
class Round:
    """What a seat knows of a closed round; dollars. None: it is not told, or there is none.

    Attributes:
        value: what the prize was worth to the seat; in cv, its signal.
        bid: the seat's, None = it abstained.
        paid: by the seat.
        price: what the winner paid; None where it is not told or nobody won.
        bids: all of them, the highest first.
        winner_profit: also of another's win.
        prize_value: what the prize was worth, in cv.
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
class View:
    """What `seat` knows now. Amounts are dollars; seats are named `bidder_0`, ...

    Attributes:
        row: (1,) array of the state's dtype, without what the seat may not know.
        seat_number: the seat, from 0.
        refused: why the seat's last answer was refused, if it is being asked again.
        reveals: whether nothing is hidden.
    """

    row: np.ndarray
    seat_number: int
    catalogue: Catalogue
    refused: str | None
    reveals: bool

    def _get(self, field: str) -> int:
        return int(self.row[field][0])

    def _own(self, field: str) -> int:
        return int(self.row[field][0, self.seat_number])

    @property
    def seat(self) -> str:
        return self.catalogue.seats[self.seat_number]

    @property
    def name(self) -> str:
        """The name people see."""
        return self.catalogue.names[self.seat_number]

    @property
    def status(self) -> str:
        """One of "running", "terminated", "truncated"."""
        return STATUS_NAMES[self._get("status")]

    @property
    def scenario(self) -> Scenario:
        """The rules, which everybody knows."""
        return self.catalogue.scenario

    @property
    def item_number(self) -> int:
        """The round, from 0; the number of rounds once all are through."""
        return self._get("item")

    @property
    def num_rounds(self) -> int:
        return self._get("num_items")

    @property
    def pricing(self) -> str:
        return PRICINGS[self._get("pricing")]

    @property
    def values(self) -> str:
        """ "ipv", "apv" or "cv"."""
        return MODELS[self._get("model")]

    @property
    def reveal(self) -> str:
        return REVEALS[self._get("reveal")]

    @property
    def must_decide(self) -> bool:
        """Whether the seat has a decision in this round."""
        return bool(self._own("acting"))

    @property
    def value(self) -> float | None:
        """What this round's prize is worth to the seat; in cv, its signal. None once all rounds are through."""
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

    def round_at(self, j: int) -> Round:
        """What the seat knows of closed round `j`."""
        row, seat = self.row[0], self.seat_number
        bid, price = int(row["bid"][seat, j]), int(row["price"][j])
        won = int(row["winner"][j]) == seat
        all_pay = self.pricing == "all_pay"
        tells_all = self.reveal == "all" or self.reveals
        ranked = [int(cents) for cents in row["ranked"][j, : len(self.catalogue.seats)]]
        sold = price != NOBODY
        paid = max(0, bid) if all_pay else price if won else 0
        worth = int(row["common"][j]) if self.values == "cv" else int(row["value"][seat, j])
        profit = int(row["surplus"][j]) if won else -paid
        assert self.values == "cv" or not won or profit == worth - paid
        return Round(
            number=j,
            value=to_dollars(int(row["value"][seat, j])),
            bid=to_dollars(bid) if bid != WITHDRAW else None,
            won=won,
            paid=to_dollars(paid),
            profit=to_dollars(profit),
            price=to_dollars(price) if sold else None,
            bids=tuple(to_dollars(cents) for cents in ranked if cents >= 0) if tells_all else None,
            winner_profit=to_dollars(int(row["surplus"][j])) if won or (tells_all and sold) else None,
            prize_value=to_dollars(worth) if self.values == "cv" and tells_all else None,
        )

    def preferred_bid(self, j: int) -> float | None:
        """What the winner of closed round `j` would rather have bid: the least that still wins. First price, all told.

        Source: Synthetic Labs, arXiv 2507.09083: the second-highest bid and a step.
        """
        rivals = self.round_at(j).bids
        if self._get("pricing") != FIRST or rivals is None or len(rivals) < 2:
            return None
        return to_dollars(round(rivals[1] * 100) + self._get("step"))


def look(
    state: np.ndarray,
    seat: int,
    catalogue: Catalogue,
    history: tuple[tuple[int, int, int, int], ...],
    refused: str | None = None,
    reveal: bool = False,
) -> View:
    """The view of `seat` on a one-row state; with `reveal` nothing is hidden from it. Nobody is told who bid what."""
    row: np.ndarray = np.ndarray(1, state.dtype, bytearray(state.nbytes))  # np.empty takes 2 us for such a dtype
    if reveal:
        row[0] = state[0]
    else:
        copy_visible(state, 0, seat, row)
    return View(row, seat, catalogue, refused, reveal)
