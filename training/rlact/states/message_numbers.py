"""The numbers in terse messages: eleven of the numbers that describe a decision point, rounded."""

from __future__ import annotations

import math

import numpy as np
from aucenv.baselines.scripted.decision_numbers import NAMES, decision_numbers
from aucenv.training.rlact.states.state_features import COUNT_FEATURES

PERCENT_STEP, MAX_PERCENT, MAX_COUNT = 5, 500, 20
"""Step and maximum of ratios, in percent, and maximum of counts. The rounding does not lower the probe's accuracy."""
TERSE_FEATURES = (
    *("least/worth", "worth/start", "after/start", "budget/ahead", "rivals/ahead", "mean/later", "later/start"),
    *("later", "bids", "rivals/in", "rivals"),
)
"""The features in terse messages; the probe is as accurate with these as with all `state_features`."""
TERSE_RIVAL_FEATURES = ("reached/start", "left/worth", "against/me")
"""The features of each active rival in messages of detail "terse-2"; see `rival_features`."""
_COLUMNS = [NAMES.index(name) for name in TERSE_FEATURES]
_COUNTS = np.array([name in COUNT_FEATURES for name in TERSE_FEATURES])


def in_words(name: str, value: float) -> str:
    """Return a feature in words; one that is NaN, because nothing reveals it yet, is unknown."""
    if math.isnan(value):
        return f"{name} unknown"
    if name in COUNT_FEATURES:
        return f"{name} {min(MAX_COUNT, round(value))}"
    return f"{name} {min(MAX_PERCENT, PERCENT_STEP * round(100 / PERCENT_STEP * value))}%"


def terse_words(values: np.ndarray) -> list[str]:
    """Return the numbers in one terse message in words.

    Args:
        values: (TERSE_FEATURES,) of `message_numbers`.
    """
    return [
        f"{name} {int(value)}" if count else f"{name} {int(value)}%"
        for name, value, count in zip(TERSE_FEATURES, values.tolist(), _COUNTS.tolist(), strict=True)
    ]


def message_numbers(rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the numbers in the terse messages of decisions, (decisions, TERSE_FEATURES) float64.

    Args:
        rows: (any,) states of an English or a housing auction.
        numbers: (decisions,) the row of each decision.
        seats: (decisions,) the deciding seats.
    """
    chosen = exact_numbers(rows, numbers, seats)
    percents = np.minimum(MAX_PERCENT, PERCENT_STEP * np.round(100 / PERCENT_STEP * chosen))
    return np.where(_COUNTS, np.minimum(MAX_COUNT, np.round(chosen)), percents)


def exact_numbers(rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return TERSE_FEATURES of decisions, not rounded, (decisions, TERSE_FEATURES) float64; see `message_numbers`."""
    exact = np.empty((len(numbers), len(NAMES)))
    decision_numbers(0, len(numbers), 0, rows, numbers, seats, exact)
    return exact[:, _COLUMNS]
