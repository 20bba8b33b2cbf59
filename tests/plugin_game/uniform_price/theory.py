"""Facts from theory, as exact sums over the grid of values."""

from __future__ import annotations

from math import comb

from uniform_price.game import UniformPriceScenario


def expected_price(scenario: UniformPriceScenario) -> float:
    """Return the expected price in dollars if all bid their values: the (K+1)-th highest of n uniform values.

    On a fine grid it is highest_value * (n - K) / (n + 1) (Krishna, Auction Theory, appendix C).
    """
    n, k = scenario.num_bidders, scenario.num_units
    points = round(scenario.highest_value / scenario.step) + 1
    total = 0.0
    for level in range(1, points):
        p = (points - level) / points  # a value is at least `level` steps
        total += sum(comb(n, m) * p**m * (1 - p) ** (n - m) for m in range(k + 1, n + 1))
    return total * scenario.step


def expected_revenue(scenario: UniformPriceScenario) -> float:
    """Return the expected revenue of a round in dollars if all bid their values."""
    return scenario.num_units * expected_price(scenario)
