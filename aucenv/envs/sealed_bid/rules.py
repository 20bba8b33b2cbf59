"""Rules of sealed-bid auctions: each round sells one prize, for which every seat bids once, without seeing other bids.

Sources: Synthetic Labs, arXiv 2507.09083; the pricings are those of Krishna, Auction Theory, chapters 2 and 3. Amounts
are cents. `item` counts the rounds of the game; each has a single bidding round. `game.py` lists the differences from
the paper's program.
"""

from __future__ import annotations

from aucenv.core.fields import ALL, money, option
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, WITHDRAW, break_tie, count_round, rekey, seats_of
from aucenv.core.words.money import ANY_DOLLARS
from aucenv.envs.single_item.rules import RESULT, PrizeState, award_prize, payoff, rank_bid, result
from aucenv.envs.single_item.values import deal_values

__all__ = ["REFUSALS", "RESULT", "State", "check", "clip", "deal", "payoff", "result", "step"]

PRICINGS = ("first", "second", "third", "all_pay")
FIRST, SECOND, THIRD, ALL_PAY = range(4)

LEGAL, OVER_CAP, OFF_STEP = 0, 1, 2
REFUSALS = ("legal", "over_cap", "off_step")  # their names in records


class State(PrizeState):
    """The state of a sealed-bid auction."""

    pricing = option(ALL, PRICINGS)
    reserve = money(ALL, "the least bid that wins", within=ANY_DOLLARS)
    cap = money(ALL, "the highest legal bid", within=ANY_DOLLARS)
    step = money(ALL, "the step between legal bids")


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw the values of all rounds. `key` determines all the game's random numbers.

    Args:
        template: one row with the scenario's constants.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    deal_values(g, key)
    for seat in range(g["num_seats"]):
        g["acting"][seat] = 1


@inlined
def step(state, b, amounts):
    """Close the round: the highest bid wins, and the pricing determines the payments.

    Args:
        amounts: (seats,) int64: the legal bid of every seat in cents, or WITHDRAW to abstain.
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
    award_prize(g, winner, price_of(g, j), g["pricing"] == ALL_PAY)
    count_round(g)


@inlined
def price_of(g, j):
    """Return the price of round `j`: the bid whose rank the pricing determines, but at least the reserve."""
    rank = 0
    if g["pricing"] == SECOND:
        rank = 1
    elif g["pricing"] == THIRD:
        rank = 2
    return max(g["ranked"][j][rank], g["reserve"])


@inlined
def check(state, b, seat, amount):
    """Return LEGAL, OVER_CAP or OFF_STEP for a seat's amount. Abstaining is always legal."""
    g = state[b]
    if amount < 0:
        return LEGAL
    if amount > g["cap"]:
        return OVER_CAP
    return OFF_STEP if amount % g["step"] != 0 else LEGAL


@inlined
def clip(state, b, seat, amount):
    """Return the legal amount nearest to `amount`; if two are equally near, the higher one."""
    g = state[b]
    if amount < 0:
        return WITHDRAW
    return min((amount + g["step"] // 2) // g["step"] * g["step"], g["cap"])
