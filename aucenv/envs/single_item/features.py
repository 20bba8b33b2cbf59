"""Numeric observations for neural networks: the features that games with one prize a round share.

Every feature is clipped (`core.adapters.features`); amounts are divided by the highest possible value of a prize.
"""

from __future__ import annotations

from aucenv.core.adapters.features import clipped
from aucenv.core.kernel import inlined
from aucenv.core.state import RUNNING, seats_of
from aucenv.envs.single_item.values import CV, REVEAL_ALL, REVEAL_NONE

PER_GAME = (
    ("progress", "round, from 1, divided by the number of rounds; 1 at the end"),
    ("value", "the seat's value of this round's prize; with cv, its signal"),
    ("profit", "the seat's profit so far"),
    ("prizes", "share of the closed rounds that the seat has won"),
    ("last_value", "the seat's value, or signal, in the last round"),
    ("last_bid", "the seat's bid in the last round; 0 if there is none"),
    ("last_bids", "1 if the seat bid in the last round"),
    ("last_won", "1 if the seat won the last round"),
    ("last_profit", "the seat's profit in the last round"),
    ("last_price", "the last winner's payment, if revealed"),
    ("last_surplus", "the last winner's profit, if revealed"),
    ("last_prize", "with cv, the last prize's value, if revealed; its winner can infer it in any case"),
)
PER_RANK = (("ranked", "the last round's bid of this rank, the highest first, if revealed; 0 if there is none"),)
NUM_PRIZE = len(PER_GAME)


def rank_names(num_bidders: int) -> list[str]:
    """Return the names of the features for the last round's ranked bids."""
    return [f"rank{k}.{name}" for k in range(num_bidders) for name, _ in PER_RANK]


@inlined
def write_prizes(g, out, ranks_at):
    """Write the features of PER_GAME and PER_RANK for every seat.

    Args:
        out: (seats, features) float32, written.
        ranks_at: the index of the first ranked bid; the features of PER_GAME start at index 0.
    """
    j = g["item"]
    last = max(0, j - 1)
    played = j > 0
    running = g["status"] == RUNNING
    per_top = 1.0 / g["top"]
    progress = min(j + 1, g["num_items"]) / g["num_items"]
    per_played = 1.0 / j if played else 0.0
    reveals_all = played and g["reveal"] == REVEAL_ALL
    last_price = clipped(max(0, g["price"][last]) * per_top)
    last_surplus = clipped(g["surplus"][last] * per_top)
    price = last_price if played and g["reveal"] != REVEAL_NONE else 0.0
    surplus = last_surplus if reveals_all else 0.0
    last_prize = clipped(g["common"][last] * per_top) if g["model"] == CV else 0.0
    prize = last_prize if reveals_all else 0.0
    seats = seats_of(g)
    for seat in range(seats):
        won = played and g["winner"][last] == seat
        bid = g["bid"][seat][last]
        out[seat, 0] = progress
        out[seat, 1] = clipped(g["value"][seat][j] * per_top) if running else 0.0
        out[seat, 2] = clipped(g["profit"][seat] * per_top)
        out[seat, 3] = g["won"][seat] * per_played
        out[seat, 4] = clipped(g["value"][seat][last] * per_top) if played else 0.0
        out[seat, 5] = clipped(max(0, bid) * per_top) if played else 0.0
        out[seat, 6] = 1.0 if played and bid >= 0 else 0.0
        out[seat, 7] = 1.0 if won else 0.0
        out[seat, 8] = clipped(g["gain"][seat] * per_top)
        out[seat, 9] = last_price if won else price
        out[seat, 10] = last_surplus if won else surplus
        out[seat, 11] = last_prize if won else prize
    for k in range(seats):
        rank = clipped(max(0, g["ranked"][last][k]) * per_top) if reveals_all else 0.0
        for seat in range(seats):
            out[seat, ranks_at + k] = rank


@inlined
def hidden_features(state, b, out):
    """Write what is hidden from every seat: the common part or value of this round.

    Args:
        out: (1,) float32, written.
    """
    g = state[b]
    out[0] = clipped(g["common"][g["item"]] / g["top"]) if g["status"] == RUNNING else 0.0


def num_hidden_features(num_items: int) -> int:
    return 1
