"""What the rules of games that sell one prize a round share: their state, paying for a prize, scores."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import HEADER, NOBODY, RUNNING, TERMINATED, WITHDRAW, seat_room, seats_of
from aucenv.envs.single_item.values import ALL, CV, NONE, worth

PER_GAME = (
    "model",  # of the values
    "low",  # the least value
    "high",
    "grid",  # between values
    "error",  # how far signals may be off
    "top",  # the most that a prize can be worth
    "reveal",  # what is told after a round
)
PER_SEAT = (
    "acting",  # has a decision
    "gain",  # of the last round
    "profit",
    "won",  # prizes so far
    "seat_key",  # private: the seat's own chance
)
PER_ROUND = (
    "common",  # apv: the common part; cv: what the prize is worth
    "winner",  # NOBODY: not sold (yet); told to the winner alone
    "price",  # what the winner paid; NOBODY: not sold (yet)
    "surplus",  # the winner's profit
)


def prize_dtype(
    num_bidders: int, num_rounds: int, per_game: tuple[str, ...] = (), per_seat: tuple[str, ...] = ()
) -> np.dtype:
    """The state of one game; also, for every seat and round, `value` (private) and `bid` (private), and `ranked` bids.

    Room is made for 16, 64, 256, ... rounds, so that kernels are compiled for few shapes.

    Args:
        per_game, per_seat: the game's own fields.
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
    """Put the bid that is the `number`-th to come, from 0, among the ranked ones of round `j`: the highest first."""
    ranked = g["ranked"][j]
    k = number
    while k > 0 and ranked[k - 1] < bid:
        ranked[k] = ranked[k - 1]
        k -= 1
    ranked[k] = bid


@inlined
def hand_over(g, winner, price, all_pay):
    """Close the round: the winner, or NOBODY, gets the prize and pays; with `all_pay` the others pay their bids."""
    j = g["item"]
    g["winner"][j] = winner
    g["price"][j] = price if winner != NOBODY else NOBODY
    for seat in range(seats_of(g)):
        gain = 0
        if seat == winner:
            gain = worth(g, seat, j) - price
        elif all_pay:
            gain = -max(0, g["bid"][seat][j])
        g["gain"][seat] = gain
        g["profit"][seat] += gain
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
    """Write each seat's score so far, what rewards add up to, into `out`, (seats,) float64: profit over the top."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat] = g["profit"][seat] / g["top"]


RESULT = ("profit", "prizes", "paid")


@inlined
def result(state, b, out):
    """Write what compiled rollouts keep of a game into `out`, (seats, RESULT) int64; amounts in cents."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = g["profit"][seat]
        out[seat, 1] = g["won"][seat]
        out[seat, 2] = -g["profit"][seat]
        for j in range(g["num_items"]):
            if g["winner"][j] == seat:
                out[seat, 2] += worth(g, seat, j)


@kernel
def hide_prizes(g, seat):
    """Take out of a copy of the state what `seat` may not know of values, bids and results."""
    g["key"] = 0
    g["forced_tie"] = NOBODY
    now = g["item"]
    seats = g["num_seats"]
    tells_all = g["reveal"] == ALL
    for j in range(g["num_items"]):
        told = j < now and (tells_all or g["winner"][j] == seat)  # a winner can tell by its profit
        if not told or g["model"] != CV:  # what is common in apv is never told
            g["common"][j] = 0
        if g["winner"][j] != seat:
            g["winner"][j] = NOBODY
            if g["reveal"] == NONE:
                g["price"][j] = NOBODY
            if not tells_all:
                g["surplus"][j] = 0
        if j > now:
            g["value"][seat][j] = 0
        for k in range(seats):
            if j >= now or not tells_all:
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
def forget_rivals(g, seat):
    """Take out of a state what `seat` cannot know of what rivals did: their bids become WITHDRAW, of later rounds 0.

    Their profits and prizes start at 0; what of closed rounds was not told is as if nobody had won.
    """
    now = g["item"]
    tells_all = g["reveal"] == ALL
    seats = g["num_seats"]
    for j in range(g["num_items"]):
        if j < now and g["winner"][j] != seat:
            g["winner"][j] = NOBODY
            if g["reveal"] == NONE:
                g["price"][j] = NOBODY
            if not tells_all:
                g["surplus"][j] = 0
        for s in range(seats):
            if j > now or (j < now and not tells_all):
                g["ranked"][j][s] = 0
            if s != seat:
                g["bid"][s][j] = WITHDRAW if j <= now else 0
    for s in range(seats):
        if s != seat:
            g["gain"][s] = 0
            g["profit"][s] = 0
            g["won"][s] = 0
