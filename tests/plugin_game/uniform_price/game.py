"""Uniform-price auctions: each round sells K equal units, every bidder wants one, all winners pay one price.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 4 by default |
| Actions | `vector`: Discrete(highest value / step + 2); `amount`: dollars; `text`: free text |
| Observations | 6 features: see NAMES of `uniform_price.vector` |
| Rewards | change in profit / highest value |
"""

from __future__ import annotations

import dataclasses
from typing import Annotated

import numpy as np

from aucenv.core.checks import whole_number
from aucenv.core.declared import Money, Whole
from aucenv.core.game import Game
from aucenv.core.money import to_cents
from aucenv.core.scenarios import PlainScenario
from aucenv.core.state import NOBODY
from aucenv.envs.forms import env_forms
from uniform_price.rules import MAX_BIDDERS, MAX_ROUNDS, State


@dataclasses.dataclass(frozen=True)
class UniformPriceScenario(PlainScenario):
    """A uniform-price auction."""

    num_bidders: Annotated[int, Whole(2, MAX_BIDDERS), "Number of seats."] = 4
    num_rounds: Annotated[int, Whole(1, MAX_ROUNDS), "Number of rounds."] = 1
    num_units: Annotated[int, Whole(1, MAX_BIDDERS - 1), "Units that a round sells, fewer than bidders."] = 2
    highest_value: Annotated[
        float, Money(exact=True), "The highest value and bid, a multiple of the step; values are uniform from 0 to it."
    ] = 100.0
    step: Annotated[float, Money(exact=True), "The step between values and between bids."] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number(self._at("num_units"), self.num_units, 1, self.num_bidders - 1)
        if to_cents(self.highest_value) % to_cents(self.step):
            raise ValueError(f"highest_value: expected a multiple of {self.step:g}, got {self.highest_value:g}")

    @property
    def highest_bid(self) -> float:
        return self.highest_value

    @property
    def profit_scale(self) -> float:
        return self.highest_value

    @property
    def num_bids(self) -> int:
        """The number of different bids."""
        return to_cents(self.highest_value) // to_cents(self.step) + 1

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants."""
        template = np.zeros(1, State.dtype(seat=self.num_bidders, item=self.num_rounds))
        row = template[0]
        row["num_seats"], row["num_items"], row["units"] = self.num_bidders, self.num_rounds, self.num_units
        row["high"], row["step"], row["forced_tie"] = to_cents(self.highest_value), to_cents(self.step), NOBODY
        return template


def num_actions(scenario: UniformPriceScenario) -> int:
    """Return the number of vector actions: abstaining and every bid."""
    return scenario.num_bids + 1


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        UniformPriceScenario("two-of-four"),
        UniformPriceScenario("three-of-eight", 8, num_units=3),
        UniformPriceScenario("ten-rounds", num_rounds=10),
    )
}
GAME = Game(
    "uniform_price",
    0,
    "uniform_price",
    UniformPriceScenario,
    SCENARIOS,
    "two-of-four",
    num_actions,
    bidders="uniform_price.bidders",
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
