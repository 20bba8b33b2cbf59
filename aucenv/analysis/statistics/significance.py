"""Significance tests that the papers report, computed with scipy; each returns None if it is not defined."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Sequence

import numpy as np

from aucenv.core.records.rank_correlation import scipy_stats


def _is_constant(values: Sequence[float] | np.ndarray) -> bool:
    return bool(np.std(values) < 1e-9 * max(1.0, abs(np.mean(values))))


@dataclasses.dataclass(frozen=True)
class TTest:
    """A two-sided t-test of a difference in means; `cohens_d` is the difference divided by a standard deviation."""

    t: float
    df: int
    p: float
    cohens_d: float


def t_test(first: Sequence[float], second: Sequence[float], paired: bool = False) -> TTest | None:
    """Run Student's t-test of the mean of `first` minus the mean of `second`.

    Cohen's d divides by the pooled standard deviation, or by that of the differences (d_z) if values are paired.

    Args:
        first, second: at least two values each; otherwise, and if all values are equal, the test is not defined.
        paired: test the differences of paired values, instead of pooling the variances.

    Raises:
        ImportError: scipy is not installed.
        ValueError: the values are paired, but their numbers differ.
    """
    stats = scipy_stats()
    if paired and len(first) != len(second):
        raise ValueError(f"paired values: expected two samples of equal length, got {len(first)} and {len(second)}")
    if min(len(first), len(second)) < 2:
        return None
    a, b = np.asarray(first, float), np.asarray(second, float)
    if _is_constant(a - b) if paired else _is_constant(a) and _is_constant(b):
        return None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)  # one sample may be constant
        result = stats.ttest_rel(a, b) if paired else stats.ttest_ind(a, b, equal_var=True)
    df = len(a) - 1 if paired else len(a) + len(b) - 2
    if paired:
        deviation = np.std(a - b, ddof=1)
    else:
        deviation = math.sqrt((np.var(a, ddof=1) * (len(a) - 1) + np.var(b, ddof=1) * (len(b) - 1)) / df)
    return TTest(float(result.statistic), df, float(result.pvalue), float((a.mean() - b.mean()) / deviation))


@dataclasses.dataclass(frozen=True)
class Anova:
    """A one-way analysis of variance; `eta_squared` is the share of the variance between groups."""

    f: float
    df_between: int
    df_within: int
    p: float
    eta_squared: float


def one_way_anova(groups: Sequence[Sequence[float]]) -> Anova | None:
    """Test whether the means of several groups differ.

    Raises:
        ImportError: scipy is not installed.
    """
    stats = scipy_stats()
    values = np.concatenate([np.asarray(group, float) for group in groups]) if len(groups) else np.empty(0)
    if len(groups) < 2 or min(map(len, groups)) < 1 or len(values) <= len(groups):
        return None
    if all(_is_constant(group) for group in groups):
        return None
    result = stats.f_oneway(*groups)
    between = sum(len(group) * (np.mean(group) - values.mean()) ** 2 for group in groups)
    total = ((values - values.mean()) ** 2).sum()
    df = (len(groups) - 1, len(values) - len(groups))
    return Anova(float(result.statistic), *df, float(result.pvalue), float(between / total))


@dataclasses.dataclass(frozen=True)
class Trend:
    """A linear trend over ordered conditions; `change` is the last mean minus the first."""

    r: float
    p: float
    change: float


def linear_trend(means: Sequence[float]) -> Trend | None:
    """Correlate (Pearson) the means of three or more ordered conditions with their positions.

    Raises:
        ImportError: scipy is not installed.
    """
    stats = scipy_stats()
    if len(means) < 3 or _is_constant(means):
        return None
    result = stats.pearsonr(range(len(means)), means)
    return Trend(float(result.statistic), float(result.pvalue), float(means[-1] - means[0]))
