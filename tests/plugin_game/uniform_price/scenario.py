"""Scenarios of uniform-price auctions."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from uniform_price.rules import MAX_BIDDERS, MAX_ROUNDS, state_dtype

from aucenv.core.checks import number, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import to_cents
from aucenv.core.scenarios import build
from aucenv.core.state import NOBODY


@dataclasses.dataclass(frozen=True)
class UniformPriceScenario:
    """A uniform-price auction.

    Attributes:
        name: its name.
        num_bidders: 2 to 16.
        num_units: units that a round sells, fewer than bidders.
        num_rounds: 1 to 16.
        highest_value: in dollars, a multiple of the step; values are uniform from 0 to it.
        step: between values and between bids, in dollars.
    """

    name: str
    num_bidders: int = 4
    num_units: int = 2
    num_rounds: int = 1
    highest_value: float = 100.0
    step: float = 1.0

    def __post_init__(self) -> None:
        whole_number("num_bidders", self.num_bidders, 2, MAX_BIDDERS)
        whole_number("num_units", self.num_units, 1, self.num_bidders - 1)
        whole_number("num_rounds", self.num_rounds, 1, MAX_ROUNDS)
        number("step", self.step, 0.01, 1e6)
        number("highest_value", self.highest_value, self.step, 1e6)
        if to_cents(self.highest_value) % to_cents(self.step):
            raise ValueError(f"highest_value: expected a multiple of {self.step:g}, got {self.highest_value:g}")

    @property
    def bidders(self) -> tuple[str, ...]:
        return tuple(f"Bidder {seat + 1}" for seat in range(self.num_bidders))

    @property
    def num_items(self) -> int:
        return self.num_rounds

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

    def changed(
        self, num_items: int | None = None, budget: float | None = None, **changes: Any
    ) -> UniformPriceScenario:
        if budget is not None:
            raise ValueError(f"budget: bidders have no budgets here, got {budget}")
        chosen = {"num_rounds": num_items, **changes}
        return dataclasses.replace(self, **{name: value for name, value in chosen.items() if value is not None})

    def template(self) -> np.ndarray:
        template = np.zeros(1, state_dtype(self.num_bidders))
        row = template[0]
        row["num_seats"], row["num_items"], row["units"] = self.num_bidders, self.num_rounds, self.num_units
        row["high"], row["step"], row["forced_tie"] = to_cents(self.highest_value), to_cents(self.step), NOBODY
        return template

    def to_dict(self) -> JsonObject:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: JsonMapping, where: str = "scenario") -> UniformPriceScenario:
        return build(cls, data, where)
