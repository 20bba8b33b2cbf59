"""Bootstrap over deals: games that share a deal are drawn together, so that its luck cancels where it is shared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from aucenv.records import GameRecord

RESAMPLES = 500
LEVEL = 0.95


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure and its 95% interval; None where it is not defined, or two deals at least would be needed."""

    value: float | None
    low: float | None = None
    high: float | None = None


def deal_numbers(records: Sequence[GameRecord]) -> np.ndarray:
    """The deal of each game, from 0: one for all games with the same scenario and seed."""
    numbers: dict[tuple, int] = {}
    keys = ((record.scenario["name"], *record.seed) for record in records)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def resample(deals: np.ndarray) -> np.ndarray:
    """How often each deal is in each resample; always the same draws for as many deals.

    Args:
        deals: (games,) the deal of each game, from 0.

    Returns:
        (RESAMPLES, number of deals) int64; no rows with fewer than two deals.
    """
    number = int(deals.max(initial=-1)) + 1
    if number < 2:
        return np.empty((0, number), np.int64)
    return np.random.default_rng(number).multinomial(number, np.full(number, 1 / number), RESAMPLES)


def interval(resampled: np.ndarray, num_deals: int) -> tuple[float | None, float | None]:
    """The 95% interval of a figure, from its resampled values; those that are not defined (NaN) are left out.

    The expanded percentile interval of Hesterberg, "What teachers should know about the bootstrap", 2015, section
    4.3: wider than the middle 95%, as Student's t is than a normal, where deals are few.
    """
    defined = resampled[~np.isnan(resampled)]
    if not defined.size:
        return None, None
    tail = NormalDist().cdf(-math.sqrt(num_deals / (num_deals - 1)) * _student(num_deals - 1))
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def _student(freedom: int) -> float:
    """The upper 2.5% point of Student's t, to 1% from 3 degrees on (Abramowitz and Stegun, 26.7.5)."""
    z = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return sum(term / freedom**power for power, term in enumerate(terms))
