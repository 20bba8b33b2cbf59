"""Scenarios of uniform-price auctions."""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.checks import number, whole_number
from aucenv.core.money import to_cents
from aucenv.core.scenarios import PlainScenario
from aucenv.core.state import NOBODY
from uniform_price.rules import State


@dataclasses.dataclass(frozen=True)
class UniformPriceScenario(PlainScenario):
    """A uniform-price auction of 2 to 16 bidders and 1 to 16 rounds.

    Attributes:
        num_units: units that a round sells, fewer than bidders.
        highest_value: in dollars, a multiple of the step; values are uniform from 0 to it.
        step: between values and between bids, in dollars.
    """

    num_bidders: int = 4
    num_units: int = 2
    highest_value: float = 100.0
    step: float = 1.0

    def __post_init__(self) -> None:
        whole_number("num_bidders", self.num_bidders, 2, 16)
        whole_number("num_units", self.num_units, 1, self.num_bidders - 1)
        whole_number("num_rounds", self.num_rounds, 1, 16)
        number("step", self.step, 0.01, 1e6)
        number("highest_value", self.highest_value, self.step, 1e6)
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
