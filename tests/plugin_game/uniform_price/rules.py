"""Rules of uniform-price auctions: each round sells K equal units, and every seat wants one and bids once.

The K highest bids win, and all winners pay the highest bid that does not win, so that it is an equilibrium to bid the
own value (Krishna, Auction Theory, chapter 12). Amounts are cents. `item` counts the rounds.
"""

from __future__ import annotations

import functools

import numpy as np

from aucenv.core.kernel import draw, draw_below, inlined, kernel, subkey
from aucenv.core.state import (
    HEADER,
    NOBODY,
    RUNNING,
    TERMINATED,
    TIE,
    VALUE,
    WITHDRAW,
    count_round,
    rekey,
    seat_room,
    seats_of,
)

MAX_BIDDERS, MAX_ROUNDS = 16, 16
LEGAL, OVER_CAP, OFF_STEP = 0, 1, 2
REFUSALS = ("legal", "over_cap", "off_step")


@functools.lru_cache
def state_dtype(num_bidders: int) -> np.dtype:
    """Return the dtype of the state of one game."""
    seats = seat_room(num_bidders, MAX_BIDDERS)
    per_game = ("units", "high", "step")  # units of a round; the highest value and bid; the step of values and bids
    per_seat = ("acting", "profit", "won", "seat_key")
    fields: list[tuple] = [*HEADER, *((name, "i8") for name in per_game)]
    fields += [(name, "i8", (seats,)) for name in per_seat]
    fields += [("price", "i8", (MAX_ROUNDS,))]  # public after a round
    fields += [(name, "i8", (seats, MAX_ROUNDS)) for name in ("value", "bid", "gets")]  # private
    return np.dtype(fields)


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw the values of all rounds."""
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    values = subkey(key, VALUE, 0)  # a subkey, because seats could infer `key` from their values
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1
        for j in range(g["num_items"]):
            g["value"][seat][j] = draw_below(g["high"] // g["step"] + 1, values, VALUE, j, seat, 0) * g["step"]


@inlined
def beats(g, seat, other):
    """Return whether a seat's bid ranks before another's; equal bids are ranked at random."""
    j = g["item"]
    mine, theirs = g["bid"][seat][j], g["bid"][other][j]
    if mine != theirs:
        return mine > theirs
    if g["forced_tie"] == seat or g["forced_tie"] == other:
        return g["forced_tie"] == seat
    mine, theirs = draw(g["key"], TIE, j, 0, seat), draw(g["key"], TIE, j, 0, other)
    return mine > theirs or (mine == theirs and seat < other)


@inlined
def step(state, b, amounts):
    """Close the round: the seats with fewer than `units` better bids win, and pay the best bid that does not win."""
    g = state[b]
    j = g["item"]
    for seat in range(seats_of(g)):
        g["bid"][seat][j] = max(amounts[seat], WITHDRAW)
    price = 0
    for seat in range(seats_of(g)):
        better = 0
        for other in range(seats_of(g)):
            if other != seat and beats(g, other, seat):
                better += 1
        g["gets"][seat][j] = 1 if better < g["units"] and g["bid"][seat][j] >= 0 else 0
        if better == g["units"]:
            price = max(0, g["bid"][seat][j])
    g["price"][j] = price
    for seat in range(seats_of(g)):
        if g["gets"][seat][j] != 0:
            g["profit"][seat] += g["value"][seat][j] - price
            g["won"][seat] += 1
    g["item"] = j + 1
    if g["item"] == g["num_items"]:
        g["status"] = TERMINATED
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1 if g["status"] == RUNNING else 0
    count_round(g)


@inlined
def check(state, b, seat, amount):
    """Return LEGAL, OVER_CAP or OFF_STEP; abstaining is always legal."""
    g = state[b]
    if amount < 0:
        return LEGAL
    if amount > g["high"]:
        return OVER_CAP
    return OFF_STEP if amount % g["step"] != 0 else LEGAL


@inlined
def clip(state, b, seat, amount):
    """Return the nearest legal amount."""
    g = state[b]
    if amount < 0:
        return WITHDRAW
    return min((amount + g["step"] // 2) // g["step"] * g["step"], g["high"])


@inlined
def payoff(state, b, out):
    """Write each seat's profit so far, divided by the highest value."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat] = g["profit"][seat] / g["high"]


RESULT = ("profit", "units", "paid")


@inlined
def result(state, b, out):
    """Write the results of a game that is over, (seats, RESULT); amounts in cents."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = g["profit"][seat]
        out[seat, 1] = g["won"][seat]
        out[seat, 2] = 0
        for j in range(g["num_items"]):
            if g["gets"][seat][j] != 0:
                out[seat, 2] += g["price"][j]


@kernel
def hide(g, seat):
    """Clear what a seat does not know: others' values and bids, and its own values of later rounds."""
    g["key"], g["forced_tie"] = 0, NOBODY
    for other in range(len(g["acting"])):
        for j in range(g["num_items"]):
            if other != seat:
                g["value"][other][j], g["bid"][other][j], g["gets"][other][j] = 0, 0, 0
            elif j > g["item"]:
                g["value"][other][j] = 0
        if other != seat:
            g["seat_key"][other], g["profit"][other], g["won"][other] = 0, 0, 0
