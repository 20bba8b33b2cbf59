"""The head that every game's state shares, and the kernels that need nothing else of it.

A game's state is a numpy structured dtype whose fields are all int64; amounts are cents. `HEADER`
comes first, then the game's own fields, among them, for each of `seat_room` seats, `acting` (has a
decision in this round) and `seat_key` (private: its own chance); where seats can leave the game for good,
also `gone`. Kernels take an array of that dtype and a row number, and loop over `seats_of` seats.
"""

from __future__ import annotations

from aucenv.core.kernel import draw, inlined, subkey

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


SMALL_TABLES = (2, 3, 4)
"""Numbers of seats for which a state may have exactly that room."""


def seat_room(num_bidders: int, exact: tuple[int, ...], *wider: int) -> int:
    """How many seats a state has room for: just as many if that is in `exact`, else the first of `wider` that does.

    Kernels are compiled for each shape of state, so there should be few.

    Args:
        exact: those of SMALL_TABLES that are worth kernels of their own.
    """
    if num_bidders in exact:
        return num_bidders
    return next(room for room in wider if num_bidders <= room)


@inlined
def seats_of(g):
    """The number of seats: where there is just room for them the compiler knows it, and unrolls the loops over them."""
    room = len(g["acting"])
    return room if room <= SMALL_TABLES[-1] else g["num_seats"]


@inlined
def rekey(g, key):
    """Let all chance to come follow from another key."""
    g["key"] = key
    for seat in range(seats_of(g)):
        g["seat_key"][seat] = subkey(key, SEAT_KEY, seat)


@inlined
def break_tie(g, tied):
    """The winning seat among those where `tied` is not zero: the highest draw, so each is equally likely."""
    forced = g["forced_tie"]
    if forced >= 0 and tied[forced] != 0:
        return forced
    winner = NOBODY
    several = False
    for seat in range(seats_of(g)):
        if tied[seat] != 0:
            several = winner != NOBODY
            winner = seat
    if not several:
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
def count_round(g):
    """Note that a round has closed, and truncate a running game that has had its `max_rounds`."""
    g["rounds"] += 1
    g["forced_tie"] = NOBODY
    if g["status"] == RUNNING and g["max_rounds"] > 0 and g["rounds"] >= g["max_rounds"]:
        g["status"] = TRUNCATED
        for seat in range(seats_of(g)):
            g["acting"][seat] = 0
