"""References of the benchmark: the best response in a round, and committed scores that are recomputed."""

from __future__ import annotations

import numpy as np
import pytest
from aucenv.benchmarks.benchmark.best_response import known_ties
from aucenv.benchmarks.benchmark.references import compute, suite_hash, suite_references
from aucenv.benchmarks.benchmark.suite import load_suite
from aucenv.benchmarks.benchmark.tables import HASH_DIGITS
from aucenv.training.rlact.sealed.profits import round_profits
from paths import ROOT

from aucenv.envs.sealed_bid.game import SCENARIOS
from aucenv.theory import bid_grid, expected_profits, signals


@pytest.mark.parametrize("name", ["first-ipv", "second-ipv", "all-pay-ipv", "second-cv-3", "first-ipv-4"])
def test_profits_against_equal_rivals_are_those_of_theory(name):
    scenario = SCENARIOS[name]
    grid = signals(scenario)
    bids = np.clip(grid // 200 * 100, 0, bid_grid(scenario)[-1])  # half of the signal, rounded down: many ties
    expected = expected_profits(scenario, bids)
    for place in (0, len(grid) // 3, len(grid) - 1):
        rivals, signal = np.array([bids] * (scenario.num_bidders - 1)), int(grid[place])
        profits = round_profits(scenario, signal, known_ties(scenario, signal, rivals))
        np.testing.assert_allclose(profits / 100, expected[place], atol=1e-9)


def test_profits_against_different_rivals_are_those_of_all_outcomes():
    scenario = SCENARIOS["second-ipv"]
    grid = signals(scenario)
    rivals = np.array([grid, np.where(grid < 5000, -1, grid // 300 * 100)])  # the second one sometimes abstains
    profits = round_profits(scenario, 6000, known_ties(scenario, 6000, rivals))
    for bid in (0, 1700, 2500, 9900):
        first, second = np.meshgrid(*rivals)
        highest = np.maximum(np.maximum(first, second), 0)
        tied = (first == bid).astype(int) + (second == bid)
        lost = np.maximum(first, second) > bid
        outcomes = np.where(lost, 0.0, (6000 - highest) / (1 + np.where(np.maximum(first, second) == bid, tied, 0)))
        assert profits[bid // 100] == pytest.approx(outcomes.mean())


@pytest.mark.parametrize(
    "key", [suite_table.key for tables in load_suite().tables.values() for suite_table in tables[:2]]
)
def test_committed_references_are_those_that_are_computed(key):
    suite, committed = load_suite(), suite_references().tables[key]
    table, number = suite.table(key), len(key) % 20
    deals = [table.deal(number)]
    assert len(committed.zero) == len(committed.one) == suite.sizes["L"] * suite.deals_per_round[table.game]
    computed = compute(deals, suite, bidders={key: committed.bidder})[key]
    assert (*computed.zero, *computed.one) == (committed.zero[number], committed.one[number])
    assert np.mean(committed.one) > np.mean(committed.zero)


def test_the_page_shows_the_suite_of_today():
    page = (ROOT / "docs" / "benchmark.md").read_text()
    assert f"suite hash {suite_hash(load_suite(), suite_references())[:HASH_DIGITS]}" in page
    assert "No capable language model was at hand" in page
