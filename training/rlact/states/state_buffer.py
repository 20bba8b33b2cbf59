"""A buffer of states, which are drawn by what a disagreement between two samples of the model is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from aucenv.training.rlact.sealed.shares import is_sealed
from aucenv.training.rlact.states.messages import BID
from aucenv.training.rlact.states.states import DecisionState

BUFFER_FILE = "buffer.npz"
Probabilities = Callable[[Sequence[DecisionState], Sequence[str]], list[np.ndarray]]
"""Returns the model's probability of each decision of each state, asked for its task."""


def decision_values(state: DecisionState) -> np.ndarray:
    """Return the expected profit of each decision of a judged state, in dollars; all are equal if they tie."""
    values = state.action_values
    assert values is not None
    if is_sealed(state):
        return np.array(values.means)
    return np.array(values.means[:2]) if values.bid_or_withdraw else np.zeros(2)


def disagreement(probabilities: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return what a disagreement between two samples is worth, in dollars.

    Returns:
        The probability that two samples disagree, times the mean dollars between their decisions; of two decisions,
        2 p (1 - p) times the dollars at stake. And these dollars, given that they disagree.
    """
    pairs = np.outer(probabilities, probabilities)
    gaps = np.abs(values[:, None] - values[None])
    worth, disagree = float((pairs * gaps).sum()), float(pairs.sum() - np.trace(pairs))
    if disagree <= 0:  # the probabilities of all but one decision are rounded to 0
        return 0.0, float(gaps.max())
    return worth, worth / disagree


class StateBuffer:
    """States with the model's probabilities of their decisions, which are kept up to date.

    Args:
        states: judged states.
        updates: all probabilities are computed again within this number of updates, some of them in each update.

    Raises:
        ValueError: No state has a stake, so that no decision is better than another.
    """

    def __init__(self, states: Sequence[DecisionState], updates: int) -> None:
        self._states, self._updates = states, updates
        self._values = [decision_values(state) for state in states]
        stakes = np.array([np.ptp(values) for values in self._values])
        if not stakes.any():
            raise ValueError(
                f"states: expected at least one whose decisions differ in value, but those of all {len(states)} tie"
            )
        self.mean_stake = float(stakes.mean())
        self._worth: dict[str, np.ndarray] = {}
        self._gap: dict[str, np.ndarray] = {}

    def refresh(self, step: int, tasks: Sequence[str], probabilities: Probabilities) -> None:
        """Compute the probabilities of some states, those whose turn it is at a step, or of all for a new task."""
        size = math.ceil(len(self._states) / self._updates)
        first = step % self._updates * size
        for task in dict.fromkeys(tasks):
            if task not in self._worth:
                self._worth[task], self._gap[task] = np.zeros((2, len(self._states)))
                places = list(range(len(self._states)))
            else:
                places = list(range(first, min(first + size, len(self._states))))
            asked = [self._states[i] for i in places]
            results = probabilities(asked, [BID if is_sealed(state) else task for state in asked])
            for i, each in zip(places, results, strict=True):
                self._worth[task][i], self._gap[task][i] = disagreement(each, self._values[i])

    def draw(self, tasks: Sequence[str], seed: Sequence[int]) -> list[int]:
        """Draw a state for each task, with replacement, in proportion to what a disagreement is worth."""
        rng = np.random.default_rng(list(seed))
        places = []
        for task in tasks:
            worth = self._worth[task]
            total = worth.sum()
            weights = worth / total if total > 0 else np.full(len(worth), 1 / len(worth))
            places.append(int(rng.choice(len(worth), p=weights)))
        return places

    def gap(self, place: int, task: str) -> float:
        """Return the dollars at stake in a state: the mean between the decisions of two samples that disagree."""
        return float(self._gap[task][place]) or self.mean_stake

    def save(self, folder: Path) -> None:
        """Write what a resumed run needs into the folder of a checkpoint."""
        arrays = {f"worth {task}": each for task, each in self._worth.items()}
        arrays |= {f"gap {task}": each for task, each in self._gap.items()}
        np.savez(folder / BUFFER_FILE, **arrays)  # type: ignore[arg-type]  # the stubs take the names for options

    def load(self, folder: Path) -> None:
        """Read what `save` wrote, if the folder has it."""
        path = folder / BUFFER_FILE
        if not path.is_file():
            return
        with np.load(path, allow_pickle=False) as arrays:
            for key in arrays.files:
                name, _, task = key.partition(" ")
                (self._worth if name == "worth" else self._gap)[task] = arrays[key]
