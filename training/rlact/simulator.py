"""The simulator judge: estimate the expected profit of actions by rolling out each of them many times.

Hidden information is resampled in every rollout, and all actions of a state share the same random numbers. The
published judge of RLAct is a language model (HARBOR, arXiv 2502.12149); this one simulates the game instead.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from aucenv.baselines.scripted.rollout import evaluate_actions, read_lineups
from aucenv.training.rlact.games import learning_module
from aucenv.training.rlact.inferred_rivals import evaluate_inferred
from aucenv.training.rlact.states import ActionValues, DecisionState, bounds

from aucenv.core.bidder_name import inner_name, parse_bidder
from aucenv.core.checks import number, one_of, whole_number
from aucenv.core.money import to_dollars
from aucenv.core.state import IDLE, WITHDRAW
from aucenv.policy.registry import rule_bidders

USUAL, RECORDED, INFERRED = "usual", "recorded", "inferred"
MAX_LINEUPS = 36

Lineups = tuple[np.ndarray, np.ndarray]
"""Encoded rule bidders: their kinds (lineups, seats) and parameters (lineups, seats, 8)."""


@dataclasses.dataclass(frozen=True)
class Simulator:
    """The settings of rollouts, and the methods that run them.

    Attributes:
        samples: number of rollouts of each action.
        own: the rule bidder that plays the seat's later decisions; `;` stands for commas. "usual" is the first name in
            JUDGE of the game's `learning.py`.
        rivals: rule bidders, separated by `+`; the rollouts cycle through all combinations of them in the rivals'
            seats. "usual" is the second name in JUDGE. "inferred" draws the rivals from many bidders by how well these
            explain the bids so far; see `inferred_rivals`. "recorded" stands for the rivals in the state's game, which
            no seat can know.
        noise: the probability that a rival makes a mistake at a decision; see `rollout.evaluate_actions`.
        ladder: the maximum number of bids that are compared, besides withdrawing; see `legal_ladder`.
        seed: seed of the rollouts.
        threads: number of threads; results do not depend on it.

    Raises:
        ValueError: A number is out of range.
    """

    samples: int = 128
    own: str = USUAL
    rivals: str = USUAL
    noise: float = 0.02
    ladder: int = 4
    seed: int = 0
    threads: int = dataclasses.field(default=1, compare=False)

    def __post_init__(self) -> None:
        whole_number("samples", self.samples, 2, 1_000_000)
        number("noise", self.noise, 0, 1)
        whole_number("ladder", self.ladder, 1, 30)
        whole_number("seed", self.seed, 0)
        whole_number("threads", self.threads, 1, 1024)

    def describe(self, game: str) -> str:
        """Return the settings as text, with the names of the bidders that play games of this kind."""
        own, *kinds = self.bidders(game)
        names = f"own={own}, rivals={'+'.join(kinds) or self.rivals}"
        return f"{names}, samples={self.samples}, noise={self.noise:g}, ladder={self.ladder}, seed={self.seed}"

    def check(self, game: str) -> None:
        """Raise unless all bidders that play in rollouts are rule bidders of the game.

        Raises:
            ValueError: A bidder is not a rule bidder of the game, or cheats.
        """
        known = rule_bidders(game)
        for name in self.bidders(game):
            spec = parse_bidder(name)
            bidder = known[one_of(f"bidder {spec.label!r}, rule bidder", spec.kind, known)]
            bidder.read_parameters(spec)
            if bidder.cheats:
                raise ValueError(f"bidder {spec.label!r}: expected a bidder that does not cheat")

    def bidders(self, game: str) -> list[str]:
        """Return the names of the bidders that play in rollouts: `own`, then `rivals` if these are names."""
        own, rivals = (
            usual if chosen == USUAL else chosen
            for chosen, usual in zip((self.own, self.rivals), learning_module("game", game).JUDGE, strict=True)
        )
        return [inner_name(name) for name in [*(own.split("+") if rivals == INFERRED else [own]), *([] if rivals in (RECORDED, INFERRED) else rivals.split("+"))]]

    def legal(self, state: DecisionState) -> list[int]:
        """Return the legal actions that are compared: WITHDRAW, then bids in cents."""
        return legal_ladder(state.full_row, state.seat, self.ladder)

    def profits(self, states: Sequence[DecisionState], actions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the seat's final profit in every rollout; by state, (actions, samples), in cents.

        Args:
            actions: by state: legal amounts in cents, or WITHDRAW.

        Raises:
            ValueError: A bidder is not a rule bidder of the game.
        """
        groups: dict[Any, list[int]] = defaultdict(list)
        for i, state in enumerate(states):
            groups[state.game, len(state.bidders), state.full_row.dtype].append(i)
        results: list[np.ndarray] = [np.empty((0, self.samples))] * len(states)
        for (game, _, _), indices in groups.items():
            amounts = np.full((len(indices), max(len(actions[i]) for i in indices)), IDLE, np.int64)
            for row, i in zip(amounts, indices, strict=True):
                row[: len(actions[i])] = actions[i]
            profits = self._roll_out(game, [states[i] for i in indices], amounts)
            for i, state_profits in zip(indices, profits, strict=True):
                results[i] = state_profits[: len(actions[i])]
        return results

    def _roll_out(self, game: str, states: Sequence[DecisionState], actions: np.ndarray) -> np.ndarray:
        """Roll out actions in states of the same shape; see `rollout.evaluate_actions`."""
        seats = np.array([state.seat for state in states])
        keys = np.array([self.keys(int(state.id, 16)) for state in states])
        if self.rivals == INFERRED:
            rows = np.concatenate([state.view().row for state in states])
            histories = [state.history for state in states]
            own = self.bidders(game)
            return evaluate_inferred(game, rows, seats, histories, actions, own, keys, self.noise, self.threads)[0]
        by_state = [self.lineups(game, state.seat, state.bidders) for state in states]
        distinct = list(dict.fromkeys(lineup for lineups in by_state for lineup in lineups))
        lineup_index = {lineup: index for index, lineup in enumerate(distinct)}
        chosen = np.array([[lineup_index[lineup] for lineup in lineups] for lineups in by_state])
        rows, lineups = np.concatenate([state.full_row for state in states]), self.encode_lineups(game, distinct)
        return evaluate_actions(game, rows, seats, actions, lineups, chosen, keys, self.noise, self.threads)

    def keys(self, number: int) -> np.ndarray:
        """Return the random keys of a state's rollouts, which depend on the seed and the state's number alone."""
        return np.random.default_rng([self.seed, number]).integers(0, 2**63 - 1, self.samples)

    def lineups(self, game: str, seat: int, bidders: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the lineups of rollouts: `own` in the seat, and all combinations of rivals in the other seats.

        If there are more than MAX_LINEUPS combinations, return MAX_LINEUPS random ones.
        """
        own, *kinds = self.bidders(game)
        others = [bidder for s, bidder in enumerate(bidders) if s != seat]
        combinations: Iterable[tuple[str, ...]] = itertools.product(kinds, repeat=len(others))
        if self.rivals == RECORDED:
            combinations = [tuple(others)]
        elif len(kinds) ** len(others) > MAX_LINEUPS:
            rng = np.random.default_rng([self.seed, len(others)])
            combinations = [tuple(map(str, rng.choice(kinds, len(others)))) for _ in range(MAX_LINEUPS)]
        return [(*rivals[:seat], own, *rivals[seat:]) for rivals in combinations]

    def action_values(self, states: Sequence[DecisionState]) -> list[ActionValues]:
        """Estimate the value of each state's legal actions."""
        actions = [self.legal(state) for state in states]
        action_values = []
        for state, legal, profits in zip(states, actions, self.profits(states, actions), strict=True):
            means, errors = profits.mean(1), standard_error(profits - profits[0])
            dollars = tuple(None if amount == WITHDRAW else to_dollars(amount) for amount in legal)
            mean, error = (tuple((values / 100).round(2).tolist()) for values in (means, errors))
            action_values.append(ActionValues(dollars, mean, error, self.describe(state.game)))
        return action_values

    def encode_lineups(self, game: str, lineups: Sequence[tuple[str, ...]]) -> Lineups:
        """Encode lineups for compiled code."""
        return read_lineups(game, lineups, _AnyScenario(len(lineups[0])))


class _AnyScenario:
    """A stand-in for a scenario, with the attributes that `read_lineups` needs."""

    name = "at the table"

    def __init__(self, seats: int) -> None:
        self.bidders = (None,) * seats


def legal_ladder(row: np.ndarray, seat: int, ladder: int) -> list[int]:
    """Return WITHDRAW and up to `ladder` legal bids in cents: the least bid, and 1, 3, 7, ... increments more."""
    least, most, raise_by = bounds(row, seat)
    return [WITHDRAW, *(bid for i in range(ladder) if (bid := least + (2**i - 1) * raise_by) <= most)]


def standard_error(samples: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over the last axis."""
    return samples.std(-1, ddof=1) / np.sqrt(samples.shape[-1])
