"""Numeric observations for neural networks: the features and the action mask of a seat.

`feature_names` lists the features.
"""

from __future__ import annotations

from aucenv.core.adapters.features import clipped
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW, seats_of
from aucenv.core.words.money import cents_of_share
from aucenv.envs.ebay.rules import MAX_DAYS, check, clip, is_last_day
from aucenv.envs.single_item.features import NUM_PRIZE, PER_GAME, rank_names, write_prizes
from aucenv.envs.single_item.features import hidden_features as hidden_prize
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
    "soft": ("closing", ("hard", "soft")),
    "lift": ("lift_to_reserve", ("False", "True")),
    "model": ("values", MODELS),
}
"""The fields of the state that no feature shows, so that a network has to be trained for their values.

Each has the name of the scenario's field, and its values in the order of the state's numbers.
"""

PER_AUCTION = (
    ("price", "the price"),
    ("maximum", "the seat's maximum; 0 before its first bid"),
    ("leads", "1 if the seat leads"),
    ("led", "1 if any seat leads"),
    ("day", "day, from 1, divided by 20"),
    ("days_left", "the number of days after this one, divided by 20"),
    ("last_day", "1 on the last day, on which no order is announced"),
    ("late", "1 if anybody has bid since the last day was added, or since the start"),
    ("decides", "1 if the seat moves now"),
)
NUM_AUCTION = len(PER_AUCTION)
PER_RIVAL = (
    ("leads", "1 if the rival leads"),
    ("bid", "1 if the rival has bid in this auction"),
    ("bid_day", "day on which the rival set its maximum, from 1, divided by 20; 0 if it has not bid"),
    ("later", "1 if the rival moves later on this day, if the order is announced"),
)
NUM_RIVAL = len(PER_RIVAL)


def feature_names(num_bidders: int) -> list[str]:
    """Return the name of each feature.

    The order is: shared ones, those of the auction, each rank of the last auction's maxima, and each rival, beginning
    with the seat after the observer's.
    """
    rivals = [f"rival{k}.{name}" for k in range(1, num_bidders) for name, _ in PER_RIVAL]
    return [name for name, _ in PER_GAME + PER_AUCTION] + rank_names(num_bidders) + rivals


@kernel
def features(state, b, out):
    """Write the features of every seat.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    write_prizes(g, out, NUM_PRIZE + NUM_AUCTION)
    write_auction(g, out)


@inlined
def update_features(state, b, item, out):
    """Update the features of every seat, which were last written when `item` was the current auction.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    if g["item"] != item or g["status"] != RUNNING:
        write_prizes(g, out, NUM_PRIZE + NUM_AUCTION)
    write_auction(g, out)


@kernel
def write_auction(g, out):
    """Write the features that change with every move."""
    seats = g["num_seats"]
    running = g["status"] == RUNNING
    on = 1.0 if running else 0.0
    per_top = 1.0 / g["top"]
    at = NUM_PRIZE
    leader = g["leader"]
    last = is_last_day(g)
    for seat in range(seats):
        out[seat, at] = on * clipped(g["price_now"] * per_top)
        out[seat, at + 1] = on * clipped(max(0, g["maximum"][seat]) * per_top)
        out[seat, at + 2] = on if leader == seat else 0.0
        out[seat, at + 3] = on if leader != NOBODY else 0.0
        out[seat, at + 4] = on * (g["day"] + 1) / MAX_DAYS
        out[seat, at + 5] = on * (g["days_now"] - g["day"] - 1) / MAX_DAYS
        out[seat, at + 6] = on if last else 0.0
        out[seat, at + 7] = on if g["late"] != 0 else 0.0
        out[seat, at + 8] = on * g["acting"][seat]
    for place in range(seats):
        rival = g["order"][place]
        later = on if place >= g["turn"] and not last else 0.0
        for seat in range(seats):
            if rival != seat and rival != NOBODY:
                first = at + NUM_AUCTION + seats + NUM_RIVAL * ((rival - seat - 1) % seats)
                placed = g["placed"][rival]
                out[seat, first] = on if leader == rival else 0.0
                out[seat, first + 1] = on if placed != NOBODY else 0.0
                out[seat, first + 2] = on * (placed // seats + 1) / MAX_DAYS if placed != NOBODY else 0.0
                out[seat, first + 3] = later


@inlined
def mask(state, b, out):
    """Write which vector actions are legal for every seat; a seat without a decision has only action 0.

    Args:
        out: (seats, maxima + 1) int8, written.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, :] = 0
        out[seat, 0] = 1
        if g["acting"][seat] != 0:
            for action in range(1, out.shape[1]):
                out[seat, action] = 1 if check(state, b, seat, amount(state, b, seat, action)) == 0 else 0


@inlined
def amount(state, b, seat, action):
    """Return the amount of a vector action: 0 holds, a >= 1 sets the maximum to a - 1 steps."""
    return (action - 1) * state[b]["step"] if action > 0 else WITHDRAW


@inlined
def amount_of_share(state, b, seat, share):
    """Return the maximum for a share of the seat's value, or signal; a share below the least raise holds."""
    g = state[b]
    return clip(state, b, seat, cents_of_share(g["value"][seat][g["item"]], share))


@inlined
def hidden_features(state, b, out):
    """Write what is hidden from every seat: the common part or value of this auction, and the reserve.

    Args:
        out: (2,) float32, written.
    """
    hidden_prize(state, b, out)
    out[1] = clipped(state[b]["reserve"] / state[b]["top"])


def num_features(num_bidders: int, num_items: int) -> int:
    return NUM_PRIZE + NUM_AUCTION + num_bidders + NUM_RIVAL * (num_bidders - 1)


def num_hidden_features(num_items: int) -> int:
    return 2
