"""Uniform-price auctions: each round sells K equal units, every bidder wants one, all winners pay one price.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 4 by default |
| Actions | `vector`: Discrete(highest value / step + 2); `amount`: dollars; `text`: free text |
| Observations | 9 + bidders features: see `GAME.features.feature_names` |
| Rewards | change in profit / highest value |
"""

from __future__ import annotations

import dataclasses
from typing import Annotated

from aucenv.core.checks import whole_number
from aucenv.core.declared import Money, Whole
from aucenv.core.game import Game
from aucenv.core.scenarios import PlainScenario
from aucenv.core.words.money import to_cents
from aucenv.envs.forms import env_forms
from uniform_price.rules import State


@dataclasses.dataclass(frozen=True)
class UniformPriceScenario(PlainScenario):
    """A uniform-price auction."""

    STATE = State

    num_bidders: Annotated[int, Whole(2, 16), "Number of seats."] = 4
    num_units: Annotated[int, Whole(1, 15), "Units that a round sells, fewer than bidders."] = 2
    highest_value: Annotated[
        float, Money(exact=True), "The highest value and bid, a multiple of the step; values are uniform from 0 to it."
    ] = 100.0
    step: Annotated[float, Money(exact=True), "The step between values and between bids."] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number(self._at("num_units"), self.num_units, 1, self.num_bidders - 1)
        if to_cents(self.highest_value) % to_cents(self.step):
            raise ValueError(f"highest_value: expected a multiple of {self.step:g}, got {self.highest_value:g}")


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        UniformPriceScenario("two-of-four"),
        UniformPriceScenario("three-of-eight", 8, num_units=3),
        UniformPriceScenario("ten-rounds", num_rounds=10),
    )
}
GAME = Game("uniform_price", 0, "uniform_price", UniformPriceScenario, SCENARIOS)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
