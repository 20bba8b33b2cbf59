"""Resampling of hidden values, consistent with what a seat sees now."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, inlined, kernel
from aucenv.core.state import NOBODY, RESAMPLE, RUNNING
from aucenv.envs.ebay.rules import call_mover, is_last_day
from aucenv.envs.single_item.belief import resample as resample_prizes
from aucenv.envs.single_item.rules import clear_ranked

MAXIMA, PLACES, RESERVE = 2, 3, 4
"""Numbers of the draws."""


@kernel
def resample(state, b, seat, key):
    """Resample everything that is hidden from `seat`: see `single_item.belief`.

    Rivals that have bid get maxima with which the price and the leader are those of the state; how the price came about
    is not used. The order of moves on the last day is drawn among the seats that have not moved, and a reserve from all
    possible maxima.
    """
    resample_prizes(state, b, seat, key)
    g = state[b]
    if g["reserve"] > 0:
        g["reserve"] = g["step"] * (1 + draw_below(g["cap"] // g["step"], key, RESAMPLE, g["item"], RESERVE, 0))
    for s in range(g["num_seats"]):
        if s != seat:
            g["maximum"][s] = NOBODY
    clear_ranked(g)
    if g["status"] != RUNNING:
        return
    g["ranked"][g["item"]][:] = 0
    resample_maxima(g, seat, key)
    if is_last_day(g):
        resample_order(g, seat, key)


@inlined
def between(g, least, most, key, place):
    """Return a maximum from `least` to `most`, all equally likely; `least` if there is none."""
    step = g["step"]
    first, last = (least + step - 1) // step, most // step
    if last < first:
        return least
    return step * (first + draw_below(last - first + 1, key, RESAMPLE, g["item"], MAXIMA, place))


@kernel
def resample_maxima(g, seat, key):
    """Draw the maxima of rivals that have bid: the leader's, the second-highest one, and those below."""
    seats, price, leader = g["num_seats"], g["price_now"], g["leader"]
    mine = g["maximum"][seat]
    rivals = 0  # that have bid and do not lead
    for s in range(seats):
        if s != seat and s != leader and g["placed"][s] != NOBODY:
            rivals += 1
    if leader == NOBODY:
        return
    second = NOBODY if seat == leader else mine
    if rivals > 0:
        exact = price - g["increment"]  # the second-highest maximum, unless the highest one limits the price
        below = max(g["start"], price - g["step"])  # equal maxima might lead
        highest = second
        if seat == leader and price == mine:
            highest = between(g, max(exact, g["start"]), below, key, seats)
        elif second < exact or second == NOBODY:
            highest = exact if exact >= g["start"] and exact % g["step"] == 0 else below
        holder = draw_below(rivals, key, RESAMPLE, g["item"], PLACES, seats) if highest > second else NOBODY
        place = 0
        for s in range(seats):
            if s != seat and s != leader and g["placed"][s] != NOBODY:
                drawn = between(g, g["start"], min(highest, below), key, s)
                g["maximum"][s] = highest if place == holder else drawn
                place += 1
        second = max(second, highest)
    if seat != leader:
        limits = second != NOBODY and second + g["increment"] > price
        g["maximum"][leader] = price if limits else between(g, price, g["cap"], key, leader)


@kernel
def resample_order(g, seat, key):
    """Draw the rest of the last day's order among the seats that have not moved; if `seat` moves now, it is first."""
    seats, turn = g["num_seats"], g["turn"]
    order = g["order"]
    place = turn
    if g["acting"][seat] != 0:
        order[turn] = seat
        place += 1
    filled = place
    for s in range(seats):
        waits = True
        for k in range(place):
            waits = waits and order[k] != s
        if waits:
            order[filled] = s
            filled += 1
    for k in range(place, seats - 1):
        other = k + draw_below(seats - k, key, RESAMPLE, g["item"], PLACES, k)
        order[k], order[other] = order[other], order[k]
    if g["acting"][seat] == 0 and order[turn] == seat and turn + 1 < seats:
        order[turn], order[turn + 1] = order[turn + 1], order[turn]  # the seat knows that it is not its turn
    call_mover(g)
