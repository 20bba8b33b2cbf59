"""The head that every game's state shares, and the kernels that need nothing else of it.

A game's state is a numpy structured dtype whose fields are all int64; amounts are cents. `HEADER`
comes first, then the game's own fields, among them, for each seat, `acting` (has a decision in this
round) and `seat_key` (private: its own chance); where seats can
leave the game for good, also `gone`. Kernels take an array of that dtype and a row number.
"""

from __future__ import annotations

from aucenv.core.kernel import draw, kernel, subkey

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2
STATUS_NAMES = ("running", "terminated", "truncated")

WITHDRAW = -1  # as an amount: leave this item; where there is no withdrawing, abstain
IDLE = -2  # as an amount: the seat had no decision this round
NOBODY = -1  # as a seat

HEADER_NAMES = ("key", "num_seats", "num_items", "item", "round", "rounds", "max_rounds", "status", "forced_tie")
"""key: all chance after the deal. item, round: the moment, from 0. rounds: closed so far in the game.
max_rounds: truncate after so many, 0 = never. forced_tie: the seat that wins the next tie, for replaying
recorded chance; NOBODY = by the counter hash."""

HEADER = [(name, "i8") for name in HEADER_NAMES]

TIE, SEAT_KEY, ORDER, ESTIMATE, NEXT_GAME, RESAMPLE, VALUE, SUPPLY, PERSONA, HOUSE, TREMBLE = range(1, 12)
"""Purposes of `draw` on the game's key; policies draw on their seat's key and number theirs freely."""


@kernel
def rekey(g, key):
    """Let all chance to come follow from another key."""
    g["key"] = key
    for seat in range(g["num_seats"]):
        g["seat_key"][seat] = subkey(key, SEAT_KEY, seat)


@kernel
def break_tie(g, tied):
    """The winning seat among those where `tied` is not zero: the highest draw, so each is equally likely."""
    forced = g["forced_tie"]
    if forced >= 0 and tied[forced] != 0:
        return forced
    winner = NOBODY
    several = False
    for seat in range(g["num_seats"]):
        if tied[seat] != 0:
            several = winner != NOBODY
            winner = seat
    if not several:
        return winner
    highest = -1
    for seat in range(g["num_seats"]):
        if tied[seat] != 0:
            h = draw(g["key"], TIE, g["item"], g["round"], seat)
            if h > highest:
                highest = h
                winner = seat
    return winner


@kernel
def count_round(g):
    """Note that a round has closed, and truncate a running game that has had its `max_rounds`."""
    g["rounds"] += 1
    g["forced_tie"] = NOBODY
    if g["status"] == RUNNING and g["max_rounds"] > 0 and g["rounds"] >= g["max_rounds"]:
        g["status"] = TRUNCATED
        for seat in range(g["num_seats"]):
            g["acting"][seat] = 0
