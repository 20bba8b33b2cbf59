"""The states of a training run: their digest, and checks that they fit the run's settings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from aucenv.baselines.population.families import load_population
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.sealed.shares import is_sealed
from aucenv.training.rlact.states.messages import PHASES, state_messages
from aucenv.training.rlact.states.states import DecisionState

SPLITS = ("train", "validation")
"""The splits for training and for evaluation during training; those of `evaluation` are for finished models."""


def states_digest(states: Sequence[DecisionState]) -> str:
    """Return a digest of states, their messages and their action values."""
    digest = hashlib.sha256()
    for state in states:
        values = repr(state.action_values).replace("ActionValues(", "Worth(", 1)  # as in the digests of older runs
        digest.update(f"({state.id!r}, {state.messages!r}, {values})".encode())
    return digest.hexdigest()


def check_origin(states: Sequence[DecisionState], path: Path) -> None:
    """Raise unless states may be used to train a model or to choose one: families for evaluation are only for results.

    Raises:
        ValueError: A state is of the split for evaluation, or its bidders are of another version of the population.
    """
    version = load_population().version
    for state in states:
        if state.split not in SPLITS:
            raise ValueError(
                f"{path}: state {state.id}: split: expected {' or '.join(SPLITS)}, got {state.split!r}, whose families "
                "are only for the evaluation of finished models"
            )
        if state.population not in (None, version):
            raise ValueError(
                f"{path}: state {state.id}: population: expected version {version}, got {state.population}; collect "
                "states of this version: aucenv rlact states"
            )


def check_messages(states: Sequence[DecisionState], config: RLActConfig, path: Path) -> None:
    """Raise unless the messages of states are those that the run would write.

    Raises:
        ValueError: The messages of a state have another level of detail or style of profiles.
    """
    for state in states:
        messages = {phase: state_messages(state.view(), phase, config.profiles, config.detail) for phase in PHASES}
        if messages != state.messages:
            raise ValueError(
                f"{path}: expected messages with detail={config.detail} and profiles={config.profiles}, but those of "
                f"state {state.id} differ"
            )


def has_clear_decision(state: DecisionState) -> bool:
    """Return whether a state is judged and bidding or withdrawing is better, or it is a sealed-bid one."""
    if state.action_values is None:
        return False
    return is_sealed(state) or state.action_values.bid_or_withdraw != 0


def evenly_spaced(states: Sequence[DecisionState], limit: int) -> list[DecisionState]:
    """Return at most `limit` of the states, evenly spaced."""
    step = max(1.0, len(states) / limit)
    return [states[int(i * step)] for i in range(min(limit, len(states)))]
