"""Significance tests formatted as in HARBOR, one line each; `-` if a test is undefined or scipy is not installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aucenv.analysis.statistics.significance import linear_trend, one_way_anova, t_test

MISSING = "- (needs the extra stats)"


def anova_line(groups: Sequence[Sequence[float]]) -> str:
    """Format an analysis of variance: `F(3, 56) = 2.52, p = 0.067, eta squared 0.12`."""
    try:
        test = one_way_anova(groups)
    except ImportError:
        return MISSING
    if test is None:
        return "-"
    return (
        f"F({test.df_between}, {test.df_within}) = {test.f:.2f}, p = {test.p:.3g}, eta squared {test.eta_squared:.2f}"
    )


def trend_line(means: Sequence[float]) -> str:
    """Format the linear trend of the means in order: `r = -0.98, p = 0.017, -9.33 points`, the last less the first."""
    try:
        test = linear_trend(means)
    except ImportError:
        return MISSING
    return "-" if test is None else f"r = {test.r:.2f}, p = {test.p:.3g}, {test.change:+.2f} points"


def t_line(baseline: Sequence[float], other: Sequence[float]) -> str:
    """Format a t-test of two samples: `+12.36, t(28) = -3.33, p = 0.0024, d = 1.22`.

    As in the paper, t compares the baseline with `other`, and d has the opposite sign.
    """
    try:
        test = t_test(baseline, other)
    except ImportError:
        return MISSING
    if test is None:
        return "-"
    change = sum(other) / len(other) - sum(baseline) / len(baseline)
    return f"{change:+.2f}, t({test.df}) = {test.t:.2f}, p = {test.p:.3g}, d = {-test.cohens_d:.2f}"


def paired_line(baseline: Sequence[float], other: Sequence[float], per_deal: int = 1) -> str:
    """Format a paired t-test, with the 95% interval of the difference.

    Args:
        per_deal: the number of consecutive games that share a deal; they count as one pair, by their mean.
    """
    differences = np.subtract(other, baseline)
    deals = [differences[i : i + per_deal].mean() for i in range(0, len(differences), per_deal)]
    try:
        test = t_test(deals, [0.0] * len(deals), paired=True)
        from scipy.stats import t
    except ImportError:
        return MISSING
    if test is None:
        return "-"
    half = np.std(deals, ddof=1) / len(deals) ** 0.5 * t.ppf(0.975, test.df)
    return f"{np.mean(deals):+.2f} ±{half:.2f}, t({test.df}) = {test.t:.2f}, p = {test.p:.3g}, d = {test.cohens_d:.2f}"
