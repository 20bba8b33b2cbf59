"""Scenarios of clock auctions: a frozen dataclass, and named scenarios.

Source: Synthetic Labs, arXiv 2507.09083: ascending clocks, open and blind, with affiliated private values. The other
scenarios are the same clocks with the paper's other value models, and Dutch auctions. All of them reveal the price
after a round; the paper's rules announce what `reveal="all"` reveals.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from aucenv.core.checks import one_of
from aucenv.core.money import to_cents
from aucenv.core.scenarios import MOST_ROUNDS
from aucenv.envs.clock.rules import DIRECTIONS, State
from aucenv.envs.sealed_bid.scenario import SealedBidScenario
from aucenv.envs.single_item.values import PUBLISHED, SingleItemScenario

FEEDBACKS = ("open", "blind")


@dataclasses.dataclass(frozen=True)
class ClockScenario(SingleItemScenario):
    """A clock auction before the deal. `SingleItemScenario` documents the fields shared with sealed-bid auctions.

    Attributes:
        direction: "ascending", or "descending" for the Dutch auction.
        feedback: "open" (all seats see at each tick how many are still in and at which prices seats have left) or
            "blind"; only for ascending clocks.
        lowest_price: the first price of an ascending clock, or the last price of a descending clock, in dollars.
        highest_price: the last price of an ascending clock, or the first price of a descending clock, in dollars.
        tick: the step between two prices, in dollars.
    """

    HIGHEST_BID: ClassVar[str] = "highest_price"

    direction: str = "ascending"
    feedback: str = "open"
    lowest_price: float = 0
    highest_price: float = 99
    tick: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self._at("direction"), self.direction, DIRECTIONS)
        one_of(self._at("feedback"), self.feedback, FEEDBACKS)
        tick = self._cents("tick", 0.01)
        lowest, highest = self._cents("lowest_price", 0), self._cents("highest_price", 0)
        if not lowest < highest:
            raise ValueError(
                f"{self._at('highest_price')}: expected more than lowest_price {self.lowest_price}, "
                f"got {self.highest_price}"
            )
        self._check_divides("tick", tick, "highest_price", highest - lowest)
        if (highest - lowest) // tick > MOST_ROUNDS:
            raise ValueError(f"{self._at('tick')}: expected at most {MOST_ROUNDS:,} ticks, got {self.tick}")

    @property
    def start(self) -> float:
        """The clock's first price, in dollars."""
        return self.lowest_price if self.direction == "ascending" else self.highest_price

    @property
    def end(self) -> float:
        """The clock's last price, in dollars."""
        return self.highest_price if self.direction == "ascending" else self.lowest_price

    @property
    def highest_bid(self) -> float:
        return self.highest_price

    @property
    def solved_as_sealed(self) -> bool:
        """Whether the equilibrium is that of `as_sealed`.

        The equilibria differ if open feedback reveals information about a common value to three or more bidders.
        """
        return not (self.values == "cv" and self.direction == "ascending" and self.feedback == "open") or (
            self.num_bidders == 2
        )

    def as_sealed(self) -> SealedBidScenario:
        """Return the sealed-bid auction with the same outcomes if all seats name their prices at the start.

        An ascending clock is equivalent to a second-price auction, a descending clock to a first-price auction
        (Krishna, Auction Theory, section 1.2). With apv and cv, open feedback gives bidders additional information.
        """
        shared = {part.name: getattr(self, part.name) for part in dataclasses.fields(SingleItemScenario)}
        pricing = "second" if self.direction == "ascending" else "first"
        return SealedBidScenario(
            **shared, pricing=pricing, bid_cap=self.highest_price, bid_step=self.tick, reserve=self.lowest_price
        )

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = np.zeros(1, State.dtype(seat=self.num_bidders, item=self.num_rounds))
        row = template[0]
        self.write_constants(row)
        row["falling"] = self.direction == "descending"
        row["open"] = self.feedback == "open" and self.direction == "ascending"
        row["start"], row["end"], row["tick"] = (to_cents(price) for price in (self.start, self.end, self.tick))
        return template


Scenario = ClockScenario
"""The scenario class, under the name that all games share."""


def _setting(name: str, values: str, **fields: Any) -> ClockScenario:
    return ClockScenario(name, reveal="price", **{**ClockScenario.published(values), **fields})


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(_setting(f"ascending-{values}", values) for values in PUBLISHED),
        *(_setting(f"ascending-{values}-blind", values, feedback="blind") for values in PUBLISHED),
        *(_setting(f"descending-{values}", values, direction="descending") for values in PUBLISHED),
    )
}
DEFAULT_SCENARIO = "ascending-apv"
