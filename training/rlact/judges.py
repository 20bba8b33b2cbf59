"""Who says how good a reply is: the simulator, a language model that knows the truth, or a mix of both.

Source: HARBOR, arXiv 2502.12149, section on RLAct: a judge that knows the truth sees two replies to one state and gives
each a score from 1 to 5. What the simulator's scores mean is ours.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from aucenv.training.rlact.messages import BID, PHASES, read_legal
from aucenv.training.rlact.simulator import Simulator, standard_error
from aucenv.training.rlact.states import DecisionState

from aucenv.core.checks import number, one_of
from aucenv.core.policy import ModelFailure

Scores = list[float | None]
WORST, BEST = 1.0, 5.0
LEAST_LEGAL = 2.0
"""Of a legal reply."""
SPAN = BEST - LEAST_LEGAL
SCALE = 0.2
"""Share of the item's starting price: a regret as large, or larger, gets LEAST_LEGAL."""


class JudgeFailure(ModelFailure):
    """A judge that has nothing to say; says how often it was asked."""


class Judge(Protocol):
    """Says how good replies are, from 1 to 5; None where it cannot."""

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        """The score of a reply to each state."""
        ...

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """The scores of two replies to each state, seen together; alike on a tie."""
        ...


@dataclasses.dataclass(frozen=True)
class SimulatorJudge:
    """Scores by regret: how much less a reply earns than the best of the legal actions that the simulator compares.

    An action within two standard errors of the best gets 5; regret takes points off in proportion, down to 2 from SCALE
    of the starting price on. What cannot be read, or is illegal, gets 1. Two replies are told apart by the difference
    between them, where that is over two standard errors; where it is not, both get the mean of their scores.

    Attributes:
        phase: what replies are: recommendations or bids.
    """

    simulator: Simulator = dataclasses.field(default_factory=Simulator)
    phase: str = BID

    def __post_init__(self) -> None:
        one_of("phase", self.phase, PHASES)

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        return [scores[0] for scores in self._scores(states, [[reply] for reply in replies])]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """The scores of both."""
        pairs = list(zip(firsts, seconds, strict=True))
        return [(first, second) for first, second in self._scores(states, pairs)]

    def _scores(self, states: Sequence[DecisionState], replies: Sequence[Sequence[str]]) -> list[list[float]]:
        meant = [
            [read_legal(reply, self.phase, state) for reply in each]
            for state, each in zip(states, replies, strict=True)
        ]
        asked = [i for i, each in enumerate(meant) if any(amount is not None for amount in each)]
        legal = [self.simulator.legal(states[i]) for i in asked]
        actions = [
            list(dict.fromkeys([*known, *(a for a in meant[i] if a is not None)]))
            for i, known in zip(asked, legal, strict=True)
        ]
        scores = [[WORST] * len(each) for each in meant]
        profits = self.simulator.profits([states[i] for i in asked], actions)
        for i, each, earned in zip(asked, actions, profits, strict=True):
            start = int(states[i].row["start"][0, states[i].row["item"][0]])
            scores[i] = score_of([None if a is None else each.index(a) for a in meant[i]], earned / (SCALE * start))
        return scores


def score_of(places: Sequence[int | None], earned: np.ndarray) -> list[float]:
    """The scores of a reply to a state, or of two.

    Args:
        places: of what they mean, among the actions; None = illegal.
        earned: (actions, samples), profits over what costs all points.
    """
    means = earned.mean(1)
    best = means.argmax()
    regrets, errors = means[best] - means, standard_error(earned[best] - earned)
    regrets[regrets <= 2 * errors] = 0.0
    of_action = BEST - SPAN * np.minimum(1.0, regrets)
    scores = [WORST if place is None else float(of_action[place]) for place in places]
    if len(places) == 2 and None not in places:
        draws = earned[places[0]] - earned[places[1]]
        lead = float(draws.mean())
        if abs(lead) <= 2 * standard_error(draws):
            scores = [sum(scores) / 2] * 2
        elif scores[0] == scores[1]:  # both all right, or both as bad as can be; but not the same
            gap = SPAN * min(1.0, abs(lead))
            at = scores[0]
            better, worse = (at, max(LEAST_LEGAL, at - gap)) if at > LEAST_LEGAL else (at + min(1.0, gap), at)
            scores = [better, worse] if lead > 0 else [worse, better]
    return [round(score, 4) for score in scores]


@dataclasses.dataclass(frozen=True)
class RandomJudge:
    """Scores by lot, the same for the same state and reply: what is learnt from it is no better than chance."""

    seed: int = 0

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        return [self._drawn(state, reply) for state, reply in zip(states, replies, strict=True)]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        drawn = zip(self.score(states, firsts), self.score(states, seconds), strict=True)
        return [(first, second) for first, second in drawn if first is not None and second is not None]

    def _drawn(self, state: DecisionState, reply: str) -> float:
        words = hashlib.sha256(f"{self.seed} {state.id} {reply}".encode("utf-8", "replace")).digest()
        return round(float(np.random.default_rng(list(words)).uniform(WORST, BEST)), 4)


@dataclasses.dataclass(frozen=True)
class MixedJudge:
    """Two judges' scores, weighed; None where one of them has none.

    Attributes:
        share: the weight of the second's, from 0 to 1.
    """

    first: Judge
    second: Judge
    share: float = 0.5

    def __post_init__(self) -> None:
        number("share", self.share, 0, 1)

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        both = zip(self.first.score(states, replies), self.second.score(states, replies), strict=True)
        return [None if a is None or b is None else self._mixed(a, b) for a, b in both]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        given = states, firsts, seconds
        both = zip(self.first.compare(*given), self.second.compare(*given), strict=True)
        return [a and b and (self._mixed(a[0], b[0]), self._mixed(a[1], b[1])) for a, b in both]

    def _mixed(self, first: float, second: float) -> float:
        return (1 - self.share) * first + self.share * second
