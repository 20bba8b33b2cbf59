"""Sealed-bid auctions: one prize a round, one bid a seat, nobody sees another's.

Source: Synthetic Labs, arXiv 2507.09083; the prices are those of Krishna, Auction Theory, chapters 2 and 3. Amounts are
cents; `item` counts the rounds of the game, each of which has a single core round. See `env.py` for where the paper
and its program differ.
"""

from __future__ import annotations

import functools

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.state import HEADER, NOBODY, RUNNING, TERMINATED, WITHDRAW, break_tie, count_round, rekey
from aucenv.envs.values import deal_values, worth

PRICINGS = ("first", "second", "third", "all_pay")
FIRST, SECOND, THIRD, ALL_PAY = range(4)

REVEALS = ("all", "price", "none")
ALL, PRICE, NONE = range(3)

LEGAL, OVER_CAP, OFF_STEP = 0, 1, 2
REFUSALS = ("legal", "over_cap", "off_step")  # what records call them


@functools.lru_cache
def state_dtype(num_bidders: int, num_rounds: int) -> np.dtype:
    """The state of one game.

    Room is made for 4 or 10 bidders and for 16, 64, 256, ... rounds, so that kernels are compiled for few shapes.
    """
    seats = 4 if num_bidders <= 4 else 10
    rounds = 16
    while rounds < num_rounds:
        rounds *= 4
    per_game = [
        "model",  # of the values
        "low",  # the least value
        "high",
        "grid",  # between values
        "error",  # how far signals may be off
        "top",  # the most that a prize can be worth
        "pricing",
        "reserve",  # what a winning bid must reach
        "cap",  # the most that may be bid, or NOBODY
        "step",  # between legal bids
        "reveal",  # what is told after a round
        "last",  # the round that closed last, or NOBODY
    ]
    per_seat = [
        "acting",  # has a decision in this round
        "gain",  # of the last round
        "profit",
        "won",  # prizes so far
        "seat_key",  # private: the seat's own chance
    ]
    per_round = [
        "common",  # apv: the common part; cv: what the prize is worth
        "winner",  # NOBODY: not sold (yet); told to the winner alone
        "price",  # what the winner paid; NOBODY: not sold (yet)
        "surplus",  # the winner's profit
    ]
    fields: list[tuple] = [*HEADER, *((name, "i8") for name in per_game)]
    fields += [(name, "i8", (seats,)) for name in per_seat]
    fields += [(name, "i8", (rounds,)) for name in per_round]
    fields += [("value", "i8", (seats, rounds))]  # private: own value, or signal
    fields += [("bid", "i8", (seats, rounds))]  # private
    fields += [("ranked", "i8", (rounds, seats))]  # the bids, the highest first, abstentions last
    return np.dtype(fields)


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw what the prizes of all rounds are worth.

    Args:
        template: one row with the scenario's constants.
        key: the game's key, from which all its chance follows.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    deal_values(g, key)
    for seat in range(g["num_seats"]):
        g["acting"][seat] = 1


@kernel
def step(state, b, amounts):
    """Close the round: the highest bid wins, and everybody pays what the pricing says.

    Args:
        amounts: (seats,) int64: the bid of every seat in cents, or WITHDRAW to abstain. They must be legal.
    """
    g = state[b]
    j = g["item"]
    seats = g["num_seats"]
    ranked = g["ranked"][j]
    for seat in range(seats):
        bid = max(amounts[seat], WITHDRAW)
        g["bid"][seat][j] = bid
        k = seat
        while k > 0 and ranked[k - 1] < bid:
            ranked[k] = ranked[k - 1]
            k -= 1
        ranked[k] = bid
    winner = NOBODY
    best = ranked[0]
    if best >= g["reserve"]:
        for seat in range(seats):
            g["acting"][seat] = 1 if g["bid"][seat][j] == best else 0
        winner = break_tie(g, g["acting"])
    settle(g, j, winner)
    g["last"] = j
    g["item"] = j + 1
    if g["item"] == g["num_items"]:
        g["status"] = TERMINATED
    for seat in range(seats):
        g["acting"][seat] = 1 if g["status"] == RUNNING else 0
    count_round(g)


@kernel
def settle(g, j, winner):
    """Hand the prize over, and let everybody pay."""
    price = price_of(g, j)
    g["winner"][j] = winner
    g["price"][j] = price if winner != NOBODY else NOBODY
    for seat in range(g["num_seats"]):
        gain = 0
        if seat == winner:
            gain = worth(g, seat, j) - price
        elif g["pricing"] == ALL_PAY:
            gain = -max(0, g["bid"][seat][j])
        g["gain"][seat] = gain
        g["profit"][seat] += gain
    if winner != NOBODY:
        g["won"][winner] += 1
        g["surplus"][j] = g["gain"][winner]


@kernel
def price_of(g, j):
    """What the winner of round `j` pays: the bid that the pricing names, at least the reserve."""
    rank = 0
    if g["pricing"] == SECOND:
        rank = 1
    elif g["pricing"] == THIRD:
        rank = 2
    return max(g["ranked"][j][rank], g["reserve"])


@kernel
def check(state, b, seat, amount):
    """LEGAL, OVER_CAP or OFF_STEP. Abstaining is always legal."""
    g = state[b]
    if amount < 0:
        return LEGAL
    if g["cap"] != NOBODY and amount > g["cap"]:
        return OVER_CAP
    return OFF_STEP if amount % g["step"] != 0 else LEGAL


@kernel
def clip(state, b, seat, amount):
    """The legal amount nearest to `amount`, the higher of two."""
    g = state[b]
    if amount < 0:
        return WITHDRAW
    nearest = (amount + g["step"] // 2) // g["step"] * g["step"]
    return min(nearest, g["cap"]) if g["cap"] != NOBODY else nearest


@kernel
def payoff(state, b, out):
    """Write each seat's score so far, what rewards add up to, into `out`, (seats,) float64: profit over the top value."""
    g = state[b]
    for seat in range(g["num_seats"]):
        out[seat] = g["profit"][seat] / g["top"]


RESULT = ("profit", "prizes", "paid")


@kernel
def result(state, b, out):
    """Write what compiled rollouts keep of a game into `out`, (seats, RESULT) int64; amounts in cents."""
    g = state[b]
    for seat in range(g["num_seats"]):
        out[seat, 0] = g["profit"][seat]
        out[seat, 1] = g["won"][seat]
        out[seat, 2] = -g["profit"][seat]
        for j in range(g["num_items"]):
            if g["winner"][j] == seat:
                out[seat, 2] += worth(g, seat, j)
