"""References of the benchmark: the best response in a round, and committed scores that are recomputed."""

from __future__ import annotations

import numpy as np
import pytest
from aucenv.benchmarks.benchmark.best_response import round_profits

from aucenv.envs.sealed_bid.scenario import SCENARIOS
from aucenv.theory import bid_grid, expected_profits, signals


@pytest.mark.parametrize("name", ["first-ipv", "second-ipv", "all-pay-ipv", "second-cv-3", "first-ipv-4"])
def test_profits_against_equal_rivals_are_those_of_theory(name):
    scenario = SCENARIOS[name]
    grid = signals(scenario)
    bids = np.clip(grid // 200 * 100, 0, bid_grid(scenario)[-1])  # half of the signal, rounded down: many ties
    expected = expected_profits(scenario, bids)
    for place in (0, len(grid) // 3, len(grid) - 1):
        profits = round_profits(scenario, int(grid[place]), np.array([bids] * (scenario.num_bidders - 1)))
        np.testing.assert_allclose(profits / 100, expected[place], atol=1e-9)


def test_profits_against_different_rivals_are_those_of_all_outcomes():
    scenario = SCENARIOS["second-ipv"]
    grid = signals(scenario)
    rivals = np.array([grid, np.where(grid < 5000, -1, grid // 300 * 100)])  # the second one sometimes abstains
    profits = round_profits(scenario, 6000, rivals)
    for bid in (0, 1700, 2500, 9900):
        first, second = np.meshgrid(*rivals)
        highest = np.maximum(np.maximum(first, second), 0)
        tied = (first == bid).astype(int) + (second == bid)
        lost = np.maximum(first, second) > bid
        outcomes = np.where(lost, 0.0, (6000 - highest) / (1 + np.where(np.maximum(first, second) == bid, tied, 0)))
        assert profits[bid // 100] == pytest.approx(outcomes.mean())
