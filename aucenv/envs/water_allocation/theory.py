"""A resident's decision whether water is worth its price, after the model of Alympics.

Source: Alympics, arXiv 2311.03220, section 4, states the model: water for a bid b has the utility U = V(h) - C(b),
where V rises as the health h falls, and C is the cost of the bid; a Bellman equation with a discount adds the days to
come; the price of a day follows from the bids; and bids are in a Nash equilibrium if no resident gains by another bid.
Here V and C are ours: differences in W, the discounted value that the resident's state of tomorrow has for its
survival.

    V(h) = W(water for 0) - W(no water)
    C(b) = W(water for 0) - W(water for b)
    value of today = mean over supplies of (W(no water) + (1 - SLIP) max(0, V(h) - C(price)))

A price that the resident cannot pay is no choice. V rises as health falls if money suffices to save the resident, but
for small exceptions: health 1 and 2 are about the same if either means death without water.

A price is the least bid that gets water against the rivals' bids. A resident that knows the price cannot do better than
to bid it if its utility is positive, and not to win otherwise; if all residents do so, their bids are in equilibrium.
The bidder `planner` approximates this response to the bids that it expects. The study `alympics/price-model` estimates
the price as the function that the paper describes.
"""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.envs.water_allocation.rules import HEALTH_GAIN

DAYS, HEALTH, THIRST = 24, 32, 8
"""The greatest size of the table that `solve` writes: days ahead, health, and days without water.

A resident with HEALTH health lives at most THIRST days without water.
"""
PER_SALARY, MONEY = 8, 96
"""`solve` counts money in units of 1 / PER_SALARY of the daily salary, up to MONEY units."""
SLIP = 0.1
"""Probability that a bid on a later day gets no water although the model predicts that it does."""
DEATH = 0.5
"""Value of dying on the last day, relative to 1 for survival; it falls linearly for earlier deaths."""


@kernel
def solve(g, seat, prices, first, values, discount=1.0):
    """Write W, the value of each state of the seat on the mornings from day `first` on, after the salary is paid.

    The supply of the day is not yet known at that time.

    Args:
        prices: (days, supplies) int64, the price of water in cents by day from today and supply; -1 = there is none.
        values: (days + 1, health, thirst, money) float64; days `first` to `days` - 1 are written. The last entry
            is the end of the game, whose value is 1.
        discount: the value of tomorrow, relative to today. It is 1 for `planner`, to whom all days are the same.
    """
    ahead, supplies = prices.shape
    unit = money_unit(g, seat)
    costs, weights = np.empty(supplies, np.int64), np.empty(supplies)
    for t in range(ahead - 1, first - 1, -1):
        different = 0
        for i in range(supplies):
            cost = (prices[t, i] + unit // 2) // unit if prices[t, i] >= 0 else MONEY + 1
            if different == 0 or cost != costs[different - 1]:
                costs[different], weights[different] = cost, 0.0
                different += 1
            weights[different - 1] += 1.0
        for thirst in range(THIRST + 1):
            strongest = g["health_cap"] - thirst * (thirst + 1) // 2  # the health lost since the last day with water
            for health in range(1, min(values.shape[1] - 1, strongest) + 1):
                for money in range(MONEY + 1):
                    without = without_water(g, t, health, thirst, money, values, discount)
                    total = 0.0
                    for i in range(different):
                        value = without
                        if costs[i] <= money:
                            served = with_water(t, health, money, costs[i], values, discount)
                            value = max(value, (1.0 - SLIP) * served + SLIP * without)
                        total += weights[i] * value
                    values[t, health, thirst, money] = total / supplies


@kernel
def money_unit(g, seat):
    """Return the unit in which `solve` counts the seat's money, in cents."""
    return max(1, g["salary"][seat] // PER_SALARY)


@kernel
def without_water(g, t, health, thirst, money, values, discount):
    """Return the discounted value of the state that follows a day `t` without water."""
    weak = health - thirst - 1
    if weak <= 0:
        return discount * DEATH * (g["item"] + t) / g["num_items"]
    return discount * values[t + 1, weak, min(thirst + 1, THIRST), min(MONEY, money + PER_SALARY)]


@kernel
def with_water(t, health, money, cost, values, discount):
    """Return the discounted value of the state that follows a day `t` with water at a cost in units of money."""
    well = min(health + HEALTH_GAIN, values.shape[1] - 1)
    return discount * values[t + 1, well, 0, min(MONEY, money - cost + PER_SALARY)]


@kernel
def utility(g, t, health, thirst, money, cost, values, discount=1.0):
    """Return V(h), the utility of water for nothing on day `t`, and C(b), by how much its cost reduces the utility.

    Args:
        cost: the bid in units of money, at most `money`.
        values: the values that `solve` has written.
    """
    free = with_water(t, health, money, 0, values, discount)
    value = free - without_water(g, t, health, thirst, money, values, discount)
    return value, free - with_water(t, health, money, cost, values, discount)
