"""The planning bidder of the water allocation challenge: dynamic programming for survival.

Each rival is taken to bid by one of a few fixed rules, that which has come nearest to its bids so far (`fit`). Then
nothing of the days to come is unknown but their supply, which is uniform and told before the bids. The value of a day
is the mean, over its supplies, of the best that a bid can bring about:

- of the next days exactly, on the game's own rules, with all that becomes of the rivals (`plan`);
- of those after them from the seat's own health, thirst and money alone (`solve`), against the prices that the bids of
  the rivals set; who of them lives that long is forecast with the mean supply (`forecast`).

Alympics, arXiv 2311.03220, section 4, has the recursion, with a price process; here prices follow from the rivals, and
the utility is survival.
"""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.water_rivals import DOLLAR, days_to_live, expected, fit

from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW
from aucenv.envs.water_allocation.rules import HEALTH_GAIN, allocate, step

SUPPLIES = 32
"""A wider range of supplies is searched at so many of them."""
STEPS = 100_000
"""The search is as deep as its days take fewer steps than that at most."""
DAYS, HEALTH, THIRST = 24, 32, 8
"""How far the seat's own future is worked out, and with how much health at most; from that, so many days without water
are the most one lives."""
PER_SALARY, MONEY = 8, 96
"""Money is counted in parts of a daily salary, up to so many."""
SLIP = 0.1
"""The chance that a bid of later days fails although it should be served: rivals are not quite as they are taken."""
DEATH = 0.5
"""What it is worth to die on the last day, where survival is 1; sooner, as much less."""


@kernel
def decide_planner(depth, state, b, seat):
    """The bid that is best for survival, searching so many days ahead, today included."""
    g = state[b]
    models = np.zeros((g["num_seats"], 3))
    sure = g["item"] > 1  # before, no rule has foretold anything
    for r in range(g["num_seats"]):
        if r != seat and g["gone"][r] == 0:
            fit(g, r, models[r])
            sure = sure and models[r, 2] == 0.0
    ahead = min(DAYS, g["num_items"] - g["item"])
    if not sure and g["item"] > 0 and days_to_live(g["health"][seat], g["thirst"][seat]) == 1:
        return g["balance"][seat]  # nothing is worth keeping
    if not sure and depth < ahead:
        depth = 1  # to look far into an unsure future only misleads
    while depth > 1 and g["num_seats"] * (g["num_seats"] * num_supplies(g)) ** (depth - 1) > STEPS:
        depth -= 1
    scratch = np.empty(depth + 1, state.dtype)
    values = np.ones((ahead + 1, min(HEALTH, g["health_cap"]) + 1, THIRST + 1, MONEY + 1))
    if depth < ahead:
        put(scratch, g)
        prices = forecast(scratch, ahead, seat, models)
        solve(g, seat, prices, depth, values)
    put(scratch, g)
    return plan(scratch, seat, models, values)


@kernel
def put(scratch, g):
    """Put the game into the first row, without what nobody knows."""
    scratch[0] = g
    scratch[0]["key"] = 0
    scratch[0]["forced_tie"] = NOBODY
    scratch[0]["max_rounds"] = 0


@kernel
def supply_at(g, i):
    """The i-th of the supplies that are searched."""
    return g["low"] + i * (g["high"] - g["low"]) // max(1, num_supplies(g) - 1)


@kernel
def num_supplies(g):
    return min(SUPPLIES, g["high"] - g["low"] + 1)


@kernel
def forecast(scratch, ahead, seat, models):
    """What water will cost the seat if it stays out until then.

    Returns:
        (ahead, supplies) int64: by day from today and supply, the least bid that is served, cents; -1: none is.
    """
    g = scratch[0]
    prices = np.empty((ahead, num_supplies(g)), np.int64)
    for t in range(ahead):
        for i in range(num_supplies(g)):
            prices[t, i] = cheapest(g, seat, supply_at(g, i), models)
        if g["item"] < g["num_items"] - 1:
            g["supply"] = (g["low"] + g["high"] + 1) // 2
            g["health"][seat] = g["health_cap"]
            g["thirst"][seat] = 0
            close_day(scratch, 0, seat, WITHDRAW, models)
    return prices


@kernel
def cheapest(g, seat, supply, models):
    """The least bid that gets water if rivals bid as expected, however much money it takes; -1: none does."""
    j = g["item"]
    balance = g["balance"][seat]
    least = -1
    for r in range(g["num_seats"]):
        g["bid"][r][j] = expected(g, r, models[r])
    for r in range(g["num_seats"]):
        bid = above(g, seat, r)
        if bid >= 0 and (least < 0 or bid < least):
            g["bid"][seat][j] = g["balance"][seat] = bid
            if allocate(g, supply) >> seat & 1 != 0:
                least = bid
    g["balance"][seat] = balance
    return least


@kernel
def solve(g, seat, prices, first, values):
    """Work out what the seat's own state is worth on the mornings from day `first` on, paid and before the supply.

    Args:
        values: (days, health, thirst, money) float64, written but for the last day's end, which is worth 1.
    """
    ahead, supplies = prices.shape
    cap = values.shape[1] - 1
    unit = max(1, g["salary"][seat] // PER_SALARY)
    costs, weights = np.empty(supplies, np.int64), np.empty(supplies)
    for t in range(ahead - 1, first - 1, -1):
        lost = DEATH * (g["item"] + t) / g["num_items"]
        different = 0
        for i in range(supplies):
            cost = (prices[t, i] + unit // 2) // unit if prices[t, i] >= 0 else MONEY + 1
            if different == 0 or cost != costs[different - 1]:
                costs[different], weights[different] = cost, 0.0
                different += 1
            weights[different - 1] += 1.0
        for thirst in range(THIRST + 1):
            strongest = g["health_cap"] - thirst * (thirst + 1) // 2  # so much was lost since water came last
            for health in range(1, min(cap, strongest) + 1):
                weak = health - thirst - 1
                well = min(health + HEALTH_GAIN, cap)
                for money in range(MONEY + 1):
                    paid = min(MONEY, money + PER_SALARY)
                    without = values[t + 1, weak, min(thirst + 1, THIRST), paid] if weak > 0 else lost
                    total = 0.0
                    for i in range(different):
                        value = without
                        if costs[i] <= money:
                            served = values[t + 1, well, 0, min(MONEY, money - costs[i] + PER_SALARY)]
                            value = max(value, (1.0 - SLIP) * served + SLIP * without)
                        total += weights[i] * value
                    values[t, health, thirst, money] = total / supplies


@kernel
def value_of(g, seat, t, values):
    """What the seat's state is worth `t` days from the first."""
    if g["gone"][seat] != 0:
        return DEATH * g["lived"][seat] / g["num_items"]
    if g["status"] != RUNNING:
        return 1.0
    t = min(t, len(values) - 1)
    health = min(g["health"][seat], values.shape[1] - 1)
    thirst = min(g["thirst"][seat], THIRST)
    return values[t, health, thirst, min(MONEY, g["balance"][seat] // max(1, g["salary"][seat] // PER_SALARY))]


@kernel
def plan(scratch, seat, models, values):
    """The best bid of the day that is open in the first row of `scratch`, (depth + 1,) states: a depth-first search.

    numba cannot keep compiled functions that call themselves.
    """
    depth, seats = len(scratch) - 1, len(models)
    bids = np.empty((depth, seats), np.int64)
    served = np.empty((depth, 2, seats), np.int64)
    supplies, tried = np.zeros(depth, np.int64), np.zeros(depth, np.int64)  # how many have been
    total, best = np.zeros(depth), np.zeros(depth)
    chosen = 0
    d = 0
    while True:
        g = scratch[d]
        if tried[d] == 0:
            if d > 0:
                g["supply"] = supply_at(g, supplies[d])
            if outcomes(g, seat, models, bids[d], served[d]) and supplies[d] > 0:
                tried[d] = seats  # the best of the last supply stands
            else:
                best[d] = -1.0
        value = -1.0
        if tried[d] < seats:
            i = tried[d]
            tried[d] += 1
            if bids[d, i] >= 0 and is_new(served[d, 0], i):
                scratch[d + 1] = g
                close_day(scratch, d + 1, seat, bids[d, i], models)
                h = scratch[d + 1]
                if d + 1 < depth and h["status"] == RUNNING and h["gone"][seat] == 0:
                    d += 1
                    supplies[d] = tried[d] = total[d] = 0
                else:
                    value = value_of(h, seat, d + 1, values)
        else:
            total[d] += best[d]
            supplies[d] += 1
            tried[d] = 0
            if d == 0:
                return chosen
            if supplies[d] == num_supplies(g):
                d -= 1
                value = total[d + 1] / num_supplies(g)
        if value > best[d]:
            best[d] = value
            if d == 0:
                chosen = bids[0, tried[0] - 1]


@kernel
def above(g, seat, r):
    """The least bid that goes before that of rival `r`, by whole dollars.

    0 where `r` is the seat itself, -1 where it is dead.
    """
    if r == seat:
        return 0
    if g["gone"][r] != 0:
        return -1
    return g["bid"][r][g["item"]] + (0 if g["need"][seat] < g["need"][r] else DOLLAR)


@kernel
def outcomes(g, seat, models, bids, served):
    """List the bids worth making, 0 and what goes before each rival's, the cheapest first, and who would be served.

    Args:
        bids: (seats,) int64, written; -1: none, or more than the seat has.
        served: (2, seats) int64, written: `rules.allocate` of each bid, now and for the last supply.

    Returns:
        Whether the same would be served as for the last supply.
    """
    j = g["item"]
    seats = g["num_seats"]
    for r in range(seats):
        g["bid"][r][j] = expected(g, r, models[r])
        bid = above(g, seat, r)
        bids[r] = bid if bid <= g["balance"][seat] else -1
        for i in range(r, 0, -1):
            if bids[i - 1] > bids[i]:
                bids[i - 1], bids[i] = bids[i], bids[i - 1]
    same = True
    for i in range(seats):
        now = -1
        if bids[i] >= 0:
            g["bid"][seat][j] = bids[i]
            now = allocate(g, g["supply"])
        same = same and now == served[1, i]
        served[0, i] = served[1, i] = now
    return same


@kernel
def is_new(served, i):
    """Whether no cheaper bid has the same outcome as the i-th; bids that the seat cannot pay stand before all."""
    return i == 0 or served[i] != served[i - 1]


@kernel
def close_day(scratch, d, seat, bid, models):
    """Close the day open in row `d`, the seat bidding this and its rivals what is expected of them."""
    g = scratch[d]
    amounts = np.empty(g["num_seats"], np.int64)
    for s in range(g["num_seats"]):
        amounts[s] = bid if s == seat else expected(g, s, models[s])
        g["acting"][s] = 1 - g["gone"][s]
    step(scratch, d, amounts)
