"""Textbook facts about proxy auctions: prices of truthful bidders, reserves, dominance; exact and by rollouts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aucenv
from aucenv import theory
from aucenv.envs.ebay.game import EbayScenario

GAMES = 200_000


def by_enumeration(scenario):
    """Return the probability of a sale, and the expected price and revenue, over all values."""
    low, high = scenario.value_range
    values = np.arange(low, high + 1, scenario.value_step)
    sold, prices, revenue = [], [], []
    for drawn in itertools.product(values, repeat=scenario.num_bidders):
        second, top = sorted(drawn)[-2:]
        prices.append(min(top, second + scenario.increment))
        sold.append(top >= scenario.reserve)
        least = scenario.reserve if scenario.lift_to_reserve else 0
        revenue.append(max(prices[-1], least) if sold[-1] else 0)
    return np.mean(sold), np.mean(prices), np.mean(revenue)


@pytest.mark.parametrize("fields", [
    {}, {"num_bidders": 2, "increment": 7}, {"reserve": 12}, {"reserve": 12, "lift_to_reserve": True},
    {"num_bidders": 5, "value_range": (3, 9), "reserve": 8, "lift_to_reserve": True},
])  # fmt: skip
def test_theory_is_what_enumeration_finds(fields):
    scenario = EbayScenario("exact", **{"value_range": (0, 19), **fields})
    sold, price, revenue = by_enumeration(scenario)
    assert theory.proxy_sale_probability(scenario) == pytest.approx(sold, abs=1e-12)
    assert theory.proxy_expected_price(scenario) == pytest.approx(price, abs=1e-12)
    assert theory.proxy_expected_revenue(scenario) == pytest.approx(revenue, abs=1e-12)


def rollouts(**fields):
    """Return the sum of payments in each of many auctions of truthful bidders."""
    scenario = EbayScenario("rollouts", **fields)
    return aucenv.rollout("ebay", scenario, ["truthful"] * scenario.num_bidders, GAMES, seed=5), scenario


def test_truthful_bidders_pay_50_485():
    """FORMATS 1: three bidders with values from $0 to $99, an increment of $1."""
    results, scenario = rollouts()
    paid = results["paid"].sum(axis=1) / 100
    assert theory.proxy_expected_price(scenario) == pytest.approx(50.485, abs=5e-4)
    assert abs(paid.mean() - 50.48505) < 3 * paid.std() / GAMES**0.5


@pytest.mark.parametrize(("reserve", "sold", "revenue"), [(40, 0.936, 52.9), (50, 0.875, 53.4), (60, 0.784, 52.3)])
@pytest.mark.parametrize("closing", ["hard", "soft"])
def test_textbook_reserves(reserve, sold, revenue, closing):
    results, scenario = rollouts(reserve=reserve, lift_to_reserve=True, closing=closing, days=2)
    assert theory.proxy_sale_probability(scenario) == pytest.approx(sold, abs=5e-4)
    assert theory.proxy_expected_revenue(scenario) == pytest.approx(revenue, abs=0.05)
    paid, sales = results["paid"].sum(axis=1) / 100, results["prizes"].sum(axis=1)
    assert abs(paid.mean() - theory.proxy_expected_revenue(scenario)) < 3 * paid.std() / GAMES**0.5
    assert abs(sales.mean() - theory.proxy_sale_probability(scenario)) < 3 * sales.std() / GAMES**0.5


@given(st.lists(st.integers(0, 99), min_size=2, max_size=5), st.integers(0, 50), st.integers(1, 3), st.integers(1, 9))
@settings(max_examples=40)
def test_the_price_depends_on_the_two_highest_maxima_alone(maxima, seed, days, increment):
    env = aucenv.ebay_v0.parallel_env(
        num_bidders=len(maxima), days=days, increment=increment, interface="amount", illegal="clip", reveal="all"
    )
    env.reset(seed=seed)
    while env.agents:  # a maximum below the price, which is far above a low one if the increment is large, holds
        env.step(dict(zip(env.possible_agents, maxima, strict=True)))
    played = env.view("bidder_0").round_at(0)
    top, second = (*played.bids, None)[:2]
    assert played.price == (0 if second is None else min(top, second + increment))
    assert top == max(maxima)
    if increment == 1:
        assert played.price == min(max(maxima), sorted(maxima)[-2] + 1)


def loss_by_enumeration(increment, moves_first):
    """Return the greatest loss of a maximum equal to the value, over all values, rivals' maxima and other maxima."""
    worst = 0
    for value, rival in itertools.product(range(30), repeat=2):

        def profit(maximum, value=value, rival=rival):
            wins = maximum >= rival if moves_first else maximum > rival
            return value - min(maximum, rival + increment) if wins else 0

        worst = max(worst, max(profit(maximum) for maximum in range(30)) - profit(value))
    return worst


@pytest.mark.parametrize("increment", [1, 2, 5])
@pytest.mark.parametrize("moves_first", [False, True])
def test_truth_loses_at_most_an_increment_and_nothing_if_rivals_moved_before(increment, moves_first):
    scenario = EbayScenario("loss", value_range=(0, 29), highest_maximum=29, increment=increment)
    loss = theory.proxy_utility_loss(scenario, moves_first)
    assert loss == loss_by_enumeration(increment, moves_first) <= increment
    assert (loss == 0) == (increment == 1 and not moves_first)


@pytest.mark.parametrize("function", [theory.proxy_expected_price, theory.proxy_sale_probability, theory.proxy_expected_revenue, theory.proxy_utility_loss])  # fmt: skip
def test_theory_refuses_what_it_does_not_know(function):
    with pytest.raises(ValueError, match="values: expected 'ipv', got 'cv'"):
        function(EbayScenario("cv", values="cv", value_range=(20, 79)))
    with pytest.raises(ValueError, match="value_range: expected values that are possible maxima, up to 50"):
        function(EbayScenario("high", highest_maximum=50))
    with pytest.raises(TypeError, match="scenario: expected an EbayScenario, got 'hard'"):
        function("hard")


def test_a_hidden_reserve_is_no_maximum_of_a_rival():
    with pytest.raises(ValueError, match="reserve: expected 0, got 40"):
        theory.proxy_utility_loss(EbayScenario("reserve", reserve=40))
