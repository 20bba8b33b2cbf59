"""A simulator that plays nothing twice: what an action of a state earned is kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from aucenv.training.rlact.simulator import Simulator
from aucenv.training.rlact.states import DecisionState


@dataclasses.dataclass(frozen=True)
class RememberingSimulator(Simulator):
    """As Simulator, whose draws follow from the state alone; for training, that meets states many times."""

    known: dict[tuple[str, int], np.ndarray] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def profits(self, states: Sequence[DecisionState], actions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """As `Simulator.profits`."""
        wanted = [
            (state, list(dict.fromkeys(a for a in each if (state.id, a) not in self.known)))
            for state, each in zip(states, actions, strict=True)
        ]
        wanted = [(state, missing) for state, missing in wanted if missing]
        if wanted:
            found = super().profits([state for state, _ in wanted], [missing for _, missing in wanted])
            for (state, missing), earned in zip(wanted, found, strict=True):
                self.known.update({(state.id, a): row for a, row in zip(missing, earned, strict=True)})
        return [np.array([self.known[state.id, a] for a in each]) for state, each in zip(states, actions, strict=True)]
