"""Numeric observations for neural networks: the features and the action mask of a seat.

`feature_names` lists the features.
"""

from __future__ import annotations

from aucenv.core.adapters.features import clipped
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW, seats_of
from aucenv.core.words.money import cents_of_share
from aucenv.envs.clock.rules import STAY, clip
from aucenv.envs.single_item.features import (
    NUM_PRIZE,
    PER_GAME,
    hidden_features,
    num_hidden_features,
    rank_names,
    write_prizes,
)
from aucenv.envs.single_item.values import MODELS

__all__ = [
    "MECHANISM",
    "amount",
    "amount_of_share",
    "feature_names",
    "features",
    "hidden_features",
    "mask",
    "num_features",
    "num_hidden_features",
    "update_features",
]

MECHANISM = {
    "falling": ("direction", ("ascending", "descending")),
    "open": ("feedback", ("blind or none", "open")),
    "model": ("values", MODELS),
}
"""The fields of the state that no feature shows, so that a network has to be trained for their values.

Each has the name of the scenario's field, and its values in the order of the state's numbers.
"""

PER_CLOCK = (
    ("price", "the clock's price"),
    ("still_in", "share of the seats that are still in, if revealed"),
    ("in", "1 while the seat is still in"),
    ("named", "the price that the seat has named; 0 if there is none"),
)
NUM_CLOCK = len(PER_CLOCK)
PER_EXIT = (
    ("left_at", "a price at which a seat has left in this round, the highest first, if revealed; 0 if there is none"),
)
LEAST_IN = 2
"""The least number of seats that are still in while a rising clock runs."""


def feature_names(num_bidders: int) -> list[str]:
    """Return the name of each feature.

    The order is: shared ones, those of the clock, each rank of the last round's leaving prices, and each rank of those
    of this round.
    """
    exits = [f"exit{k}.{name}" for k in range(num_bidders - LEAST_IN) for name, _ in PER_EXIT]
    return [name for name, _ in PER_GAME + PER_CLOCK] + rank_names(num_bidders) + exits


@kernel
def features(state, b, out):
    """Write the features of every seat.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    write_prizes(g, out, NUM_PRIZE + NUM_CLOCK)
    write_clock(g, out)


@inlined
def update_features(state, b, item, out):
    """Update the features of every seat, which were last written when `item` was the current round.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    if g["item"] != item or g["status"] != RUNNING:
        write_prizes(g, out, NUM_PRIZE + NUM_CLOCK)
    write_clock(g, out)


@inlined
def write_clock(g, out):
    """Write the features that change with every tick."""
    running = g["status"] == RUNNING
    per_top = 1.0 / g["top"]
    seats = seats_of(g)
    price = clipped(g["price_now"] * per_top) if running else 0.0
    shows_exits = running and g["open"] != 0
    still_in = g["still_in"] / seats if shows_exits else 0.0
    left = seats - g["still_in"] if shows_exits else 0
    for seat in range(seats):
        limit = g["limit"][seat]
        out[seat, NUM_PRIZE] = price
        out[seat, NUM_PRIZE + 1] = still_in
        out[seat, NUM_PRIZE + 2] = 1.0 if running and g["active"][seat] != 0 else 0.0
        out[seat, NUM_PRIZE + 3] = clipped(limit * per_top) if running and limit != NOBODY else 0.0
    for k in range(seats - LEAST_IN):
        exit_price = clipped(g["ranked"][g["item"]][k] * per_top) if k < left else 0.0
        for seat in range(seats):
            out[seat, NUM_PRIZE + NUM_CLOCK + seats + k] = exit_price


@inlined
def mask(state, b, out):
    """Write which vector actions are legal for every seat: both, or only action 0 for a seat without a decision.

    Args:
        out: (seats, 2) int8, written.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = 1
        out[seat, 1] = g["acting"][seat]


@inlined
def amount(state, b, seat, action):
    """Return the amount of a vector action. Ascending: 0 leaves, 1 stays; descending: 0 waits, 1 takes the prize."""
    g = state[b]
    if action == 0:
        return WITHDRAW
    return STAY if g["falling"] == 0 else g["price_now"]


@inlined
def amount_of_share(state, b, seat, share):
    """Return the price at which to leave or to take the prize, for a share of the seat's value, or signal.

    The price is rounded to the nearest tick; if the clock has passed it, the seat leaves or takes the prize now.
    """
    g = state[b]
    return clip(state, b, seat, cents_of_share(g["value"][seat][g["item"]], share))


def num_features(num_bidders: int, num_items: int) -> int:
    return NUM_PRIZE + NUM_CLOCK + 2 * num_bidders - LEAST_IN
