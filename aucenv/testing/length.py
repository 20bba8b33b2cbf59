"""The check that games end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aucenv.core.scenarios import MOST_ROUNDS
from aucenv.testing.contract import Case, ContractError

CONSTANT = 8
"""Number of actions, spread over all, that seats choose in every round of a game."""
RANDOM = 4
"""Number of games of random actions."""


def check_length(case: Case) -> None:
    """Play games of one item, in which all seats act in the same way throughout, and games of random actions."""
    scenario = case.scenario.changed(num_items=1)
    last = case.family.batch_env(1, scenario=scenario).num_actions - 1
    actions = np.unique(np.linspace(0, last, CONSTANT, dtype=int))
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        **{
            f"all seats choose action {action}, or the next lower one where it is illegal": _at_most(action)
            for action in actions
        },
        "all seats choose the lowest legal action but 0": _least,
    }
    rng = np.random.default_rng(case.seed)
    ways |= {f"all seats act at random ({number})": _random(rng) for number in range(RANDOM)}
    batch = case.family.batch_env(len(ways), scenario=scenario)
    batch.reset(case.seed)
    over = np.zeros(len(ways), bool)
    for _ in range(MOST_ROUNDS):
        batch.step(np.stack([way(mask) for way, mask in zip(ways.values(), batch.masks, strict=True)]))
        over |= batch.terminated | batch.truncated
        if over.all():
            break
    batch.close()
    if not over.all():
        way = [*ways][int(np.argmin(over))]
        raise ContractError(
            case.subject,
            f"a game of one item, seed {case.seed + int(np.argmin(over))}, is not over after {MOST_ROUNDS:,} rounds in "
            f"which {way}",
            f"an item takes at most {MOST_ROUNDS:,} rounds in any scenario; a scenario that allows more is refused",
        )


def _at_most(action: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda mask: action - np.argmax(mask[:, action::-1] > 0, axis=1)


def _least(mask: np.ndarray) -> np.ndarray:
    return np.where(mask[:, 1:].any(axis=1), 1 + np.argmax(mask[:, 1:] > 0, axis=1), 0)


def _random(rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    return lambda mask: np.argmax(rng.random(mask.shape) * (mask > 0), axis=1)
