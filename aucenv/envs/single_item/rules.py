"""Rules that sealed-bid and clock auctions share: the state, the sale of a prize, scores.

Each round of these games sells one prize.
"""

from __future__ import annotations

from typing import ClassVar

from aucenv.core.fields import (
    ALL,
    ITEM,
    OWNER,
    SEAT,
    GameState,
    flag,
    integer,
    money,
    option,
    random_key,
    room_for,
    room_for_seats,
    seat_name,
    when,
)
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, RUNNING, TERMINATED, WITHDRAW, seats_of
from aucenv.core.words.money import ANY_DOLLARS, SIGNED_DOLLARS
from aucenv.envs.single_item.values import CV, MODELS, REVEAL_ALL, REVEAL_NONE, REVEALS, prize_value


@inlined
def is_dealt(g, viewer, seat, j):
    """Return whether a seat knows a value: its own, of this or an earlier round."""
    return seat == viewer and j <= g["item"]


@inlined
def is_winner(g, seat, j):
    """Return whether a seat won the prize of round `j`."""
    return g["winner"][j] == seat


@inlined
def price_is_known(g, seat, j):
    """Return whether a seat knows the price of round `j`."""
    return g["reveal"] != REVEAL_NONE or g["winner"][j] == seat


@inlined
def surplus_is_known(g, seat, j):
    """Return whether a seat knows the profit of the winner of round `j`."""
    return g["reveal"] == REVEAL_ALL or g["winner"][j] == seat


@inlined
def common_is_known(g, seat, j):
    """Return whether a seat knows the common value of round `j`: its winner can infer it from its profit.

    The common part of apv is never revealed.
    """
    return g["model"] == CV and j < g["item"] and (g["reveal"] == REVEAL_ALL or g["winner"][j] == seat)


@inlined
def bids_are_known(g, seat, j, rank):
    """Return whether a seat knows the bids of round `j`."""
    return g["reveal"] == REVEAL_ALL and j < g["item"]


class PrizeState(GameState):
    """The fields that all games with one prize a round have. Amounts are cents; items are rounds."""

    ROOMS: ClassVar = {SEAT: room_for_seats(10), ITEM: room_for(ITEM, 16)}

    model = option(ALL, MODELS)
    low = money(ALL, "the least value")
    high = money(ALL, "the highest value; apv: of either part")
    grid = money(ALL, "the step between values")
    error = money(ALL, "the largest error of a signal")
    top = money(ALL, "the highest possible value of a prize", within=ANY_DOLLARS)
    reveal = option(ALL, REVEALS, "what is revealed after a round")

    acting = flag(ALL, "whether the seat has a decision", per=SEAT)
    gain = money(OWNER, "profit in the last round", per=SEAT, within=SIGNED_DOLLARS)
    profit = money(OWNER, per=SEAT, within=SIGNED_DOLLARS)
    won = integer(OWNER, "prizes won so far", per=SEAT)
    seat_key = random_key(OWNER, "the key of the seat's random numbers", per=SEAT)

    common = money(when(common_is_known), "apv: the common part; cv: the common value", per=ITEM, within=ANY_DOLLARS)
    winner = seat_name(when(is_winner), "nobody: not sold, or not sold yet", per=ITEM)
    price = money(
        when(price_is_known),
        "the winner's payment; NOBODY: not sold, or not sold yet",
        per=ITEM,
        within=ANY_DOLLARS,
        hidden_as=NOBODY,
    )
    surplus = money(when(surplus_is_known), "the winner's profit", per=ITEM, within=SIGNED_DOLLARS)
    value = money(when(is_dealt), "with cv, the signal", per=(SEAT, ITEM), within=ANY_DOLLARS)
    bid = money(OWNER, per=(SEAT, ITEM), within=ANY_DOLLARS)
    ranked = money(when(bids_are_known), "the bids of a round, the highest first", per=(ITEM, SEAT), within=ANY_DOLLARS)


@inlined
def rank_bid(g, j, number, bid):
    """Insert a bid into the `ranked` bids of round `j`, which already has `number` bids in descending order."""
    ranked = g["ranked"][j]
    k = number
    while k > 0 and ranked[k - 1] < bid:
        ranked[k] = ranked[k - 1]
        k -= 1
    ranked[k] = bid


@inlined
def award_prize(g, winner, price, all_pay):
    """Close the round: give the prize to `winner` for `price`; with `all_pay` the other seats pay their bids.

    `winner` is a seat, or NOBODY if the prize is not sold.
    """
    j = g["item"]
    g["winner"][j] = winner
    g["price"][j] = price if winner != NOBODY else NOBODY
    for seat in range(seats_of(g)):
        profit = 0
        if seat == winner:
            profit = prize_value(g, seat, j) - price
        elif all_pay:
            profit = -max(0, g["bid"][seat][j])
        g["gain"][seat] = profit
        g["profit"][seat] += profit
    if winner != NOBODY:
        g["won"][winner] += 1
        g["surplus"][j] = g["gain"][winner]
    g["item"] = j + 1
    if g["item"] == g["num_items"]:
        g["status"] = TERMINATED
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1 if g["status"] == RUNNING else 0


@inlined
def payoff(state, b, out):
    """Write each seat's score so far into `out`, (seats,) float64; rewards are its changes.

    The score is profit divided by the highest possible value of a prize.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat] = g["profit"][seat] / g["top"]


RESULT = ("profit", "prizes", "paid")


@inlined
def result(state, b, out):
    """Write the results of a game that is over into `out`, (seats, RESULT) int64; amounts in cents."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = g["profit"][seat]
        out[seat, 1] = g["won"][seat]
        out[seat, 2] = -g["profit"][seat]
        for j in range(g["num_items"]):
            if g["winner"][j] == seat:
                out[seat, 2] += prize_value(g, seat, j)


@kernel
def clear_ranked(g):
    """Clear the `ranked` bids of closed rounds if they were not revealed."""
    if g["reveal"] != REVEAL_ALL:
        for j in range(g["item"]):
            g["ranked"][j][:] = 0


@kernel
def clear_rivals(g, seat):
    """Clear what is hidden from `seat` about its rivals' actions: bids become WITHDRAW, those of later rounds 0.

    Rivals' profits and prizes become 0. In closed rounds that `seat` did not win, the winner becomes NOBODY, and
    results that were not revealed are cleared. The `ranked` bids of closed rounds stay, see `clear_ranked`.
    """
    now = g["item"]
    reveals_all = g["reveal"] == REVEAL_ALL
    seats = g["num_seats"]
    for j in range(g["num_items"]):
        if j < now and g["winner"][j] != seat:
            g["winner"][j] = NOBODY
            if g["reveal"] == REVEAL_NONE:
                g["price"][j] = NOBODY
            if not reveals_all:
                g["surplus"][j] = 0
        for s in range(seats):
            if j > now:
                g["ranked"][j][s] = 0
            if s != seat:
                g["bid"][s][j] = WITHDRAW if j <= now else 0
    for s in range(seats):
        if s != seat:
            g["gain"][s] = 0
            g["profit"][s] = 0
            g["won"][s] = 0
