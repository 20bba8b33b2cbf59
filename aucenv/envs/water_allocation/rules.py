"""The water allocation challenge: a day's water, sealed bids for it, and residents who die without.

Source: Alympics, arXiv 2311.03220, section 4. Amounts are cents, water and health whole units; `item` counts the days,
each of which has a single core round. See `env.py` for where the paper and its program differ.
"""

from __future__ import annotations

import functools

import numpy as np

from aucenv.core.kernel import draw_below, inlined, kernel, subkey
from aucenv.core.state import (
    HEADER,
    IDLE,
    NOBODY,
    RUNNING,
    SUPPLY,
    TERMINATED,
    WITHDRAW,
    break_tie,
    count_round,
    rekey,
    seats_of,
)

MIN_BIDDERS, MAX_BIDDERS = 2, 16
HEALTH_GAIN = 2
"""What a day with water adds."""

LEGAL, OVER_BALANCE = 0, 1
REFUSALS = ("legal", "over_balance")  # what records call them


@functools.lru_cache
def state_dtype(num_bidders: int, num_days: int) -> np.dtype:
    """The state of one game.

    Room is made for 32, 128, ... days, so that kernels are compiled for few shapes; only the first `num_seats` and
    `num_items` entries mean anything.
    """
    seats = 8 if num_bidders <= 8 else MAX_BIDDERS  # tables smaller than the paper's five need no kernels of their own
    days = 32
    while days < num_days:
        days *= 4
    per_game = [
        "supply",  # today's, told before the bids
        "low",  # the range of the supply
        "high",
        "scheduled",  # whether `supplies` are the scenario's, not drawn
        "refuses",  # whether a bid over the balance is refused; otherwise it is void
        "health_cap",
    ]
    per_seat = [
        "acting",  # has a decision today: is alive
        "gone",  # has died
        "health",
        "thirst",  # days without water, one after another
        "balance",
        "need",  # water a day
        "salary",
        "lived",  # days survived
        "won",  # days with water
        "spent",
        "void",  # bids over the balance
        "seat_key",  # private: the seat's own chance
    ]
    per_day = [
        "bid",  # WITHDRAW: none; IDLE: was dead
        "place",  # among those who got water, from 1; 0: got none
        "balance_after",
        "health_after",
        "thirst_after",
    ]
    fields: list[tuple] = [*HEADER, *((name, "i8") for name in per_game)]
    fields += [(name, "i8", (seats,)) for name in per_seat]
    fields += [("supplies", "i8", (days,))]  # hidden from all until their day
    fields += [(name, "i8", (seats, days)) for name in per_day]
    return np.dtype(fields)


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw the supply of all days, unless it is scheduled, and open the first.

    Args:
        template: one row with the scenario's constants.
        key: the game's key, from which all its chance follows.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    if g["scheduled"] == 0:
        supply_key = subkey(key, SUPPLY, 0)  # supplies are told, and must not give the key away
        for j in range(g["num_items"]):
            g["supplies"][j] = g["low"] + draw_below(g["high"] - g["low"] + 1, supply_key, SUPPLY, j, 0, 0)
    open_day(g)


@inlined
def open_day(g):
    """Pay the living, announce the supply and ask for bids."""
    g["supply"] = g["supplies"][g["item"]]
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1 - g["gone"][seat]
        if g["acting"][seat] != 0:
            g["balance"][seat] += g["salary"][seat]


@inlined
def step(state, b, amounts):
    """Close the day: hand out the water, take the money, and let who has no water lose health.

    Args:
        amounts: (seats,) int64: the bid of every acting seat in cents, or WITHDRAW; others are not read. They must be
            legal.
    """
    g = state[b]
    j = g["item"]
    for seat in range(seats_of(g)):
        g["bid"][seat][j] = max(amounts[seat], WITHDRAW) if g["acting"][seat] != 0 else IDLE
        if g["bid"][seat][j] > g["balance"][seat]:
            g["void"][seat] += 1
    allocate(g, g["supply"])
    alive = end_day(g)
    g["item"] += 1
    if alive == 0 or g["item"] == g["num_items"]:
        g["status"] = TERMINATED
    count_round(g)
    if g["status"] == RUNNING:
        open_day(g)
    else:
        g["supply"] = 0
        for seat in range(seats_of(g)):
            g["acting"][seat] = 0


@kernel
def allocate(g, supply):
    """Give `supply` to today's bids and note each seat's `place`: the highest bid first whose need still fits.

    Equal bids: the lower need; equal needs too: a draw.

    Returns:
        Who got water: bit s for seat s.
    """
    j = g["item"]
    left = supply
    served = 0
    place = 0
    for seat in range(g["num_seats"]):
        g["place"][seat][j] = 0
    while True:
        winner = next_served(g, left, served)
        if winner == NOBODY:
            return served
        place += 1
        g["place"][winner][j] = place
        served |= 1 << winner
        left -= g["need"][winner]


@kernel
def next_served(g, left, served):
    """Who of those not yet served gets water next, where so much is left; NOBODY where no bid's need fits."""
    j = g["item"]
    winner = NOBODY
    tied = False
    for seat in range(g["num_seats"]):
        bid = g["bid"][seat][j]
        fits = g["need"][seat] <= left and served >> seat & 1 == 0
        if fits and 0 <= bid <= g["balance"][seat]:
            best = WITHDRAW if winner == NOBODY else g["bid"][winner][j]
            if bid > best or (bid == best and g["need"][seat] < g["need"][winner]):
                winner = seat
                tied = False
            elif bid == best and g["need"][seat] == g["need"][winner]:
                tied = True
    if not tied:
        return winner
    for seat in range(g["num_seats"]):
        equal = g["bid"][seat][j] == g["bid"][winner][j] and g["need"][seat] == g["need"][winner]
        valid = g["bid"][seat][j] <= g["balance"][seat] and served >> seat & 1 == 0
        g["acting"][seat] = 1 if equal and valid else 0
    return break_tie(g, g["acting"])


@kernel
def end_day(g):
    """Take what winners have bid; health rises with water, and falls by the days without.

    Returns:
        How many live.
    """
    j = g["item"]
    alive = 0
    for seat in range(g["num_seats"]):
        if g["gone"][seat] != 0:
            continue
        if g["place"][seat][j] > 0:
            g["balance"][seat] -= g["bid"][seat][j]
            g["spent"][seat] += g["bid"][seat][j]
            g["won"][seat] += 1
            g["thirst"][seat] = 0
            g["health"][seat] = min(g["health"][seat] + HEALTH_GAIN, g["health_cap"])
        else:
            g["thirst"][seat] += 1
            g["health"][seat] -= g["thirst"][seat]
        g["balance_after"][seat][j] = g["balance"][seat]
        g["health_after"][seat][j] = g["health"][seat]
        g["thirst_after"][seat][j] = g["thirst"][seat]
        if g["health"][seat] > 0:
            g["lived"][seat] += 1
            alive += 1
        else:
            g["gone"][seat] = 1
            g["balance"][seat] = 0
    return alive


@inlined
def check(state, b, seat, amount):
    """LEGAL or OVER_BALANCE. To bid nothing is always legal, and so are bids over the balance where they are void."""
    g = state[b]
    return OVER_BALANCE if g["refuses"] != 0 and amount > g["balance"][seat] else LEGAL


@inlined
def clip(state, b, seat, amount):
    """The legal amount nearest to `amount`."""
    return WITHDRAW if amount < 0 else min(amount, state[b]["balance"][seat])


@inlined
def payoff(state, b, out):
    """Write each seat's score so far, what rewards add up to, into `out`, (seats,) float64: days lived over days."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat] = g["lived"][seat] / g["num_items"]


RESULT = ("days_lived", "health", "balance", "wins", "spent", "void_bids")


@inlined
def result(state, b, out):
    """Write what compiled rollouts keep of a game into `out`, (seats, RESULT) int64; amounts in cents."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = g["lived"][seat]
        out[seat, 1] = g["health"][seat]
        out[seat, 2] = g["balance"][seat]
        out[seat, 3] = g["won"][seat]
        out[seat, 4] = g["spent"][seat]
        out[seat, 5] = g["void"][seat]
