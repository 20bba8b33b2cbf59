"""Intervals by design: strata, lone deals, ratios and pooled figures, against closed forms and simulation."""

from __future__ import annotations

import dataclasses
import math
from itertools import combinations

import numpy as np
import pytest
from aucenv.benchmarks.coverage import BOARDS, board, rows

from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import estimate, pooled, ratio, ratio_influence, student_point
from aucenv.core.records.figures import PooledFigure

LINEUPS = [tuple(sorted(names)) for names in combinations("abcd", 3)]


def design_of(strata):
    return Design.of(np.arange(len(strata)), [LINEUPS[number] for number in strata])


def test_strata_are_the_lineups_in_a_setting():
    deals = np.array([0, 0, 1, 1, 2, 3])
    lineups = [("a", "b"), ("a", "c"), ("a", "c"), ("a", "b"), ("a", "b"), ("a", "b")]
    design = Design.of(deals, lineups, ["x", "x", "x", "x", "x", "y"])
    assert design.strata.tolist() == [0, 0, 1, 2]
    assert design.settings.tolist() == [0, 0, 0, 1]
    assert design.shares.tolist() == [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.5, 0.5, 0], [0.5, 0.5, 0]]


def test_a_variance_is_that_of_stratified_sampling():
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1, 2], [4, 2, 9])
    values = rng.normal(size=(15, 2)) + 100 * strata[:, None]  # the differences between strata are no noise
    variances, degrees = design_of(strata).variance(values)
    expected = sum(len(part) * part.var(axis=0, ddof=1) for part in (values[strata == h] for h in range(3)))
    assert variances == pytest.approx(expected)
    assert degrees == 15 - 3


def test_deals_alone_in_their_stratum_differ_by_what_their_bidders_do_not_explain():
    rng = np.random.default_rng(0)
    lineups = [tuple(sorted(names)) for names in combinations("abcdefgh", 3)]
    design = Design.of(np.arange(len(lineups)), lineups)
    strength = dict(zip("abcdefgh", rng.normal(0, 100, 8), strict=True))
    fixed = np.array([sum(strength[name] for name in lineup) for lineup in lineups])
    variances = [
        float(design.variance((fixed + rng.normal(size=len(lineups)))[:, None])[0][0]) / len(lineups) for _ in range(50)
    ]
    assert np.mean(variances) == pytest.approx(1, abs=0.1)
    assert design.variance(fixed[:, None])[1] == len(lineups) - 8


def test_one_lone_deal_deviates_from_the_mean():
    design = design_of([0, 0, 0, 0, 0, 1])
    variances, degrees = design.variance(np.array([[1.0]] * 5 + [[3.0]]))
    assert (variances.tolist(), degrees) == ([9.0], 4)


@pytest.mark.parametrize("size", [0, 1, 4])
def test_few_deals_have_no_interval(size):
    estimated = estimate(1.0, np.zeros(size), Design.alike(size))
    assert (estimated.value, estimated.low, estimated.high) == (1.0, None, None)


def test_a_mean_has_the_interval_of_students_t():
    values = np.array([3.0, 4.0, 8.0, 1.0, 5.0, 9.0])
    estimated = ratio(np.stack([values, np.ones(6)], axis=1), Design.alike(6))
    half = student_point(5) * values.std(ddof=1) / math.sqrt(6)
    assert (estimated.value, estimated.low, estimated.high) == pytest.approx((5, 5 - half, 5 + half))


def test_a_ratio_has_no_interval_if_its_denominator_may_be_zero():
    sums = np.array([[1.0, below] for below in (9, -8, 7, -6, 2, 1)])
    estimated = ratio(sums, Design.alike(6))
    assert estimated.value == pytest.approx(6 / 5)
    assert (estimated.low, estimated.high) == (None, None)
    assert ratio(np.zeros((6, 2)), Design.alike(6)).value is None


def test_a_pooled_mean_has_the_interval_of_the_ratio():
    rng = np.random.default_rng(0)
    for deals in (30, 2000):
        numbers = rng.integers(deals, size=4 * deals)
        values = rng.normal(size=len(numbers)) + numbers % 3
        design = Design.of(np.arange(deals), [LINEUPS[deal % 3] for deal in range(deals)])
        sums = np.zeros((deals, 2))
        np.add.at(sums, numbers, np.stack([values, np.ones(len(values))], axis=1))
        figure = PooledFigure(
            lambda seat: seat, lambda table: lambda weights: float(weights @ table[:, 0] / weights.sum())
        )
        estimated = pooled(figure, [(value,) for value in values], numbers.tolist(), design)
        expected = ratio(sums, design)
        assert estimated.value == pytest.approx(expected.value)
        assert estimated.high - estimated.low == pytest.approx(expected.high - expected.low, rel=0.25)


def test_influences_add_up_to_nothing():
    value, influence = ratio_influence(np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 0.0]]))
    assert value == pytest.approx(4 / 3)
    assert influence.sum() == pytest.approx(0)
    assert influence[2] == 0


@pytest.mark.parametrize(
    ("name", "games"),
    [("one lineup, 30 games", 30), ("sealed bids", 60), pytest.param("sealed bids", 300, marks=pytest.mark.slow)],
)
def test_intervals_cover_what_repeated_boards_give(name, games):
    ratings, means = rows(dataclasses.replace(BOARDS[name], games=games), 30)
    for row in (ratings, means):
        assert 0.85 <= row["coverage"] <= 1
        assert 0.7 <= row["width"] <= 1.5
    assert ratings["equal"] <= 0.2


def test_a_compiled_board_is_that_of_the_leaderboard():
    from aucenv.benchmarks.rankings.leaderboard import matches

    from aucenv.analysis.ranking.ratings import rate
    from aucenv.analysis.statistics.metrics import bidder_figures

    records = [match.play() for match in matches(BOARDS["one lineup, 30 games"])]
    played = board(BOARDS["one lineup, 30 games"])
    figures, rated = bidder_figures(records), rate(records)
    for bidder, (mean, _) in played.means.items():
        assert figures[bidder]["profit_mean"] == mean
        assert rated.of(bidder).value == pytest.approx(played.ratings[bidder][0].value, abs=0.2)
