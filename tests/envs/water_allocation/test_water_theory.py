"""The model of a resident's decision: its values against a plain recursion and by hand, and its utility."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from water_tables import drought, table_of

from aucenv.envs.water_allocation import theory
from aucenv.envs.water_allocation.game import GAME


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_values_of_later_days_agree_with_a_plain_recursion(discount):
    days, salary = 6, 8_00
    table = table_of(drought([(5, salary // 100)] * 5, range(10, 30)))
    prices = np.random.default_rng(0).choice([-1, 3_00, 7_49, 7_50, 20_00], (days, 11))
    values = np.ones((days + 1, 11, theory.THIRST + 1, theory.MONEY + 1))
    theory.solve(table.state[0], 0, prices, 0, values, discount)

    @functools.cache
    def value(day: int, health: int, thirst: int, money: int) -> float:
        if health <= 0:
            return 0.5 * (day - 1) / 20
        if day == days:
            return 1.0
        without = discount * value(day + 1, health - thirst - 1, thirst + 1, min(96, money + 8))
        best = []
        for price in prices[day]:
            cost = (price + 50) // 100
            pays = price >= 0 and cost <= money
            served = pays and discount * value(day + 1, min(10, health + 2), 0, min(96, money - cost + 8))
            best.append(max(without, 0.9 * served + 0.1 * without))
        return float(np.mean(best))

    for health in range(1, 11):
        for money in range(97):
            assert values[0, health, 0, money] == pytest.approx(value(0, health, 0, money))


def test_values_of_the_seats_states_by_hand():
    """Two days; with health 1 a day without water is fatal; water costs $10, one unit of money (an eighth of a salary)."""
    table = table_of(drought([(5, 80), (9, 1)], [5, 5], start_health=1, health_cap=3))
    prices = np.array([[1000], [1000]])
    values = np.ones((3, 4, theory.THIRST + 1, theory.MONEY + 1))
    theory.solve(table.state[0], 0, prices, 0, values)
    slip = theory.SLIP
    dies_today, dies_tomorrow = 0.0, 0.25  # half of the share of days lived
    last = (1 - slip) * 1 + slip * dies_tomorrow
    assert values[1, 1, 0, 5] == pytest.approx(last)
    assert values[1, 1, 0, 0] == pytest.approx(dies_tomorrow)  # no money
    assert values[1, 2, 0, 0] == 1  # survives a day without water
    assert values[0, 1, 0, 5] == pytest.approx((1 - slip) * 1 + slip * dies_today)  # then health is 3
    assert values[0, 2, 1, 0] == 0
    assert values[0, 2, 0, 0] == pytest.approx(last)  # health is 1 tomorrow, and the salary pays for water


def at_price(dollars):
    """Return the state of a game, and the values of Eric's states, who earns $120 a day, if this is the price."""
    g = table_of(GAME.load_scenario("low")).state[0]
    values = np.ones((21, 11, theory.THIRST + 1, theory.MONEY + 1))
    theory.solve(g, 4, np.full((20, 11), 100 * dollars), 0, values)
    return g, values


def test_the_value_of_a_day_is_that_without_water_and_the_utility_of_water_if_it_is_positive():
    g, values = at_price(150)
    cost = 10  # in units of $15
    losses = set()
    for health in range(1, 11):
        for money in range(theory.MONEY + 1):
            without = theory.without_water(g, 3, health, 0, money, values, 1.0)
            value, loss = theory.utility(g, 3, health, 0, money, cost, values)
            gain = max(0.0, value - loss) if cost <= money else 0.0
            assert values[3, health, 0, money] == pytest.approx(without + (1 - theory.SLIP) * gain)
            losses.add(round(loss, 6))
    assert len(losses) > 10


def test_the_utility_of_water_rises_as_health_falls():
    g, values = at_price(100)
    utilities = [theory.utility(g, 3, health, 0, 40, 0, values)[0] for health in range(1, 11)]
    assert all(later < earlier + 0.001 for earlier, later in itertools.pairwise(utilities))
    assert utilities[0] > 5 * utilities[1] > 5 * utilities[3] > 0


def test_the_cost_of_a_bid_rises_with_it():
    g, values = at_price(150)
    costs = [theory.utility(g, 3, 2, 0, 40, cost, values)[1] for cost in range(41)]
    assert costs[0] == 0
    assert costs == sorted(costs)
    assert costs[-1] > costs[10] >= 0
