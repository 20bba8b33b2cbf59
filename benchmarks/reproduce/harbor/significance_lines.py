"""Tests of significance as HARBOR reports them, in a line each; `-` where they are not defined, or without scipy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aucenv.analysis.significance import linear_trend, one_way_anova, t_test

MISSING = "- (pip install 'aucenv[stats]')"


def anova_line(groups: Sequence[Sequence[float]]) -> str:
    """`F(3, 56) = 2.52, p = 0.067, eta squared 0.12`."""
    try:
        made = one_way_anova(groups)
    except ImportError:
        return MISSING
    if made is None:
        return "-"
    return (
        f"F({made.df_between}, {made.df_within}) = {made.f:.2f}, p = {made.p:.3g}, eta squared {made.eta_squared:.2f}"
    )


def trend_line(means: Sequence[float]) -> str:
    """`r = -0.98, p = 0.017, -9.33 points`: of the means in order; the last less the first."""
    try:
        made = linear_trend(means)
    except ImportError:
        return MISSING
    return "-" if made is None else f"r = {made.r:.2f}, p = {made.p:.3g}, {made.change:+.2f} points"


def t_line(baseline: Sequence[float], other: Sequence[float]) -> str:
    """`+12.36, t(28) = -3.33, p = 0.0024, d = 1.22`: as published, t of the baseline against it; d the other way."""
    try:
        made = t_test(baseline, other)
    except ImportError:
        return MISSING
    if made is None:
        return "-"
    change = sum(other) / len(other) - sum(baseline) / len(baseline)
    return f"{change:+.2f}, t({made.df}) = {made.t:.2f}, p = {made.p:.3g}, d = {-made.cohens_d:.2f}"


def paired_line(baseline: Sequence[float], other: Sequence[float], per_deal: int = 1) -> str:
    """The same of games in pairs, with the 95% interval of the difference.

    Args:
        per_deal: so many games after one another share a deal, and count once, by their mean.
    """
    differences = np.subtract(other, baseline)
    deals = [differences[i : i + per_deal].mean() for i in range(0, len(differences), per_deal)]
    try:
        made = t_test(deals, [0.0] * len(deals), paired=True)
        from scipy.stats import t
    except ImportError:
        return MISSING
    if made is None:
        return "-"
    half = np.std(deals, ddof=1) / len(deals) ** 0.5 * t.ppf(0.975, made.df)
    return f"{np.mean(deals):+.2f} ±{half:.2f}, t({made.df}) = {made.t:.2f}, p = {made.p:.3g}, d = {made.cohens_d:.2f}"
