"""Families that sealed-bid and clock auctions share. Each has a price up to which it competes for the prize.

They read closed rounds only as far as the scenario reveals them.
"""

from __future__ import annotations

from collections.abc import Callable

from aucenv.baselines.scripted.policy import FIRST_FAMILY, Parameter, RuleBidder
from aucenv.baselines.scripted.single_item import expected_value

from aucenv.core.kernel import draw, kernel
from aucenv.core.state import NOBODY
from aucenv.envs.single_item.values import REVEAL_NONE

NOISY, THRESHOLD, ROUNDER, FOLLOWER, ADAPTIVE, QUOTA, TURNS = range(FIRST_FAMILY, 107)
LAST_SHARED = TURNS

ABSTAIN = -1.0
"""The limit of a family that does not compete for the prize."""
LEAST_SHARE, HIGHEST_SHARE = 0.2, 1.0
"""The limits of the share of its value that an adaptive bidder bids."""


@kernel
def limit_of(kind, params, g, seat):
    """Return the price in cents up to which a family competes in the current round, or ABSTAIN."""
    first, second = params[0], params[1]
    value = expected_value(g, seat)
    if kind == NOISY:
        point = draw(g["seat_key"][seat], 0, g["item"], 0, 0) / 4294967296.0
        return (first + second * (2.0 * point - 1.0)) * value
    if kind == THRESHOLD:
        return second * value if value >= first * g["top"] else ABSTAIN
    if kind == ROUNDER:
        unit = g["top"] / first
        return int(second * value / unit) * unit
    if kind == FOLLOWER:
        price = last_price(g, seat)
        return min(value, price + first * g["top"]) if price >= 0.0 else second * value
    if kind == ADAPTIVE:
        return adaptive_share(first, second, g, seat) * value
    if kind == QUOTA:
        return (params[1] if g["won"][seat] < first * g["num_items"] else params[2]) * value
    if kind == TURNS:
        return (first if g["item"] % g["num_seats"] == seat else second) * value
    return ABSTAIN


@kernel
def last_price(g, seat):
    """Return the last price that the seat has learnt, in cents; NOBODY if there is none."""
    price = NOBODY
    for j in range(g["item"]):
        learnt = g["reveal"] != REVEAL_NONE or g["winner"][j] == seat
        price = g["price"][j] if learnt and g["price"][j] >= 0 else price
    return float(price)


@kernel
def adaptive_share(start, step, g, seat):
    """Return the share of an adaptive bidder: `step` higher after each lost round, and lower after each won one.

    A won round lowers it so much that it stays the same on average if all seats win equally often.
    """
    share = start
    for j in range(g["item"]):
        change = -step * (g["num_seats"] - 1) if g["winner"][j] == seat else step
        share = min(HIGHEST_SHARE, max(LEAST_SHARE, share + change))
    return share


SHARED: tuple[tuple[str, int, str, tuple[Parameter, ...]], ...] = (
    (
        "noisy",
        NOISY,
        "Competes up to a share of its value that is drawn for each prize, uniform from `share` - `spread` "
        "to `share` + `spread`",
        (Parameter("share", 0.75, 0, 10), Parameter("spread", 0.1, 0, 10)),
    ),
    (
        "threshold",
        THRESHOLD,
        "Competes up to `share` times its value, but only for prizes whose value is at least the share `least` of "
        "the highest possible value",
        (Parameter("least", 0.3, 0, 1), Parameter("share", 0.8, 0, 10)),
    ),
    (
        "rounder",
        ROUNDER,
        "Competes up to `share` times its value, rounded down to a multiple of the highest possible value over `parts`",
        (Parameter("parts", 10, 1, 1000), Parameter("share", 0.85, 0, 10)),
    ),
    (
        "follower",
        FOLLOWER,
        "Competes up to the last price that it has learnt plus the share `step` of the highest possible value, but "
        "at most up to its value; before it has learnt a price, up to `first` times its value",
        (Parameter("step", 0.05, 0, 1), Parameter("first", 0.7, 0, 10)),
    ),
    (
        "adaptive",
        ADAPTIVE,
        "Competes up to a share of its value that begins at `start`, rises by `step` after each lost round, and "
        f"falls by N - 1 times `step` after each won one, with N seats, from {LEAST_SHARE:g} to {HIGHEST_SHARE:g}",
        (Parameter("start", 0.7, 0, 1), Parameter("step", 0.05, 0, 1)),
    ),
    (
        "quota",
        QUOTA,
        "Competes up to `eager` times its value until it has won the share `goal` of all prizes, and from then on "
        "up to `calm` times its value",
        (Parameter("goal", 0.25, 0, 1), Parameter("eager", 0.95, 0, 10), Parameter("calm", 0.4, 0, 10)),
    ),
    (
        "turns",
        TURNS,
        "Competes up to `eager` times its value in every N-th round with N seats, in the order of the seats, and "
        "up to `calm` times its value in the others",
        (Parameter("eager", 0.95, 0, 10), Parameter("calm", 0.2, 0, 10)),
    ),
)
"""The name, the kind, the description and the parameters of each family."""


def shared_families(decide: Callable[..., int]) -> tuple[RuleBidder, ...]:
    """Return the families that sealed-bid and clock auctions share, with the game's kernel `decide_family`."""
    return tuple(RuleBidder(name, kind, decide, about, parameters) for name, kind, about, parameters in SHARED)
