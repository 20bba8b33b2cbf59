"""Values of the fields that every game's state has, and the kernels that use these fields.

A game's state has a numpy structured dtype, all of whose fields are int64; amounts are cents. Those of
`core.fields.GameState` come first, then the fields of the game. These include, for each seat that the dtype has space
for, `acting` (whether it has a decision in this round) and `seat_key` (private: the key of its randomness). Games in
which seats can leave permanently also have `gone`. Kernels take an array of this dtype and the number of a row, and
loop over `seats_of` seats.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from aucenv.core.kernel import draw, inlined, subkey

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2
STATUS_NAMES = ("running", "terminated", "truncated")

WITHDRAW = -1  # as an amount: withdraw from this item, or abstain in games without withdrawal
IDLE = -2  # as an amount: the seat has no decision in this round
NOBODY = -1  # as a seat: none
OUTSIDE = -1  # as the number of a seat's bidder: the seat waits for an action, and does not decide in compiled code

(
    TIE, SEAT_KEY, ORDER, ESTIMATE, NEXT_GAME, RESAMPLE, VALUE, SUPPLY, PERSONA, HOUSE, TREMBLE, MIXTURE, LEARNER,
) = range(1, 14)  # fmt: skip
"""Purposes of `draw` with the key of the game; policies use the key of their seat and any numbers as purposes.

VALUE, ESTIMATE, PERSONA, SUPPLY, HOUSE and ORDER are for what `deal` draws: values or signals, estimates, personas,
supplies, houses, and the order of items. TIE is for draws among equal bids, and RESAMPLE for `belief.resample`. The
others belong to aucenv: SEAT_KEY and NEXT_GAME derive keys, TREMBLE is for mistakes in rollouts, and MIXTURE and
LEARNER are for the rivals and the seat of a learner. A game can use further numbers from 100 on.
"""


SMALL_TABLE = 4
"""The maximum number of seats of a small table, whose state has space for exactly its seats."""


def seat_names(num_bidders: int) -> list[str]:
    """Return the names of the seats: bidder_0, bidder_1, ..."""
    return [f"bidder_{seat}" for seat in range(num_bidders)]


def seat_room(num_bidders: int, most: int, small: Iterable[int] = range(SMALL_TABLE + 1)) -> int:
    """Return the number of seats that a state has space for.

    Kernels are compiled for each shape of state, so there should be few shapes. Loops over few seats are faster.

    Args:
        num_bidders: the number of seats.
        most: the most seats of any table of the game.
        small: the numbers of seats of smaller shapes, in ascending order. If the environment variable AUCENV_SEAT_ROOM
            is `most`, there are none, so that a test suite compiles one shape for each game.

    Raises:
        ValueError: AUCENV_SEAT_ROOM is neither `exact`, the default, nor `most`.
    """
    shapes = os.environ.get("AUCENV_SEAT_ROOM") or "exact"
    if shapes not in ("exact", "most"):
        raise ValueError(f"AUCENV_SEAT_ROOM: expected exact or most, got {shapes!r}")
    if shapes == "most":
        return max(most, SMALL_TABLE + 1)  # `seats_of` takes all of a smaller shape as seats
    return next((size for size in small if size >= num_bidders), most)


@inlined
def seats_of(g):
    """Return the number of seats, which is a constant of the type at small tables: loops over seats are unrolled."""
    room = len(g["acting"])
    return room if room <= SMALL_TABLE else g["num_seats"]


@inlined
def rekey(g, key):
    """Seed all randomness from here on with another key."""
    g["key"] = key
    for seat in range(seats_of(g)):
        g["seat_key"][seat] = subkey(key, SEAT_KEY, seat)


@inlined
def break_tie(g, tied):
    """Return the winner among the seats where `tied` is not 0: the highest draw, so all are equally likely."""
    forced = g["forced_tie"]
    if forced >= 0 and tied[forced] != 0:
        return forced
    winner = NOBODY
    is_tie = False
    for seat in range(seats_of(g)):
        if tied[seat] != 0:
            is_tie = winner != NOBODY
            winner = seat
    if not is_tie:
        return winner
    highest = -1
    for seat in range(seats_of(g)):
        if tied[seat] != 0:
            h = draw(g["key"], TIE, g["item"], g["round"], seat)
            if h > highest:
                highest = h
                winner = seat
    return winner


@inlined
def close_item(g):
    """Close an item that takes one round: all seats decide about the next one, or the game is over after the last."""
    g["item"] += 1
    if g["item"] == g["num_items"]:
        g["status"] = TERMINATED
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1 if g["status"] == RUNNING else 0
    count_round(g)


@inlined
def count_round(g):
    """Count a closed round, and truncate a running game after `max_rounds` rounds."""
    g["rounds"] += 1
    g["forced_tie"] = NOBODY
    if g["status"] == RUNNING and g["max_rounds"] > 0 and g["rounds"] >= g["max_rounds"]:
        g["status"] = TRUNCATED
        for seat in range(seats_of(g)):
            g["acting"][seat] = 0
