"""Clock auctions: one prize a round, a price that climbs or falls by ticks, and seats that leave or take.

Source: Synthetic Labs, arXiv 2507.09083, its ascending clocks; the Dutch auction: Krishna, Auction Theory, section 1.1.
Amounts are cents; `item` counts the rounds of the game, `round` the ticks of the clock. See `env.py` for where the
paper and its program differ.

An answer, as an amount, is WITHDRAW or a price. Ascending: WITHDRAW leaves now, STAY stays at this tick, a price above
the clock's stays until it is reached. Descending: WITHDRAW waits at this tick, a price of at least the clock's takes
the prize now, a lower one when the clock reaches it. Whoever has named a price is not asked again in the round.
"""

from __future__ import annotations

import functools

import numpy as np

from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW, break_tie, count_round, rekey, seats_of
from aucenv.envs.single_item.rules import RESULT, hand_over, payoff, prize_dtype, rank_bid, result
from aucenv.envs.single_item.values import deal_values

__all__ = ["REFUSALS", "RESULT", "check", "clip", "deal", "payoff", "result", "state_dtype", "step"]

STAY = 0

LEGAL, PASSED, OFF_TICK, BEYOND = 0, 1, 2, 3
REFUSALS = ("legal", "passed", "off_tick", "beyond_end")  # what records call them


@functools.lru_cache
def state_dtype(num_bidders: int, num_rounds: int) -> np.dtype:
    """The state of one game: see `prizes.rules`. `bid` is the price at which a seat left, or took; else WITHDRAW."""
    per_game = (
        "falling",  # whether the clock descends
        "open",  # whether all are told how many are still in
        "start",  # the first price
        "end",  # the last
        "tick",  # between prices
        "price_now",
        "still_in",  # how many seats
    )
    per_seat = (
        "active",  # private: has not left
        "limit",  # private: the price named in this round, or NOBODY
    )
    return prize_dtype(num_bidders, num_rounds, per_game, per_seat)


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
    open_clock(g)


@inlined
def open_clock(g):
    """Set the clock for the current prize: everybody is in."""
    g["round"] = 0
    g["price_now"] = g["start"]
    g["still_in"] = seats_of(g)
    for seat in range(seats_of(g)):
        g["active"][seat] = 1
        g["limit"][seat] = NOBODY
        if g["status"] == RUNNING:
            g["bid"][seat][g["item"]] = WITHDRAW
            g["acting"][seat] = 1


@inlined
def step(state, b, amounts):
    """Close the tick; go on to the next one at which somebody has a decision, or to the next prize.

    Args:
        amounts: (seats,) int64: what every acting seat answers, see above; others are not read. They must be legal.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        if g["acting"][seat] != 0:
            amount = amounts[seat]
            if amount < 0 and g["falling"] == 0:
                g["limit"][seat] = g["price_now"]
            elif amount > 0 or (amount == 0 and g["falling"] != 0):
                g["limit"][seat] = amount
    while True:
        ended = fall(g) if g["falling"] != 0 else climb(g)
        if ended:
            open_clock(g)
        elif not move(g):
            end_clock(g)
            open_clock(g)
        if g["status"] != RUNNING or ask(g) > 0:
            break
    count_round(g)


@inlined
def ask(g):
    """Mark the seats that have a decision, and count them: who is in and has not named a price."""
    asked = 0
    for seat in range(seats_of(g)):
        acts = 1 if g["active"][seat] != 0 and g["limit"][seat] == NOBODY else 0
        g["acting"][seat] = acts
        asked += acts
    return asked


@kernel
def climb(g):
    """Let those leave whose limit the rising price has reached; with at most one left the prize is sold.

    The last one wins at the price at which the last rival left; if the last ones leave together, a draw decides. If all
    leave at a first price above 0, nobody buys.
    """
    seats, price, j = g["num_seats"], g["price_now"], g["item"]
    staying = 0
    leaving = 0
    winner = NOBODY
    for seat in range(seats):
        g["acting"][seat] = 0
        if g["active"][seat] != 0:
            if g["limit"][seat] != NOBODY and g["limit"][seat] <= price:
                leaving += 1
                g["acting"][seat] = 1  # of those who leave together one may have to be drawn
            else:
                staying += 1
                winner = seat
    if staying == 0 and (g["round"] > 0 or g["start"] == 0):  # who leaves at a first price above 0 takes no part
        winner = break_tie(g, g["acting"])
    for seat in range(seats):
        if g["acting"][seat] != 0:
            g["active"][seat] = 0
            g["bid"][seat][j] = price
            rank_bid(g, j, seats - g["still_in"], price)
            g["still_in"] -= 1
    if staying > 1:
        return False
    if staying == 1:
        rank_bid(g, j, seats - 1, WITHDRAW)
    hand_over(g, winner, price, False)
    return True


@kernel
def fall(g):
    """Sell the prize once the falling price has reached somebody's limit; a draw decides among several."""
    seats, price, j = g["num_seats"], g["price_now"], g["item"]
    taking = 0
    for seat in range(seats):
        takes = g["limit"][seat] != NOBODY and g["limit"][seat] >= price
        g["acting"][seat] = 1 if takes else 0
        taking += takes
    if taking == 0:
        return False
    number = 0
    for turn in range(2):  # who takes it comes first among the ranked
        for seat in range(seats):
            if (g["acting"][seat] != 0) == (turn == 0):
                bid = price if turn == 0 else WITHDRAW
                g["bid"][seat][j] = bid
                rank_bid(g, j, number, bid)
                number += 1
    hand_over(g, break_tie(g, g["acting"]), price, False)
    return True


@inlined
def move(g):
    """Move the clock: by a tick, or to the next limit where nobody is to be asked before. Whether it could."""
    sign = -1 if g["falling"] != 0 else 1
    if g["price_now"] == g["end"]:
        return False
    ticks = 1
    if ask(g) == 0:
        ticks = (g["end"] - g["price_now"]) * sign // g["tick"]
        for seat in range(seats_of(g)):
            if g["active"][seat] != 0:
                ticks = min(ticks, max(1, (g["limit"][seat] - g["price_now"]) * sign // g["tick"]))
    g["price_now"] += sign * ticks * g["tick"]
    g["round"] += ticks
    return True


@kernel
def end_clock(g):
    """The clock is at its end: rising, a draw among those still in, at the last price; falling, nothing is sold."""
    seats, j = g["num_seats"], g["item"]
    winner = NOBODY
    if g["falling"] == 0:
        winner = break_tie(g, g["active"])
    for seat in range(seats):
        if g["active"][seat] != 0:
            bid = g["end"] if g["falling"] == 0 else WITHDRAW
            g["bid"][seat][j] = bid
            rank_bid(g, j, seats - g["still_in"], bid)
            g["still_in"] -= 1
    hand_over(g, winner, g["end"], False)


@inlined
def check(state, b, seat, amount):
    """LEGAL, PASSED (ascending, by the clock), OFF_TICK or BEYOND (its end), for an acting seat."""
    g = state[b]
    if amount < 0 or (amount == STAY and g["falling"] == 0):
        return LEGAL
    sign = -1 if g["falling"] != 0 else 1
    ahead = (amount - g["price_now"]) * sign
    if ahead <= 0 and g["falling"] == 0:
        return PASSED
    if (g["end"] - amount) * sign < 0:
        return BEYOND
    return OFF_TICK if ahead % g["tick"] != 0 else LEGAL


@inlined
def clip(state, b, seat, amount):
    """The legal answer nearest to `amount`: a price that the clock has passed leaves, or takes the prize, now."""
    g = state[b]
    if amount < 0:
        return WITHDRAW
    if amount == STAY and g["falling"] == 0:
        return STAY
    sign = -1 if g["falling"] != 0 else 1
    ahead = (amount - g["price_now"]) * sign
    ticks = min((ahead + g["tick"] // 2) // g["tick"], (g["end"] - g["price_now"]) * sign // g["tick"])
    if ticks <= 0:
        return WITHDRAW if g["falling"] == 0 else g["price_now"]
    return g["price_now"] + sign * ticks * g["tick"]
