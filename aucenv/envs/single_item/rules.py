"""Rules that sealed-bid and clock auctions share: the state, the sale of a prize, scores.

Each round of these games sells one prize.
"""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import HEADER, NOBODY, RUNNING, TERMINATED, WITHDRAW, seat_room, seats_of
from aucenv.envs.single_item.values import ALL, CV, NONE, prize_value

PER_GAME = (
    "model",  # IPV, APV or CV
    "low",  # the least value
    "high",  # the highest value; apv: of either part
    "grid",  # the step between values
    "error",  # the largest error of a signal
    "top",  # the highest possible value of a prize
    "reveal",  # what is revealed after a round: ALL, PRICE or NONE
)
PER_SEAT = (
    "acting",  # whether the seat has a decision
    "gain",  # profit in the last round
    "profit",
    "won",  # prizes won so far
    "seat_key",  # private: the key of the seat's random numbers
)
PER_ROUND = (
    "common",  # apv: the common part; cv: the common value
    "winner",  # visible to the winner only; NOBODY: not sold, or not sold yet
    "price",  # the winner's payment; NOBODY: not sold, or not sold yet
    "surplus",  # the winner's profit
)


def prize_dtype(
    num_bidders: int, num_rounds: int, per_game: tuple[str, ...] = (), per_seat: tuple[str, ...] = ()
) -> np.dtype:
    """Return the dtype of the state of one game.

    Besides the fields listed above it has `value` and `bid` by seat and round, which are private, and `ranked`, the
    bids of each round in descending order. The state has room for 16, 64, 256, ... rounds, so that kernels are compiled
    for few shapes.

    Args:
        per_game, per_seat: the game's additional fields.
    """
    seats = seat_room(num_bidders, 10)
    rounds = 16
    while rounds < num_rounds:
        rounds *= 4
    fields: list[tuple] = [*HEADER, *((name, "i8") for name in PER_GAME + per_game)]
    fields += [(name, "i8", (seats,)) for name in PER_SEAT + per_seat]
    fields += [(name, "i8", (rounds,)) for name in PER_ROUND]
    fields += [("value", "i8", (seats, rounds)), ("bid", "i8", (seats, rounds)), ("ranked", "i8", (rounds, seats))]
    return np.dtype(fields)


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
def hide_prizes(g, seat):
    """Clear the values, bids and results that are hidden from `seat`, in a copy of the state."""
    g["key"] = 0
    g["forced_tie"] = NOBODY
    now = g["item"]
    seats = g["num_seats"]
    reveals_all = g["reveal"] == ALL
    for j in range(g["num_items"]):
        inferable = j < now and (reveals_all or g["winner"][j] == seat)  # a winner can infer it from its profit
        if not inferable or g["model"] != CV:  # the common part of apv is never revealed
            g["common"][j] = 0
        if g["winner"][j] != seat:
            g["winner"][j] = NOBODY
            if g["reveal"] == NONE:
                g["price"][j] = NOBODY
            if not reveals_all:
                g["surplus"][j] = 0
        if j > now:
            g["value"][seat][j] = 0
        for k in range(seats):
            if j >= now or not reveals_all:
                g["ranked"][j][k] = 0
            if k != seat:
                g["value"][k][j] = 0
                g["bid"][k][j] = 0
    for s in range(seats):
        if s != seat:
            g["seat_key"][s] = 0
            g["gain"][s] = 0
            g["profit"][s] = 0
            g["won"][s] = 0


@kernel
def clear_ranked(g):
    """Clear the `ranked` bids of closed rounds if they were not revealed."""
    if g["reveal"] != ALL:
        for j in range(g["item"]):
            g["ranked"][j][:] = 0


@kernel
def clear_rivals(g, seat):
    """Clear what is hidden from `seat` about its rivals' actions: bids become WITHDRAW, those of later rounds 0.

    Rivals' profits and prizes become 0. In closed rounds that `seat` did not win, the winner becomes NOBODY, and
    results that were not revealed are cleared. The `ranked` bids of closed rounds stay, see `clear_ranked`.
    """
    now = g["item"]
    reveals_all = g["reveal"] == ALL
    seats = g["num_seats"]
    for j in range(g["num_items"]):
        if j < now and g["winner"][j] != seat:
            g["winner"][j] = NOBODY
            if g["reveal"] == NONE:
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
