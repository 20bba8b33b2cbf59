"""95% intervals of figures: where they would be in other draws of the same design."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from aucenv.analysis.statistics.design import Design
from aucenv.core.records.figures import PooledFigure

RESAMPLES = 500
LEVEL = 0.95
MIN_DEALS = 5
"""The least number of deals for an interval, and one more than the least number of degrees of freedom."""
MOST_UNITS = 400
"""The most units that a jackknife leaves out: above this number of deals, groups of them."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure and its 95% interval.

    Attributes:
        value: the figure; None if it is not defined.
        low, high: the ends of the interval; None if it is not defined, or if too few deals contribute.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


def estimate(value: float, influence: np.ndarray, design: Design, counted: np.ndarray | None = None) -> Estimate:
    """Return the estimate of a figure, with the interval of Student's t distribution.

    Args:
        value: the figure.
        influence, counted: (deals,), as `Design.variance` takes them.
    """
    number = design.num_deals if counted is None else int(counted.sum())
    if number < MIN_DEALS:
        return Estimate(value)
    variances, degrees = design.variance(influence[:, None], counted)
    return with_interval(value, math.sqrt(float(variances[0])), degrees)


def with_interval(value: float, error: float, degrees: int) -> Estimate:
    """Return a value with the interval of Student's t distribution; without one if it has too few degrees of freedom.

    Args:
        error: the standard error.
        degrees: the degrees of freedom.
    """
    if degrees < MIN_DEALS - 1:
        return Estimate(value)
    half = student_point(degrees) * error
    return Estimate(value, value - half, value + half)


def ratio_influence(sums: np.ndarray) -> tuple[float | None, np.ndarray]:
    """Return a ratio of two sums over deals, and the influence of each deal on it: (deals,).

    Args:
        sums: (deals, 2), the numerator and denominator of each deal.
    """
    numerator, denominator = sums.sum(axis=0).tolist()
    if not denominator:
        return None, np.zeros(len(sums))
    value = numerator / denominator
    influence: np.ndarray = (sums[:, 0] - value * sums[:, 1]) / denominator
    return value, influence


def ratio(sums: np.ndarray, design: Design) -> Estimate:
    """Return the estimate of a figure that is a ratio of two sums over games.

    It has no interval if that of its denominator contains 0.

    Args:
        sums: (deals, 2), the numerator and denominator of each deal.
    """
    value, influence = ratio_influence(sums)
    if value is None:
        return Estimate(None)
    counted = sums[:, 1] != 0
    number = int(counted.sum())
    below = estimate(float(sums[:, 1].sum()), sums[:, 1] - sums[:, 1].sum() / number, design, counted)
    if below.low is not None and below.high is not None and below.low <= 0 <= below.high:
        return Estimate(value)
    return estimate(value, influence, design, counted)


def pooled(
    figure: PooledFigure, observations: Sequence[tuple[float, ...]], deals: Sequence[int], design: Design
) -> Estimate:
    """Return the estimate of a figure that is computed from all observations together, with a jackknife over deals.

    Args:
        deals: the deal number of each observation.
    """
    if not observations:
        return Estimate(None)
    chosen, numbers = np.unique(np.asarray(deals), return_inverse=True)
    value_of = figure.estimator(np.asarray(observations, float))
    value = value_of(np.ones(len(numbers)))
    if math.isnan(value):
        return Estimate(None)
    if len(chosen) < MIN_DEALS:
        return Estimate(value)
    groups, design = design.part(chosen).grouped(MOST_UNITS)
    of_group = groups[numbers]
    without = np.array([value_of((of_group != group).astype(float)) for group in range(design.num_deals)])
    influence = (value - without) * (1 - 1 / design.num_deals)
    return estimate(value, influence, design, ~np.isnan(without))


def resample(deals: np.ndarray) -> np.ndarray:
    """Return how often each resample contains each deal of one stratum; it depends only on the number of deals.

    Args:
        deals: (games,), the deal number of each game, from 0.

    Returns:
        (RESAMPLES, deals) int64.
    """
    number = int(deals.max(initial=-1)) + 1
    if number == 0:
        return np.empty((RESAMPLES, 0), np.int64)
    return np.random.default_rng(number).multinomial(number, np.full(number, 1 / number), RESAMPLES)


def interval(resampled: np.ndarray, num_deals: int) -> tuple[float | None, float | None]:
    """Return the 95% interval of a figure that has no linear influence, such as a median, from its resampled values.

    This is the expanded percentile interval of Hesterberg, "What teachers should know about the bootstrap", 2015,
    section 4.3. With few deals it is wider than the middle 95%, as Student's t is wider than a normal distribution.

    Args:
        resampled: (RESAMPLES,), the figure in each resample; undefined values (NaN) are ignored.
        num_deals: number of deals that contribute to the figure.

    Returns:
        The two ends; None, None with fewer than MIN_DEALS deals.
    """
    defined = resampled[~np.isnan(resampled)]
    if num_deals < MIN_DEALS or not defined.size:
        return None, None
    tail = NormalDist().cdf(-math.sqrt(num_deals / (num_deals - 1)) * student_point(num_deals - 1))
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def student_point(degrees: int) -> float:
    """Return the upper 2.5% point of Student's t distribution.

    The relative error is at most 0.3% from 4 degrees of freedom on (Abramowitz and Stegun, 26.7.5).
    """
    z = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return sum(term / degrees**power for power, term in enumerate(terms))
