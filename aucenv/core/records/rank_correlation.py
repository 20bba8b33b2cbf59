"""Spearman's rank correlation, computed with scipy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.core.extras import missing_extra


def scipy_stats() -> Any:
    """Return the module `scipy.stats`.

    Raises:
        MissingExtra: scipy is not installed.
    """
    try:
        from scipy import stats
    except ImportError as error:
        raise missing_extra("a test of significance", "stats") from error
    return stats


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, or None for fewer than two pairs or if either sequence is constant.

    Raises:
        MissingExtra: scipy is not installed.
    """
    stats = scipy_stats()
    if len(first) < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(stats.spearmanr(first, second).statistic)
