"""Judges score replies to decision states: the simulator, a language model (`model_judge`), random scores, or a mix.

Source: HARBOR, arXiv 2502.12149, section on RLAct: a judge that knows the hidden values sees two replies to one state
and gives each a score from 1 to 5. The simulator's scores are not from the paper.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from aucenv.training.rlact.judges.simulator import Simulator, standard_error
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.sealed.shares import highest_value
from aucenv.training.rlact.states.messages import BID, PHASES, read_legal
from aucenv.training.rlact.states.states import DecisionState

from aucenv.core.checks import number, one_of
from aucenv.core.policy import ModelFailure
from aucenv.core.state import WITHDRAW

Scores = list[float | None]
WORST, BEST = 1.0, 5.0
MIN_LEGAL_SCORE = 2.0
"""The lowest score of a legal reply."""
SPAN = BEST - MIN_LEGAL_SCORE
REGRET_SCALE = 0.2
"""A regret of at least this share of the item's starting price scores MIN_LEGAL_SCORE; in sealed-bid auctions, of the
highest possible value."""


class JudgeFailure(ModelFailure):
    """A judge gave no scores for too many states."""


class Judge(Protocol):
    """A judge of replies, whose scores are from 1 to 5, or None if it has no score."""

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        """Return the score of a reply to each state."""
        ...

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the scores of two replies to each state, compared with each other; equal scores mean a tie."""
        ...


@dataclasses.dataclass(frozen=True)
class SimulatorJudge:
    """A judge that scores by regret: the best compared action's expected profit minus that of the reply's action.

    An action within two standard errors of the best scores 5. Regret lowers the score linearly, down to 2 for a regret
    of REGRET_SCALE times the starting price or more. An unreadable or illegal reply scores 1. Two replies get different
    scores if their expected profits differ by over two standard errors; otherwise both get the mean of their scores.

    Attributes:
        simulator: estimates the profits.
        phase: kind of the replies, one of PHASES.
    """

    simulator: Simulator = dataclasses.field(default_factory=Simulator)
    phase: str = BID

    def __post_init__(self) -> None:
        one_of("phase", self.phase, PHASES)

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        """Return the score of a reply to each state."""
        return [scores[0] for scores in self._scores(states, [[reply] for reply in replies])]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the scores of two replies to each state."""
        pairs = list(zip(firsts, seconds, strict=True))
        return [(first, second) for first, second in self._scores(states, pairs)]

    def leads(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[float | None]:
        """Return by how many dollars the first of two replies is expected to earn more than the second.

        A difference within two standard errors is a tie, 0. It is None if a reply is unreadable or illegal, or if both
        make the same decision: a bid of any amount or to withdraw, in sealed bids the same amount.
        """
        read = [
            tuple(read_legal(reply, self.phase, state) for reply in pair)
            for state, *pair in zip(states, firsts, seconds, strict=True)
        ]
        leads: list[float | None] = [None] * len(read)
        judged = [i for i, pair in enumerate(read) if None not in pair and not _agree(states[i], pair)]
        estimates = self._estimate([states[i] for i in judged], [read[i] for i in judged])
        for i, (actions, profits) in zip(judged, estimates, strict=True):
            first, second = (actions.index(amount) for amount in read[i] if amount is not None)
            lead = float(profits.means[first] - profits.means[second]) / 100
            leads[i] = lead if abs(lead) > 2 * float(profits.errors[first, second]) / 100 else 0.0
        return leads

    def _scores(self, states: Sequence[DecisionState], replies: Sequence[Sequence[str]]) -> list[list[float]]:
        amounts = [
            [read_legal(reply, self.phase, state) for reply in each]
            for state, each in zip(states, replies, strict=True)
        ]
        scores = [[WORST] * len(each) for each in amounts]
        judged = [i for i, each in enumerate(amounts) if any(amount is not None for amount in each)]
        estimates = self._estimate([states[i] for i in judged], [amounts[i] for i in judged])
        for i, (actions, profits) in zip(judged, estimates, strict=True):
            indices = [None if a is None else actions.index(a) for a in amounts[i]]
            scores[i] = regret_scores(indices, profits.scaled(REGRET_SCALE * _price_level(states[i])))
        return scores

    def _estimate(
        self, states: Sequence[DecisionState], amounts: Sequence[Sequence[int | None]]
    ) -> list[tuple[list[int], Profits]]:
        """Return for each state the legal actions that are compared, the replies' among them, and their profits.

        Judged states are not rolled out again if their values have all that is needed.
        """
        results = [self._judged_before(state, each) for state, each in zip(states, amounts, strict=True)]
        left = [i for i, result in enumerate(results) if result is None]
        actions = [
            list(dict.fromkeys([*self.simulator.legal(states[i]), *(a for a in amounts[i] if a is not None)]))
            for i in left
        ]
        profits = self.simulator.profits([states[i] for i in left], actions)
        for i, each, samples in zip(left, actions, profits, strict=True):
            results[i] = each, Profits.of(samples)
        return [result for result in results if result is not None]

    def _judged_before(self, state: DecisionState, amounts: Sequence[int | None]) -> tuple[list[int], Profits] | None:
        """Return what a judged state's values say, if the same simulator judged it and they have all that is needed."""
        values = state.action_values
        if values is None or len(values.actions) > 2 or values.judge != self.simulator.describe(state.game):
            return None  # of more than two actions, only the errors of differences from withdrawing are known
        actions = [WITHDRAW if action is None else round(100 * action) for action in values.actions]
        if actions != self.simulator.legal(state) or not set(amounts) <= {None, *actions}:
            return None
        error = 100 * values.errors[1]
        return actions, Profits(100 * np.array(values.means), np.array([[0.0, error], [error, 0.0]]))


def _agree(state: DecisionState, amounts: Sequence[int | None]) -> bool:
    """Return whether two amounts are one decision: the same amount, or in ascending auctions two bids."""
    first, second = amounts
    return first == second or (state.game != SEALED_BID and WITHDRAW not in amounts)


def _price_level(state: DecisionState) -> int:
    """Return the starting price of the item, or in sealed-bid auctions the highest possible value; cents."""
    if state.game == SEALED_BID:
        return highest_value(state)
    return int(state.full_row["start"][0, state.full_row["item"][0]])


@dataclasses.dataclass(frozen=True)
class Profits:
    """The expected profits of actions.

    Attributes:
        means: (actions,).
        errors: (actions, actions), the standard error of the difference between two actions.
    """

    means: np.ndarray
    errors: np.ndarray

    @classmethod
    def of(cls, samples: np.ndarray) -> Profits:
        """Return the profits that (actions, samples) rollouts with common random numbers estimate."""
        return cls(samples.mean(1), standard_error(samples[:, None] - samples[None]))

    def scaled(self, unit: float) -> Profits:
        """Return the profits in another unit."""
        return Profits(self.means / unit, self.errors / unit)


def regret_scores(indices: Sequence[int | None], profits: Profits) -> list[float]:
    """Return the scores of one reply to a state, or of two.

    Args:
        indices: the index of each reply's action; None for an illegal or unreadable reply.
        profits: profits in units of the regret that scores MIN_LEGAL_SCORE.
    """
    means = profits.means
    best = means.argmax()
    regrets = means[best] - means
    regrets[regrets <= 2 * profits.errors[best]] = 0.0
    action_scores = BEST - SPAN * np.minimum(1.0, regrets)
    scores = [WORST if index is None else float(action_scores[index]) for index in indices]
    if len(indices) == 2 and None not in indices:
        first, second = indices
        lead = float(means[first] - means[second])
        if abs(lead) <= 2 * profits.errors[first, second]:
            scores = [sum(scores) / 2] * 2
        elif scores[0] == scores[1]:  # both at the top or both at the bottom of the scale, but clearly different
            gap = SPAN * min(1.0, abs(lead))
            at = scores[0]
            better, worse = (at, max(MIN_LEGAL_SCORE, at - gap)) if at > MIN_LEGAL_SCORE else (at + min(1.0, gap), at)
            scores = [better, worse] if lead > 0 else [worse, better]
    return [round(score, 4) for score in scores]


@dataclasses.dataclass(frozen=True)
class RandomJudge:
    """A judge that gives random scores, as a control: a model trained on them learns nothing.

    Equal states and replies get equal scores.
    """

    seed: int = 0

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        """Return the score of a reply to each state."""
        return [self._random_score(state, reply) for state, reply in zip(states, replies, strict=True)]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the scores of two replies to each state."""
        pairs = zip(self.score(states, firsts), self.score(states, seconds), strict=True)
        return [(first, second) for first, second in pairs if first is not None and second is not None]

    def _random_score(self, state: DecisionState, reply: str) -> float:
        digest = hashlib.sha256(f"{self.seed} {state.id} {reply}".encode("utf-8", "replace")).digest()
        return round(float(np.random.default_rng(list(digest)).uniform(WORST, BEST)), 4)


@dataclasses.dataclass(frozen=True)
class MixedJudge:
    """A judge that returns the weighted mean of two judges' scores, or None if either has none.

    Attributes:
        first, second: the judges.
        share: the weight of the second judge, from 0 to 1.
    """

    first: Judge
    second: Judge
    share: float = 0.5

    def __post_init__(self) -> None:
        number("share", self.share, 0, 1)

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        """Return the score of a reply to each state."""
        both = zip(self.first.score(states, replies), self.second.score(states, replies), strict=True)
        return [None if a is None or b is None else self._mix(a, b) for a, b in both]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the scores of two replies to each state."""
        pairs = states, firsts, seconds
        both = zip(self.first.compare(*pairs), self.second.compare(*pairs), strict=True)
        return [a and b and (self._mix(a[0], b[0]), self._mix(a[1], b[1])) for a, b in both]

    def _mix(self, first: float, second: float) -> float:
        return (1 - self.share) * first + self.share * second


@dataclasses.dataclass(frozen=True)
class AgreeingJudge(MixedJudge):
    """The simulator and a model, which alone compares replies whose decisions agree: they tie under the simulator.

    Attributes:
        phase: kind of the replies, one of PHASES.
    """

    phase: str = BID

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the scores of two replies to each state."""
        model = self.second.compare(states, firsts, seconds)
        simulated = self.first.compare(states, firsts, seconds)
        pairs = zip(states, firsts, seconds, simulated, model, strict=True)
        return [
            scores
            if self._agree(state, pair)
            else a and scores and (self._mix(a[0], scores[0]), self._mix(a[1], scores[1]))
            for state, *pair, a, scores in pairs
        ]

    def _agree(self, state: DecisionState, replies: Sequence[str]) -> bool:
        amounts = [read_legal(reply, self.phase, state) for reply in replies]
        return amounts[0] is not None and amounts[0] == amounts[1]
