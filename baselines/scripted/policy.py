"""Rule bidders as policies: one kernel, the same in `play` and in compiled rollouts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from aucenv.core.bidder_name import BidderSpec
from aucenv.core.checks import number, one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import SeatView


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A number that a rule bidder takes: its default and range."""

    name: str
    default: float
    least: float
    most: float


def fits_all(scenario: Any, numbers: np.ndarray) -> None:
    """Most bidders can play every scenario of their game."""


@dataclasses.dataclass(frozen=True)
class Scripted:
    """A rule bidder.

    Attributes:
        kind: its number in the game's `decide`.
        decide: the game's kernel `decide(kind, params, state, b, seat) -> cents or WITHDRAW`.
        about: how it bids, in a sentence, and where that comes from.
        cheats: whether it knows what a bidder may not.
        why_unplayable_for: why it cannot play a scenario with these parameters; None where it can.
        explain: what it notes: before a decision, and at the end.
    """

    name: str
    kind: int
    decide: Callable[..., int]
    about: str
    parameters: tuple[Parameter, ...] = ()
    cheats: bool = False
    why_unplayable_for: Callable[[Any, np.ndarray], str | None] = fits_all
    explain: Callable[[Scripted, np.ndarray, Any], JsonObject] | None = None

    def numbers(self, spec: BidderSpec) -> np.ndarray:
        """The parameters, in order, as `decide` takes them.

        Raises:
            ValueError: unknown, not a number or out of range.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        chosen = {parameter.name: parameter.default for parameter in self.parameters}
        where = f"bidder {spec.label!r}"
        if spec.arg is not None:
            raise ValueError(f"{where}: {self.name} takes no :ARG, got {spec.arg!r}")
        for key, text in spec.params.items():
            if not known:
                raise ValueError(f"{where}: {self.name} takes no parameters, got {key!r}")
            parameter = known[one_of(f"{where}, parameter", key, known)]
            try:
                value = float(text)
            except ValueError:
                value = float("nan")
            number(f"{where}, {key} = {text!r}", value, parameter.least, parameter.most)
            chosen[key] = value
        return np.array([*chosen.values(), 0.0])  # never empty: numba's types stay the same

    def why_unplayable(self, scenario: Scenario, numbers: np.ndarray | None = None) -> str | None:
        """Why it cannot play a scenario, by default with its default parameters; None where it can."""
        own = np.array([parameter.default for parameter in self.parameters]) if numbers is None else numbers
        return self.why_unplayable_for(scenario, own)

    def make(self, spec: BidderSpec) -> ScriptedPolicy:
        return ScriptedPolicy(self, self.numbers(spec))


class ScriptedPolicy:
    """A rule bidder at the table."""

    interface: Literal["amount"] = "amount"
    observes = False

    def __init__(self, scripted: Scripted, numbers: np.ndarray) -> None:
        self.scripted = scripted
        self.numbers = numbers
        self.cheats = scripted.cheats
        self.notes: JsonObject = {}

    def reset(self, seat: str, seed: int) -> None:
        pass

    def why_unplayable(self, scenario: Scenario) -> str | None:
        return self.scripted.why_unplayable(scenario, self.numbers)

    def act(self, view: SeatView, observation: JsonMapping) -> float:
        self.notes = self._explain(view)
        amount = self.scripted.decide(self.scripted.kind, self.numbers, view.row, 0, view.seat_number)
        return to_dollars(int(amount)) if amount >= 0 else -1.0

    def close_game(self, view: SeatView) -> JsonObject:
        return self._explain(view)

    def _explain(self, view: SeatView) -> JsonObject:
        explain = self.scripted.explain
        return explain(self.scripted, self.numbers, view) if explain is not None else {}
