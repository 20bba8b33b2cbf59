"""The behavior of bidders in any state of a game: the probabilities of their vector actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from aucenv.training.ppo.checkpoint import Checkpoint

from aucenv.core.compiled.networks import outputs_of
from aucenv.policy.registry import rule_numbers
from aucenv.registration import find_family

Chooser = Callable[[np.ndarray, int], np.ndarray]
"""A function from a state of one row and a seat to the probabilities of its vector actions."""


def network_chooser(game: str, network: Checkpoint, num_actions: int) -> Chooser:
    """Return the behavior of a network that draws vector actions."""
    vector, params = find_family(game).game.features, network.encoded()

    def choose(row: np.ndarray, seat: int) -> np.ndarray:
        seats = int(row["num_seats"][0])
        observed, legal = np.zeros((seats, network.num_features), np.float32), np.zeros((seats, num_actions), np.int8)
        vector.features(row, 0, observed)
        vector.mask(row, 0, legal)
        logits = np.where(legal[seat], outputs_of(params, observed[seat].astype(np.float64)), -np.inf)
        probabilities = np.exp(logits - logits.max())
        return probabilities / probabilities.sum()

    return choose


def rule_chooser(game: str, bidder: str, scenario: Any, num_actions: int) -> Chooser:
    """Return the behavior of a rule bidder whose bids are vector actions, or later prices of a clock.

    Raises:
        ValueError: It is not a rule bidder of the game, or cannot play the scenario; or, when it is called, its bid is
            none of the vector actions.
    """
    declared = find_family(game).game
    kind, params = rule_numbers(game, bidder, scenario)
    memory = np.full(declared.rollouts.memory_size(len(scenario.bidders), scenario.num_items), -1.0)

    def choose(row: np.ndarray, seat: int) -> np.ndarray:
        memory[0] = -1.0
        bid = declared.rollouts_of(np.array([kind])).decide(kind, params, row, 0, seat, memory)
        amounts = [declared.features.amount(row, 0, seat, action) for action in range(num_actions)]
        if "falling" in (row.dtype.names or ()) and bid not in amounts:  # it names a price at which to act later
            bid = amounts[0] if row["falling"][0] else amounts[1]
        if bid not in amounts:
            raise ValueError(
                f"bidder {bidder!r}: its bid of {bid / 100:g} dollars is none of the {num_actions} actions"
            )
        probabilities = np.zeros(num_actions)
        probabilities[amounts.index(bid)] = 1.0
        return probabilities

    return choose
