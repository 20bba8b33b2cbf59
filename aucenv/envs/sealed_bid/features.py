"""Numeric observations for neural networks: the features and the action mask of a seat.

`feature_names` lists the features.
"""

from __future__ import annotations

from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import WITHDRAW, seats_of
from aucenv.core.words.money import cents_of_share
from aucenv.envs.sealed_bid.rules import PRICINGS, clip
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

MECHANISM = {"pricing": ("pricing", PRICINGS), "model": ("values", MODELS)}
"""The fields of the state that no feature shows, so that a network has to be trained for their values.

Each has the name of the scenario's field, and its values in the order of the state's numbers.
"""


def feature_names(num_bidders: int) -> list[str]:
    """Return the name of each feature: those of the game, then one for each rank of the last round's bids."""
    return [name for name, _ in PER_GAME] + rank_names(num_bidders)


@kernel
def features(state, b, out):
    """Write the features of every seat.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    write_prizes(state[b], out, NUM_PRIZE)


@inlined
def update_features(state, b, item, out):
    """Update the features of every seat by writing all of them, as every round changes nearly all."""
    features(state, b, out)


@inlined
def mask(state, b, out):
    """Write which vector actions are legal for every seat: all, or only action 0 for a seat without a decision.

    Args:
        out: (seats, bids + 1) int8, written.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = 1
        out[seat, 1:] = g["acting"][seat]


@inlined
def amount(state, b, seat, action):
    """Return the amount of a vector action: 0 abstains, a >= 1 bids a - 1 steps."""
    return (action - 1) * state[b]["step"] if action > 0 else WITHDRAW


@inlined
def amount_of_share(state, b, seat, share):
    """Return the amount of a share of the seat's value, or signal, as the nearest legal bid; it never abstains."""
    g = state[b]
    return clip(state, b, seat, cents_of_share(g["value"][seat][g["item"]], share))


def num_features(num_bidders: int, num_items: int) -> int:
    return NUM_PRIZE + num_bidders
