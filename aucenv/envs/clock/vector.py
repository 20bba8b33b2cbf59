"""Numbers for a network: the features and the action mask of a seat. `feature_names` lists them."""

from __future__ import annotations

from aucenv.core.features import clipped
from aucenv.core.kernel import inlined, kernel
from aucenv.core.money import cents_of_share
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW, seats_of
from aucenv.envs.clock.rules import STAY, clip
from aucenv.envs.single_item.vector import NUM_PRIZE, PER_GAME, common_now, rank_names, write_prizes

__all__ = [
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

PER_CLOCK = (
    ("price", "the clock's price"),
    ("still_in", "how many are still in, as a share of all, if it is told"),
    ("in", "1 while the seat is in"),
    ("named", "the price that it has named, 0 if none"),
)
NUM_CLOCK = len(PER_CLOCK)


def feature_names(num_bidders: int) -> list[str]:
    """The name of each feature, by index: the prizes', the clock's, each rank of the last round's leaving prices."""
    return [name for name, _ in PER_GAME + PER_CLOCK] + rank_names(num_bidders)


@kernel
def features(state, b, out):
    """Write what every seat knows.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    write_prizes(g, out, NUM_PRIZE + NUM_CLOCK)
    write_clock(g, out)


@inlined
def update_features(state, b, item, out):
    """Bring the features of all seats up to date, written when `item` was the current round, ticks ago."""
    g = state[b]
    if g["item"] != item or g["status"] != RUNNING:
        write_prizes(g, out, NUM_PRIZE + NUM_CLOCK)
    write_clock(g, out)


@inlined
def write_clock(g, out):
    """Write what changes with every tick."""
    running = g["status"] == RUNNING
    per_top = 1.0 / g["top"]
    price = clipped(g["price_now"] * per_top) if running else 0.0
    still_in = g["still_in"] / seats_of(g) if running and g["open"] != 0 else 0.0
    for seat in range(seats_of(g)):
        limit = g["limit"][seat]
        out[seat, NUM_PRIZE] = price
        out[seat, NUM_PRIZE + 1] = still_in
        out[seat, NUM_PRIZE + 2] = 1.0 if running and g["active"][seat] != 0 else 0.0
        out[seat, NUM_PRIZE + 3] = clipped(limit * per_top) if running and limit != NOBODY else 0.0


@inlined
def mask(state, b, out):
    """Write which vector actions are legal for every seat: both; only 0 where there is no decision.

    Args:
        out: (seats, 2) int8, written.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = 1
        out[seat, 1] = g["acting"][seat]


@inlined
def amount(state, b, seat, action):
    """The amount of a vector action. Ascending: 0 leaves, 1 stays; descending: 0 waits, 1 takes the prize."""
    g = state[b]
    if action == 0:
        return WITHDRAW
    return STAY if g["falling"] == 0 else g["price_now"]


@inlined
def amount_of_share(state, b, seat, share):
    """The amount of a share of the own value, or signal, to the nearest tick: where to leave, or to take the prize."""
    g = state[b]
    return clip(state, b, seat, cents_of_share(g["value"][seat][g["item"]], share))


@inlined
def hidden_features(state, b, out):
    """Write the common part or value of this round.

    Args:
        out: (1,) float32, written.
    """
    out[0] = common_now(state[b])


def num_features(num_bidders: int, num_items: int) -> int:
    return NUM_PRIZE + NUM_CLOCK + num_bidders


def num_hidden_features(num_items: int) -> int:
    return 1
