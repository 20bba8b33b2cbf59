"""Rules of uniform-price auctions: each round sells K equal units, and every seat wants one and bids once.

The K highest bids win, and all winners pay the highest bid that does not win, so that it is an equilibrium to bid the
own value (Krishna, Auction Theory, chapter 12). Amounts are cents. `item` counts the rounds.
"""

from __future__ import annotations

from aucenv.core.defaults.drawn_fields import deal_of
from aucenv.core.fields import ALL, ITEM, OWNER, OWNER_BY_ITEM, SEAT, PlainState, flag, integer, money
from aucenv.core.kernel import draw, inlined
from aucenv.core.state import RUNNING, TERMINATED, TIE, WITHDRAW, count_round, seats_of
from aucenv.core.words.money import SIGNED_DOLLARS

LEGAL, OVER_CAP, OFF_STEP = 0, 1, 2
REFUSALS = ("legal", "over_cap", "off_step")


class State(PlainState):
    """The state of a uniform-price auction."""

    num_units = integer(ALL, "units of a round", most="num_seats")
    highest_value = money(ALL, "the highest value and bid")
    step = money(ALL, "the step of values and bids")
    profit = money(OWNER, "the seat's profit so far", per=SEAT, within=SIGNED_DOLLARS, most="highest_value")
    won = integer(OWNER, "units won so far", per=SEAT, most="num_items")
    price = money(ALL, "what every winner pays", per=ITEM, most="highest_value", at_close=True)
    value = money(OWNER_BY_ITEM, "the value of a unit", per=(SEAT, ITEM), most="highest_value", drawn="step")
    bid = money(OWNER, per=(SEAT, ITEM), most="highest_value", may_be_none=True, at_close=True)
    gets = flag(OWNER, "whether the seat gets a unit", per=(SEAT, ITEM), at_close=True)


deal = deal_of(State)


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
        g["gets"][seat][j] = 1 if better < g["num_units"] and g["bid"][seat][j] >= 0 else 0
        if better == g["num_units"]:
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
    if amount > g["highest_value"]:
        return OVER_CAP
    return OFF_STEP if amount % g["step"] != 0 else LEGAL


@inlined
def clip(state, b, seat, amount):
    """Return the nearest legal amount."""
    g = state[b]
    if amount < 0:
        return WITHDRAW
    return min((amount + g["step"] // 2) // g["step"] * g["step"], g["highest_value"])


@inlined
def payoff(state, b, out):
    """Write each seat's profit so far, divided by the highest value."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat] = g["profit"][seat] / g["highest_value"]


RESULT = ("profit", "won", "paid")


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
