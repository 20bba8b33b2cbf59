"""Rule bidders as policies. `play` and the compiled rollouts call the same kernel."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from aucenv.core.checks import number, one_of
from aucenv.core.compiled.cold_start import KernelCall
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import Objective
from aucenv.core.scenarios import Scenario
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import BidderSpec
from aucenv.core.words.money import to_dollars

FIRST_FAMILY = 100
"""The kinds of the families of a population start here in every game; lower kinds are those of built-in bidders."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A numeric parameter of a rule bidder, with its default and range (both ends included).

    Attributes:
        about_default: what the default is, if the bidder computes it in each game; `default` is then out of range.
    """

    name: str
    default: float
    least: float
    most: float
    about_default: str = ""

    def __str__(self) -> str:
        default = self.about_default or f"{self.default:g}"
        return f"{self.name}={default}  ({self.least:g} to {self.most:g})"


def plays_all(scenario: Any, params: np.ndarray) -> None:
    """Return None: most bidders can play every scenario of their game."""


@dataclasses.dataclass(frozen=True)
class RuleBidder:
    """A rule bidder, an entry of `BIDDERS` in a game's module of bidders.

    Attributes:
        name: the bidder's name on the command line and in lineups.
        kind: the bidder's number in the game's `decide`.
        decide: the game's kernel `decide(kind, params, state, b, seat) -> cents or WITHDRAW`: `params` has the values
            of `parameters` in their order, as they are typed (dollars are not cents: multiply them by 100), and
            `state[b]` is the game, of which it reads what a view of `seat` shows.
        about: one sentence on how it bids, with the source.
        parameters: what its name can set, as in `rule,k=3`.
        cheats: whether it reads information that a bidder may not see.
        why_unplayable_for: returns the reason why it cannot play a scenario with these parameters, or None if it can.
        objective: returns the objective that it pursues in a scenario, as (objective, target), for its parameters and
            the number of its seat; None: profit.
        explain: returns its notes, before each decision and at the end of the game.
        explain_calls: returns the kernels that `explain` calls, for its parameters and a state.
    """

    name: str
    kind: int
    decide: Callable[..., int]
    about: str
    parameters: tuple[Parameter, ...] = ()
    cheats: bool = False
    why_unplayable_for: Callable[[Any, np.ndarray], str | None] = plays_all
    objective: Callable[[Any, np.ndarray, int], Objective] | None = None
    explain: Callable[[RuleBidder, np.ndarray, Any], JsonObject] | None = None
    explain_calls: Callable[[np.ndarray, np.ndarray], tuple[KernelCall, ...]] | None = None

    def read_parameters(self, spec: BidderSpec) -> np.ndarray:
        """Return the parameters' values in the order that `decide` expects, followed by a 0.

        Raises:
            ValueError: a parameter is unknown, not a number or out of range.
        """
        by_name = {parameter.name: parameter for parameter in self.parameters}
        chosen = {parameter.name: parameter.default for parameter in self.parameters}
        where = f"bidder {spec.label!r}"
        if spec.arg is not None:
            raise ValueError(f"{where}: {self.name} takes no :ARG, got {spec.arg!r}")
        for key, text in spec.params.items():
            if not by_name:
                raise ValueError(f"{where}: {self.name} takes no parameters, got {key!r}")
            parameter = by_name[one_of(f"{where}, parameter", key, by_name)]
            try:
                chosen[key] = number(key, float(text), parameter.least, parameter.most)
            except ValueError:
                raise ValueError(
                    f"{where}, {key}: expected a number from {parameter.least:g} to {parameter.most:g}, got {text!r}"
                ) from None
        return np.array([*chosen.values(), 0.0])  # never empty, so that numba compiles `decide` for one type

    def why_unplayable(self, scenario: Scenario, params: np.ndarray | None = None) -> str | None:
        """Return the reason why it cannot play a scenario, or None if it can.

        Args:
            params: the values of its parameters; None = the defaults.
        """
        values = np.array([parameter.default for parameter in self.parameters]) if params is None else params
        return self.why_unplayable_for(scenario, values)

    def make(self, spec: BidderSpec) -> RulePolicy:
        return RulePolicy(self, self.read_parameters(spec))


class RulePolicy:
    """A policy that bids as a rule bidder with given parameters does."""

    interface: Literal["amount"] = "amount"
    observes = False

    def __init__(self, bidder: RuleBidder, params: np.ndarray) -> None:
        self.bidder = bidder
        self.params = params
        self.cheats = bidder.cheats
        self.notes: JsonObject = {}

    def reset(self, seat: str, seed: int) -> None:
        pass

    def why_unplayable(self, scenario: Scenario) -> str | None:
        return self.bidder.why_unplayable(scenario, self.params)

    def stated_objective(self, scenario: Scenario, seat: int) -> Objective | None:
        return None if self.bidder.objective is None else self.bidder.objective(scenario, self.params, seat)

    def act(self, view: SeatView, observation: JsonMapping) -> float:
        self.notes = self._explain(view)
        amount = self.bidder.decide(self.bidder.kind, self.params, view.row, 0, view.seat_number)
        return to_dollars(int(amount)) if amount >= 0 else -1.0

    def numbers(self, scenario: Scenario) -> tuple[int, np.ndarray]:
        """Return the kind and the (8,) parameters of the bidder in compiled code."""
        params = np.zeros(8)
        params[: len(self.params)] = self.params
        return self.bidder.kind, params

    def kernel_calls(self, row: np.ndarray) -> tuple[KernelCall, ...]:
        """Return the kernels that it calls in games whose state has the type of `row`."""
        decide = self.bidder.decide
        path = f"{decide.__module__}:{getattr(decide, '__qualname__', '')}"
        explain_calls = self.bidder.explain_calls
        explaining = explain_calls(self.params, row) if explain_calls is not None else ()
        return KernelCall(path, (0, self.params, row, 0, 0)), *explaining

    def close_game(self, view: SeatView) -> JsonObject:
        return self._explain(view)

    def _explain(self, view: SeatView) -> JsonObject:
        explain = self.bidder.explain
        return explain(self.bidder, self.params, view) if explain is not None else {}
