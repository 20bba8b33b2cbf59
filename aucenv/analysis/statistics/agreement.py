"""Krippendorff's alpha: how well several raters agree, beyond the agreement that random ratings would have.

Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, sections C and D.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from aucenv.core.checks import one_of


def _ordinal(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the squared number of ratings from one value to another, of which those at both ends count half."""
    places = np.arange(len(values))
    below = np.concatenate([[0.0], np.cumsum(counts)])
    ratings = below[np.maximum.outer(places, places) + 1] - below[np.minimum.outer(places, places)]
    return (ratings - (counts[:, None] + counts[None, :]) / 2) ** 2


def _interval(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the squared differences of values."""
    return (values[:, None] - values[None, :]) ** 2


METRICS: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"ordinal": _ordinal, "interval": _interval}
"""Squared differences between values, (values, values), from the values in order and the number of their ratings."""


def krippendorff_alpha(ratings: np.ndarray, metric: str = "ordinal") -> float | None:
    """Return Krippendorff's alpha: 1 for perfect agreement, 0 for that of random ratings, negative for less.

    Args:
        ratings: (raters, subjects), NaN for a missing rating.
        metric: "ordinal", where only the order of values counts, or "interval", where their differences count.

    Returns:
        Alpha; None if it is not defined, because no subject has two ratings, or all of those ratings are equal.

    Raises:
        ValueError: the metric is unknown.
    """
    one_of("metric", metric, METRICS)
    numbers = np.sum(~np.isnan(ratings), axis=0)
    paired, numbers = ratings[:, numbers > 1], numbers[numbers > 1]
    values = np.unique(paired[~np.isnan(paired)])
    if len(values) < 2:
        return None
    by_subject = np.array([np.sum(paired == value, axis=0) for value in values], float)  # (values, subjects)
    pairs = (by_subject / (numbers - 1)) @ by_subject.T - np.diag((by_subject / (numbers - 1)).sum(axis=1))
    counts = pairs.sum(axis=1)
    differences = METRICS[metric](values, counts)
    expected = (np.outer(counts, counts) * differences).sum() / (counts.sum() - 1)
    return float(1 - (pairs * differences).sum() / expected)
