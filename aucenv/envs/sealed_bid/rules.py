"""Sealed-bid auctions: one prize a round, one bid a seat, nobody sees another's.

Source: Synthetic Labs, arXiv 2507.09083; the prices are those of Krishna, Auction Theory, chapters 2 and 3. Amounts are
cents; `item` counts the rounds of the game, each of which has a single core round. See `env.py` for where the paper
and its program differ.
"""

from __future__ import annotations

import functools

import numpy as np

from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, WITHDRAW, break_tie, count_round, rekey, seats_of
from aucenv.envs.single_item.rules import RESULT, hand_over, payoff, prize_dtype, rank_bid, result
from aucenv.envs.single_item.values import deal_values

__all__ = ["REFUSALS", "RESULT", "check", "clip", "deal", "payoff", "result", "state_dtype", "step"]

PRICINGS = ("first", "second", "third", "all_pay")
FIRST, SECOND, THIRD, ALL_PAY = range(4)

LEGAL, OVER_CAP, OFF_STEP = 0, 1, 2
REFUSALS = ("legal", "over_cap", "off_step")  # what records call them


@functools.lru_cache
def state_dtype(num_bidders: int, num_rounds: int) -> np.dtype:
    """The state of one game: see `prizes.rules`."""
    per_game = (
        "pricing",
        "reserve",  # what a winning bid must reach
        "cap",  # the most that may be bid
        "step",  # between legal bids
    )
    return prize_dtype(num_bidders, num_rounds, per_game)


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


@inlined
def step(state, b, amounts):
    """Close the round: the highest bid wins, and everybody pays what the pricing says.

    Args:
        amounts: (seats,) int64: the bid of every seat in cents, or WITHDRAW to abstain. They must be legal.
    """
    g = state[b]
    j = g["item"]
    for seat in range(seats_of(g)):
        bid = max(amounts[seat], WITHDRAW)
        g["bid"][seat][j] = bid
        rank_bid(g, j, seat, bid)
    winner = NOBODY
    best = g["ranked"][j][0]
    if best >= g["reserve"]:
        for seat in range(seats_of(g)):
            g["acting"][seat] = 1 if g["bid"][seat][j] == best else 0
        winner = break_tie(g, g["acting"])
    hand_over(g, winner, price_of(g, j), g["pricing"] == ALL_PAY)
    count_round(g)


@inlined
def price_of(g, j):
    """What the winner of round `j` pays: the bid that the pricing names, at least the reserve."""
    rank = 0
    if g["pricing"] == SECOND:
        rank = 1
    elif g["pricing"] == THIRD:
        rank = 2
    return max(g["ranked"][j][rank], g["reserve"])


@inlined
def check(state, b, seat, amount):
    """LEGAL, OVER_CAP or OFF_STEP. Abstaining is always legal."""
    g = state[b]
    if amount < 0:
        return LEGAL
    if amount > g["cap"]:
        return OVER_CAP
    return OFF_STEP if amount % g["step"] != 0 else LEGAL


@inlined
def clip(state, b, seat, amount):
    """The legal amount nearest to `amount`, the higher of two."""
    g = state[b]
    if amount < 0:
        return WITHDRAW
    return min((amount + g["step"] // 2) // g["step"] * g["step"], g["cap"])
