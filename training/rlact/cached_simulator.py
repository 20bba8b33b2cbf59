"""A simulator that caches the profits of every action, so that no action of a state is rolled out twice."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from aucenv.training.rlact.simulator import Simulator
from aucenv.training.rlact.states import DecisionState


@dataclasses.dataclass(frozen=True)
class CachedSimulator(Simulator):
    """A `Simulator` with a cache, for training, which meets the same states many times.

    The results are those of `Simulator`, because a rollout's random numbers depend on the seed and the state alone.
    """

    cache: dict[tuple[str, int], np.ndarray] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def profits(self, states: Sequence[DecisionState], actions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the same profits as `Simulator.profits`."""
        uncached = [
            (state, list(dict.fromkeys(a for a in each if (state.id, a) not in self.cache)))
            for state, each in zip(states, actions, strict=True)
        ]
        uncached = [(state, missing) for state, missing in uncached if missing]
        if uncached:
            results = super().profits([state for state, _ in uncached], [missing for _, missing in uncached])
            for (state, missing), profits in zip(uncached, results, strict=True):
                self.cache.update({(state.id, a): row for a, row in zip(missing, profits, strict=True)})
        return [np.array([self.cache[state.id, a] for a in each]) for state, each in zip(states, actions, strict=True)]
