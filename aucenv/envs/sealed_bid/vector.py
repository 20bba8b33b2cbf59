"""Numbers for a network: the features and the action mask of a seat.

Every feature is clipped to [-CLIP, CLIP]; amounts are shares of the most that a prize can be worth. `feature_names`
lists them.
"""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.core.state import RUNNING, WITHDRAW
from aucenv.envs.sealed_bid.rules import ALL, NONE
from aucenv.envs.values import CV

CLIP = 10.0

PER_GAME = (
    ("progress", "rounds that are through, as a share of all"),
    ("value", "what this round's prize is worth to the seat; in cv, its signal"),
    ("profit", "own profit so far"),
    ("prizes", "prizes won, as a share of the rounds that are through"),
    ("last_value", "own value, or signal, in the last round"),
    ("last_bid", "own bid in the last round, 0 if none"),
    ("last_bids", "1 if the seat bid in the last round"),
    ("last_won", "1 if the seat won the last round"),
    ("last_profit", "own profit in the last round"),
    ("last_price", "what the last round's winner paid, if it is told"),
    ("last_surplus", "the last winner's profit, if it is told"),
    ("last_prize", "what the last prize was worth, in cv, if it is told"),
)
PER_SEAT = (("ranked", "the last round's bid of this rank, the highest first, if bids are told; 0 if none"),)


def feature_names(num_bidders: int) -> list[str]:
    """The name of each feature, by index: the game's, then one for each rank of the last round's bids."""
    return [name for name, _ in PER_GAME] + [f"rank{k}.{name}" for k in range(num_bidders) for name, _ in PER_SEAT]


NUM_GAME, NUM_SEAT = len(PER_GAME), len(PER_SEAT)


@kernel
def clipped(x):
    return CLIP if x > CLIP else (-CLIP if x < -CLIP else x)


@kernel
def features(state, b, out):
    """Write what every seat knows.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    j = g["item"]
    last = j - 1
    running = g["status"] == RUNNING
    per_top = 1.0 / g["top"]
    per_round = 1.0 / g["num_items"]
    per_played = 1.0 / j if j > 0 else 0.0
    price = 0.0
    surplus = 0.0
    prize = 0.0
    tells_all = last >= 0 and g["reveal"] == ALL
    if last >= 0 and g["reveal"] != NONE:
        price = clipped(max(0, g["price"][last]) * per_top)
    if tells_all:
        surplus = clipped(g["surplus"][last] * per_top)
        if g["model"] == CV:
            prize = clipped(g["common"][last] * per_top)
    seats = g["num_seats"]
    for seat in range(seats):
        own = out[seat]
        won = last >= 0 and g["winner"][max(last, 0)] == seat
        own[0] = j * per_round
        own[1] = clipped(g["value"][seat][j] * per_top) if running else 0.0
        own[2] = clipped(g["profit"][seat] * per_top)
        own[3] = g["won"][seat] * per_played
        own[4] = clipped(g["value"][seat][last] * per_top) if last >= 0 else 0.0
        own[5] = clipped(max(0, g["bid"][seat][last]) * per_top) if last >= 0 else 0.0
        own[6] = 1.0 if last >= 0 and g["bid"][seat][last] >= 0 else 0.0
        own[7] = 1.0 if won else 0.0
        own[8] = clipped(g["gain"][seat] * per_top)
        own[9] = clipped(g["price"][max(last, 0)] * per_top) if won else price
        own[10] = clipped(g["surplus"][max(last, 0)] * per_top) if won else surplus
        own[11] = prize
    for k in range(seats):
        rank = clipped(max(0, g["ranked"][last][k]) * per_top) if tells_all else 0.0
        for seat in range(seats):
            out[seat, NUM_GAME + k] = rank


@kernel
def refresh(state, b, item, out):
    """Bring the features of all seats up to date: every round changes nearly all of them."""
    features(state, b, out)


@kernel
def mask(state, b, out):
    """Write which vector actions are legal for every seat: all on the grid; only 0 where there is no decision.

    Args:
        out: (seats, bids + 1) int8, written.
    """
    g = state[b]
    for seat in range(g["num_seats"]):
        out[seat, 0] = 1
        out[seat, 1:] = g["acting"][seat]


@kernel
def amount(state, b, seat, action):
    """The amount of a vector action: 0 abstains, a >= 1 bids a - 1 steps."""
    return (action - 1) * state[b]["step"] if action > 0 else WITHDRAW


@kernel
def central(state, b, out):
    """Write the state for a centralised critic: every seat's features, then the common part or value of this round.

    Args:
        out: (num_seats * len(feature_names) + 1,) float32, written.
    """
    g = state[b]
    own = len(out) - 1
    seats = g["num_seats"]
    features(state, b, out[:own].reshape(seats, own // seats))
    out[own] = clipped(g["common"][g["item"]] / g["top"]) if g["status"] == RUNNING else 0.0


def num_features(num_bidders: int, num_items: int) -> int:
    return NUM_GAME + NUM_SEAT * num_bidders


def central_size(num_bidders: int, num_items: int) -> int:
    return num_bidders * num_features(num_bidders, num_items) + 1
