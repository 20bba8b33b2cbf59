"""The head that every game's state shares, and the kernels that need nothing else of it.

A game's state is a numpy structured dtype whose fields are all int64; amounts are cents. `HEADER`
comes first, then the game's own fields, among them, for each seat that it has room for, `acting` (has a
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

(
    TIE, SEAT_KEY, ORDER, ESTIMATE, NEXT_GAME, RESAMPLE, VALUE, SUPPLY, PERSONA, HOUSE, TREMBLE, MIXTURE, LEARNER,
) = range(1, 14)  # fmt: skip
"""Purposes of `draw` on the game's key; policies draw on their seat's key and number theirs freely."""


SMALL_TABLE = 4
"""The most seats of a small table: its states, where they are of `seat_room`, are exactly as wide as it is."""


def seat_names(num_bidders: int) -> list[str]:
    """The names of the seats: bidder_0, bidder_1, ..."""
    return [f"bidder_{seat}" for seat in range(num_bidders)]


def seat_room(num_bidders: int, most: int) -> int:
    """How many seats a state has room for: at a small table as many as there are, else the `most` there can be.

    Kernels are compiled for each shape of state, so there should be few.
    """
    return num_bidders if num_bidders <= SMALL_TABLE else most


@inlined
def seats_of(g):
    """The number of seats: at a small table the compiler knows it, and unrolls the loops over them."""
    room = len(g["acting"])
    return room if room <= SMALL_TABLE else g["num_seats"]


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
