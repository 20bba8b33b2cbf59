"""Numeric observations for neural networks: those of English auctions, with personas, houses and bids by seat."""

from __future__ import annotations

from aucenv.core.adapters.features import clipped
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import seats_of
from aucenv.envs.english import features as english
from aucenv.envs.english.features import amount, amount_of_share, hidden_features, mask, num_hidden_features
from aucenv.envs.harbor.rules import LIKING, NUM_PERSONAS, has_persona

__all__ = [
    "PER_ITEM",
    "PER_SEAT_ITEM",
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

PER_ITEM = tuple((f"liking{k}", f"how well it suits persona {k}, from 0 to 1") for k in range(NUM_PERSONAS))
PER_SEAT_ITEM = (
    ("raises", "its bids for the item, divided by 10"),
    ("top", "its highest bid, divided by the item's starting price"),
    ("left_at", "the least legal bid at which it withdrew, divided by the starting price; 0 if it has not withdrawn"),
)
NUM_ITEM, NUM_SEAT_ITEM = len(PER_ITEM), len(PER_SEAT_ITEM)


def feature_names(num_bidders: int, num_items: int) -> list[str]:
    """Return the name of each feature: those of English auctions, then of the seat's personas and the items.

    Features of seats start with the observing seat.
    """
    names = english.feature_names(num_bidders, num_items)
    names += [f"persona{k}" for k in range(NUM_PERSONAS)]
    names += [f"item{j}.{name}" for j in range(num_items) for name, _ in PER_ITEM]
    return names + [
        f"item{j}.seat+{k}.{name}" for j in range(num_items) for k in range(num_bidders) for name, _ in PER_SEAT_ITEM
    ]


def num_features(num_bidders: int, num_items: int) -> int:
    added = NUM_PERSONAS + num_items * (NUM_ITEM + num_bidders * NUM_SEAT_ITEM)
    return english.num_features(num_bidders, num_items) + added


@inlined
def after_english(g):
    """Return the index after the features of English auctions."""
    return english.NUM_GAME + english.NUM_SEAT * seats_of(g) + english.NUM_ITEM * g["num_items"]


@kernel
def features(state, b, out):
    """Write the features of every seat.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    english.features(state, b, out)
    g = state[b]
    at = after_english(g)
    for seat in range(g["num_seats"]):
        for k in range(NUM_PERSONAS):
            out[seat, at + k] = 1.0 if has_persona(g, seat, k) else 0.0
    at += NUM_PERSONAS
    for j in range(g["num_items"]):
        for k in range(NUM_PERSONAS):
            liking = g["liking"][g["lot"][j]][k] * (1.0 / LIKING)
            for seat in range(g["num_seats"]):
                out[seat, at + NUM_ITEM * j + k] = liking
        write_bids(g, j, out)


@inlined
def update_features(state, b, item, out):
    """Update the features of every seat, which were last written when `item` was the current item.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    english.update_features(state, b, item, out)
    g = state[b]
    for j in range(item, min(g["item"] + 1, g["num_items"])):
        write_bids(g, j, out)


@inlined
def write_bids(g, j, out):
    """Write each seat's bids for item `j`."""
    num_seats = seats_of(g)
    per_start = 1.0 / g["start"][j]
    first = after_english(g) + NUM_PERSONAS + NUM_ITEM * g["num_items"] + NUM_SEAT_ITEM * num_seats * j
    for s in range(num_seats):
        raises = clipped(g["raises"][s][j] * 0.1)
        top = clipped(g["top"][s][j] * per_start)
        left_at = clipped(g["left_at"][s][j] * per_start)
        for seat in range(num_seats):
            at = first + NUM_SEAT_ITEM * (s - seat if s >= seat else s - seat + num_seats)
            out[seat, at] = raises
            out[seat, at + 1] = top
            out[seat, at + 2] = left_at
