"""The mean of amounts of which some are only known to be higher than observed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucenv.core.records.censored_mean import censored_mean


def mean(amounts, exact, weights=None):
    array = np.array(amounts, float)
    return censored_mean(array, np.array(exact, bool))(np.ones(len(array)) if weights is None else np.array(weights))


@pytest.mark.parametrize(
    ("amounts", "exact", "expected"),
    [
        ([1, 2, 3], [1, 1, 1], 2),
        ([1, 2, 3, 4], [1, 1, 0, 1], 0.25 * 1 + 0.25 * 2 + 0.5 * 4),  # the third is shared among those above it
        ([4, 1, 3, 2], [1, 1, 0, 1], 2.75),
        ([1, 2, 3], [1, 0, 0], 1 / 3 + 2 / 3 * 3),  # the highest counts as exact
        ([2, 2, 1], [0, 1, 0], 2),  # of equal ones, the censored one is higher
        ([0.5, 1, 1], [0, 1, 1], 1),
        ([-1, -0.5], [1, 0], -0.75),
    ],
)
def test_means_computed_by_hand(amounts, exact, expected):
    assert mean(amounts, exact) == pytest.approx(expected)


def test_without_an_exact_amount_there_is_no_mean():
    assert math.isnan(mean([1, 2], [0, 0]))
    assert math.isnan(mean([], []))
    assert math.isnan(mean([1, 2], [1, 0], [0, 3]))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(0, 3)), min_size=1, max_size=12))
def test_weights_are_numbers_of_repetitions(observations):
    amounts, exact, weights = zip(*observations, strict=True)
    repeated = [(amount, end) for amount, end, weight in observations for _ in range(weight)]
    once = mean([amount for amount, _ in repeated], [end for _, end in repeated])
    assert mean(amounts, exact, weights) == pytest.approx(once, nan_ok=True)


def test_censoring_at_independent_amounts_does_not_bias_the_mean():
    rng = np.random.default_rng(0)
    amounts, limits = rng.uniform(0, 1, 40_000), rng.uniform(0, 1, 40_000)
    assert mean(np.minimum(amounts, limits), amounts <= limits) == pytest.approx(0.5, abs=0.02)
    assert np.minimum(amounts, limits).mean() == pytest.approx(1 / 3, abs=0.01)  # what counting limits gives
    assert amounts[amounts <= limits].mean() == pytest.approx(1 / 3, abs=0.01)  # what dropping limits gives
