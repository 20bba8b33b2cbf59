"""Numeric observations, masks and vector actions; amounts are divided by the highest value."""

from __future__ import annotations

from uniform_price.rules import clip

from aucenv.core.adapters.features import clipped
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import RUNNING, WITHDRAW, seats_of
from aucenv.core.words.money import cents_of_share

NAMES = ("round", "value", "profit", "units_won", "units", "last_price")


@kernel
def features(state, b, out):
    """Write (seats, NAMES) float32."""
    g = state[b]
    j, last = g["item"], max(0, g["item"] - 1)
    running = g["status"] == RUNNING
    for seat in range(seats_of(g)):
        out[seat, 0] = min(j + 1, g["num_items"]) / g["num_items"]
        out[seat, 1] = g["value"][seat][min(j, g["num_items"] - 1)] / g["highest_value"] if running else 0.0
        out[seat, 2] = clipped(g["profit"][seat] / g["highest_value"])
        out[seat, 3] = g["won"][seat] / g["num_items"]
        out[seat, 4] = g["num_units"] / g["num_seats"]
        out[seat, 5] = g["price"][last] / g["highest_value"] if j > 0 else 0.0


@inlined
def update_features(state, b, item, out):
    """Write all features again, because nearly all change."""
    features(state, b, out)


@inlined
def mask(state, b, out):
    """Write which actions are legal: all, or only 0 when the game is over."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = 1
        for action in range(1, out.shape[1]):
            out[seat, action] = g["acting"][seat]


@inlined
def amount(state, b, seat, action):
    """Return the cents of an action: 0 abstains, a >= 1 bids a - 1 steps."""
    return WITHDRAW if action == 0 else (action - 1) * state[b]["step"]


@inlined
def amount_of_share(state, b, seat, share):
    """Return the amount of a share of the seat's value."""
    g = state[b]
    value = g["value"][seat][min(g["item"], g["num_items"] - 1)]
    return clip(state, b, seat, cents_of_share(value, share))


@inlined
def hidden_features(state, b, out):
    """Write nothing: the features of all seats contain all values of the round."""


def num_features(num_bidders: int, num_items: int) -> int:
    return len(NAMES)


def num_hidden_features(num_items: int) -> int:
    return 0
