"""The planning bidder of the water allocation challenge: dynamic programming for survival.

The planner assumes that each rival bids by one of a few fixed rules: the rule that best fits its bids so far (`fit`).
The only unknown of later days is then the supply, which is uniform and announced before the bids. The value of a day is
the mean, over its supplies, of the value after the best bid:

- The next days are searched exactly, with the game's rules and the rivals' states (`plan`).
- The value of the days after them is computed from the seat's health, thirst and money alone (`solve`), given the
  prices that the rivals' bids set. A forecast with the mean supply decides which rivals are still alive (`forecast`).

`envs.water_allocation.theory` relates this recursion to the model of Alympics.
"""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.water_rivals import DOLLAR, days_to_live, expected_bid, fit

from aucenv.core.kernel import allocating, kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW
from aucenv.envs.water_allocation.rules import allocate, step
from aucenv.envs.water_allocation.theory import DAYS, DEATH, HEALTH, MONEY, THIRST, money_unit, solve

SUPPLIES = 32
"""The search considers at most this many supplies, evenly spaced over their range."""
STEPS = 100_000
"""The search depth is reduced until the search takes at most this many steps."""


@allocating
def decide_planner(depth, state, b, seat):
    """Return the bid that is best for survival, searching `depth` days including today."""
    g = state[b]
    models = np.zeros((g["num_seats"], 3))
    sure = g["item"] > 1  # with fewer closed days no rule has predicted a bid
    for r in range(g["num_seats"]):
        if r != seat and g["gone"][r] == 0:
            fit(g, r, models[r])
            sure = sure and models[r, 2] == 0.0
    ahead = min(DAYS, g["num_items"] - g["item"])
    if not sure and g["item"] > 0 and days_to_live(g["health"][seat], g["thirst"][seat]) == 1:
        return g["balance"][seat]  # money has no use if the seat dies today
    if not sure and depth < ahead:
        depth = 1  # a deep search with wrong rival models misleads
    while depth > 1 and g["num_seats"] * (g["num_seats"] * num_supplies(g)) ** (depth - 1) > STEPS:
        depth -= 1
    scratch = np.empty(depth + 1, state.dtype)
    values = np.ones((ahead + 1, min(HEALTH, g["health_cap"]) + 1, THIRST + 1, MONEY + 1))
    if depth < ahead:
        copy_state(scratch, g)
        prices = forecast(scratch, ahead, seat, models)
        solve(g, seat, prices, depth, values)
    copy_state(scratch, g)
    return plan(scratch, seat, models, values)


@kernel
def copy_state(scratch, g):
    """Copy the game into the first row of `scratch`, without the key and the forced tie, which no seat knows."""
    scratch[0] = g
    scratch[0]["key"] = 0
    scratch[0]["forced_tie"] = NOBODY
    scratch[0]["max_rounds"] = 0


@kernel
def supply_at(g, i):
    """Return the i-th of the supplies that the search considers."""
    return g["low"] + i * (g["high"] - g["low"]) // max(1, num_supplies(g) - 1)


@kernel
def num_supplies(g):
    return min(SUPPLIES, g["high"] - g["low"] + 1)


@kernel
def forecast(scratch, ahead, seat, models):
    """Return the price of water on each day if the seat does not bid before that day.

    Returns:
        (ahead, supplies) int64: by day from today and supply, the least bid that gets water, in cents; -1 if none does.
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
    """Return the least bid that gets water against the rivals' expected bids, even above its balance; -1 if none."""
    j = g["item"]
    balance = g["balance"][seat]
    least = -1
    for r in range(g["num_seats"]):
        g["bid"][r][j] = expected_bid(g, r, models[r])
    for r in range(g["num_seats"]):
        bid = bid_before(g, seat, r)
        if bid >= 0 and (least < 0 or bid < least):
            g["bid"][seat][j] = g["balance"][seat] = bid
            if allocate(g, supply) >> seat & 1 != 0:
                least = bid
    g["balance"][seat] = balance
    return least


@kernel
def value_of(g, seat, t, values):
    """Return the value of the seat's state `t` days after the first."""
    if g["gone"][seat] != 0:
        return DEATH * g["lived"][seat] / g["num_items"]
    if g["status"] != RUNNING:
        return 1.0
    t = min(t, len(values) - 1)
    health = min(g["health"][seat], values.shape[1] - 1)
    thirst = min(g["thirst"][seat], THIRST)
    return values[t, health, thirst, min(MONEY, g["balance"][seat] // money_unit(g, seat))]


@kernel
def plan(scratch, seat, models, values):
    """Return the best bid for the day that is open in the first row of `scratch`, by depth-first search.

    The search uses a loop because numba cannot cache recursive functions.

    Args:
        scratch: (depth + 1,) states; the rows after the first are written.
        values: the values after the searched days, as written by `solve`.
    """
    depth, seats = len(scratch) - 1, len(models)
    bids = np.empty((depth, seats), np.int64)
    served = np.empty((depth, 2, seats), np.int64)
    supplies, tried = np.zeros(depth, np.int64), np.zeros(depth, np.int64)  # counts of supplies and bids searched
    total, best = np.zeros(depth), np.zeros(depth)
    chosen = 0
    d = 0
    while True:
        g = scratch[d]
        if tried[d] == 0:
            if d > 0:
                g["supply"] = supply_at(g, supplies[d])
            if list_bids(g, seat, models, bids[d], served[d]) and supplies[d] > 0:
                tried[d] = seats  # the outcomes are those of the previous supply, so the best value is the same
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
def bid_before(g, seat, r):
    """Return the least bid in whole dollars that is served before the bid of rival `r`.

    It is 0 if `r` is the seat itself, and -1 if `r` is dead.
    """
    if r == seat:
        return 0
    if g["gone"][r] != 0:
        return -1
    return g["bid"][r][g["item"]] + (0 if g["need"][seat] < g["need"][r] else DOLLAR)


@kernel
def list_bids(g, seat, models, bids, served):
    """Write the candidate bids in ascending order, and who would get water with each of them.

    The candidates are 0 and the least bid that is served before each rival's.

    Args:
        bids: (seats,) int64, written; -1 = no candidate, or more than the seat has.
        served: (2, seats) int64, written: `rules.allocate` of each bid, for this supply and for the previous one.

    Returns:
        Whether every bid has the same outcome as for the previous supply.
    """
    j = g["item"]
    seats = g["num_seats"]
    for r in range(seats):
        g["bid"][r][j] = expected_bid(g, r, models[r])
        bid = bid_before(g, seat, r)
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
    """Return whether no cheaper bid has the same outcome as the i-th; bids that the seat cannot pay come first."""
    return i == 0 or served[i] != served[i - 1]


@kernel
def close_day(scratch, d, seat, bid, models):
    """Close the day that is open in row `d`: the seat bids `bid`, and each rival its expected bid."""
    g = scratch[d]
    amounts = np.empty(g["num_seats"], np.int64)
    for s in range(g["num_seats"]):
        amounts[s] = bid if s == seat else expected_bid(g, s, models[s])
        g["acting"][s] = 1 - g["gone"][s]
    step(scratch, d, amounts)
