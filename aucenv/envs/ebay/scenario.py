"""Scenarios of proxy auctions: a frozen dataclass, and the published conditions.

Source: Synthetic Labs, arXiv 2507.09083: independent private values, ten days, hard and soft close, without a reserve
and with hidden reserves of $40, $50 and $60.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from aucenv.core.checks import one_of, whole_number
from aucenv.core.money import to_cents
from aucenv.core.state import NOBODY
from aucenv.envs.ebay.rules import MAX_DAYS, State
from aucenv.envs.single_item.values import SingleItemScenario

CLOSINGS = ("hard", "soft")
MAX_BIDS = 100_000
"""The maximum number of possible maxima of a seat."""


@dataclasses.dataclass(frozen=True)
class EbayScenario(SingleItemScenario):
    """A proxy auction before the deal. `SingleItemScenario` documents the fields shared with sealed-bid auctions.

    `reveal` is "all" or "price": all seats see the price and the leader after every move in any case.

    Attributes:
        days: the announced number of days, 1 to 20; on each of them every seat moves once.
        closing: "hard", or "soft": each time the last day is about to begin, a day is added if anybody has bid since
            the last addition, up to 20 days.
        reserve: a hidden price that the highest maximum must reach for the prize to be sold, in dollars; 0: none.
        lift_to_reserve: whether the winner pays at least the reserve, as in textbooks; otherwise the reserve does not
            change the price, as in the paper.
        start_price: the price before there are two maxima, in dollars.
        increment: how far the price exceeds the second-highest maximum, in dollars.
        highest_maximum: the highest maximum that a seat may state, in dollars.
        bid_step: the step between two maxima, in dollars.
    """

    HIGHEST_BID: ClassVar[str] = "highest_maximum"

    num_rounds: int = 1
    reveal: str = "price"
    days: int = 10
    closing: str = "hard"
    reserve: float = 0
    lift_to_reserve: bool = False
    start_price: float = 0
    increment: float = 1
    highest_maximum: float = 99
    bid_step: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self._at("language"), self.language, ("english",))
        one_of(self._at("reveal"), self.reveal, ("all", "price"))
        self._put("days", whole_number(self._at("days"), self.days, 1, MAX_DAYS))
        one_of(self._at("closing"), self.closing, CLOSINGS)
        one_of(self._at("lift_to_reserve"), self.lift_to_reserve, (False, True))
        step, highest = self._cents("bid_step", 0.01), self._cents("highest_maximum", 0.01)
        self._cents("increment", 0.01)
        for name in ("reserve", "start_price"):
            if self._cents(name, 0) > highest:
                raise ValueError(
                    f"{self._at(name)}: expected at most highest_maximum {self.highest_maximum}, "
                    f"got {getattr(self, name)}"
                )
        self._check_divides("bid_step", step, "highest_maximum", highest)
        if highest // step > MAX_BIDS:
            raise ValueError(f"{self._at('bid_step')}: expected at most {MAX_BIDS:,} steps, got {self.bid_step}")

    @property
    def highest_bid(self) -> float:
        return self.highest_maximum

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = np.zeros(1, State.dtype(seat=self.num_bidders, item=self.num_rounds))
        row = template[0]
        self.write_constants(row)
        row["soft"], row["days"], row["lift"] = self.closing == "soft", self.days, self.lift_to_reserve
        row["led"] = NOBODY
        row["reserve"], row["start"] = to_cents(self.reserve), to_cents(self.start_price)
        row["increment"], row["step"], row["cap"] = map(to_cents, (self.increment, self.bid_step, self.highest_maximum))
        return template


Scenario = EbayScenario
"""The scenario class, under the name that all games share."""


def _condition(closing: str, reserve: float, **fields: Any) -> EbayScenario:
    name = closing if not reserve else f"{closing}-{reserve:g}"
    return EbayScenario(name, closing=closing, reserve=reserve, **fields)


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(_condition(closing, reserve) for closing in CLOSINGS for reserve in (0, 40, 50, 60)),
        EbayScenario("short", days=3, num_rounds=5),
    )
}
DEFAULT_SCENARIO = "hard"
