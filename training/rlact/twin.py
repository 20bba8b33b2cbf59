"""The twin of a model: trees of the numbers in messages that imitate its decisions, and play much faster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.training.rlact.probe import ProbeResult, fit_trees, save_probe
from aucenv.training.rlact.probe_features import MESSAGES, probe_features
from aucenv.training.rlact.states import DecisionState

from aucenv.core.actions import read_dollar_action
from aucenv.core.reply import read as read_bid
from aucenv.core.state import WITHDRAW


def fit_twin(
    bidder: Any, train: Sequence[DecisionState], held_out: Sequence[DecisionState], path: Path, seed: int
) -> float:
    """Fit trees to a bidder's decisions to bid or to withdraw, and write them as a probe.

    Args:
        bidder: the bidder.
        train, held_out: states of one game; the probe's accuracy is measured on the latter.
        path: the file of the probe.
        seed: the seed of the trees.

    Returns:
        The share of held-out states in which the twin decides as the bidder.

    Raises:
        ValueError: The bidder decides the same in all training states.
        MissingExtra: scikit-learn is not installed.
    """
    (values, decisions), (held_out_values, expected) = (
        (np.array([probe_features(s.view(), MESSAGES) for s in states]), _bids(bidder, states))
        for states in (train, held_out)
    )
    if decisions.all() or not decisions.any():
        raise ValueError(f"{path}: expected a model with both decisions, got the same one in {len(decisions)} states")
    trees = fit_trees(values, decisions, seed)
    agreement = float((trees.predict(held_out_values) == expected).mean())
    chance = float(max(expected.mean(), 1 - expected.mean()))
    save_probe(path, ProbeResult(agreement, chance, len(decisions), len(expected), trees, MESSAGES), train, seed)
    return round(agreement, 4)


def _bids(bidder: Any, states: Sequence[DecisionState]) -> np.ndarray:
    """Return whether a bidder bids in each state, (states,) bool."""
    if not hasattr(bidder, "act_rows"):
        views = [state.view() for state in states]
        return np.array([_amount(bidder.act(view, {})) != WITHDRAW for view in views])
    bids = np.zeros(len(states), np.bool_)
    layouts: dict[Any, list[int]] = defaultdict(list)
    for i, state in enumerate(states):
        layouts[state.full_row.dtype].append(i)
    for numbers in layouts.values():
        rows = np.concatenate([states[i].full_row for i in numbers])
        seats = np.array([states[i].seat for i in numbers])
        bids[numbers] = bidder.act_rows(rows, np.arange(len(numbers)), seats) != WITHDRAW
    return bids


def _amount(action: Any) -> int:
    try:
        return read_bid(action) if isinstance(action, str) else read_dollar_action(action)
    except ValueError:
        return WITHDRAW
