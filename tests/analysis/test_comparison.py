"""Comparisons of two runs."""

from __future__ import annotations

import numpy as np
import pytest
from aucenv.benchmarks.rankings.leaderboard import Settings, matches

from aucenv.analysis.statistics.comparison import compare, comparison_table

RULES = ("a=value", "b=rule", "c=drain")
OTHERS = ("a=value,margin=0.3", "b=rule", "d=drain")


def games(bidders, seed=0, number=60):
    return [match.play() for match in matches(Settings(bidders=bidders, games=number, seed=seed))]


def mean_profit(records, bidder) -> float:
    profits = [
        result["profit"]
        for record in records
        for player, result in zip(record.seats, record.outcome["seats"], strict=True)
        if player["bidder"].startswith(f"{bidder}=")
    ]
    return float(np.mean(profits))


@pytest.fixture(scope="module")
def runs():
    return games(RULES), games(OTHERS), games(OTHERS, seed=5)


def test_runs_of_the_same_deals_are_paired(runs):
    first, second, other = runs
    paired = {d.bidder: d for d in compare(first, second) if d.figure == "profit_mean"}
    assert set(paired) == {"a", "b"}
    assert {d.deals for d in paired.values()} == {20}
    for bidder, difference in paired.items():
        expected = mean_profit(second, bidder) - mean_profit(first, bidder)
        assert difference.change.value == pytest.approx(expected)
        assert difference.change.low < difference.change.value < difference.change.high
    assert {d.deals for d in compare(first, other)} == {0}


def test_pairing_makes_the_luck_of_a_deal_cancel(runs):
    similar = ("a=value", "b=rule,k=2", "c=drain")
    paired, unpaired = (
        next(d.change for d in compare(runs[0], games(similar, seed)) if d.figure == "profit_mean") for seed in (0, 5)
    )
    assert paired.high - paired.low < 0.7 * (unpaired.high - unpaired.low)


def test_only_shared_deals_are_compared(runs):
    first, second, _ = runs
    part = compare(first[:45], second)
    assert {d.deals for d in part} == {15}
    difference = next(d for d in part if (d.bidder, d.figure) == ("b", "profit_mean"))
    assert difference.second.value == pytest.approx(mean_profit(second[:45], "b"))


def test_a_run_does_not_differ_from_itself(runs):
    for difference in compare(runs[0], runs[0]):
        assert difference.change.value == difference.change.low == difference.change.high == 0


def test_few_deals_give_no_interval(runs):
    differences = compare(runs[0][:9], runs[1][:9])
    assert {d.change.low for d in differences} == {None}
    table = comparison_table(differences, "english", ("A", "B"))
    assert "too few deals for intervals (5 are needed)" in table.title
    assert not any("±" in cell for line in table.lines for cell in line)


def test_runs_without_a_common_bidder_are_refused(runs):
    with pytest.raises(ValueError, match="expected a bidder that plays in both runs, got a, b, c and x"):
        compare(runs[0], games(("x=rule", "y=value", "z=pace"), number=3))
