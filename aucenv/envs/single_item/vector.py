"""Numbers for a network that all games have that sell one prize a round.

Every feature is clipped (`core.features`); amounts are shares of the most that a prize can be worth.
"""

from __future__ import annotations

from aucenv.core.features import clipped
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import RUNNING, seats_of
from aucenv.envs.single_item.values import ALL, CV, NONE

PER_GAME = (
    ("progress", "the round, from 1, as a share of all; 1 at the end"),
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
    ("last_prize", "what the last prize was worth, in cv, if it is told; who has won it can tell"),
)
PER_RANK = (("ranked", "the last round's bid of this rank, the highest first, if bids are told; 0 if none"),)
NUM_PRIZE = len(PER_GAME)


def rank_names(num_bidders: int) -> list[str]:
    return [f"rank{k}.{name}" for k in range(num_bidders) for name, _ in PER_RANK]


@inlined
def write_prizes(g, out, ranks_at):
    """Write PER_GAME to the front of every seat's row, and the ranked bids from `ranks_at` on.

    Args:
        out: (seats, features) float32, written.
    """
    j = g["item"]
    last = max(0, j - 1)
    played = j > 0
    running = g["status"] == RUNNING
    per_top = 1.0 / g["top"]
    progress = min(j + 1, g["num_items"]) / g["num_items"]
    per_played = 1.0 / j if played else 0.0
    tells_all = played and g["reveal"] == ALL
    last_price = clipped(max(0, g["price"][last]) * per_top)
    last_surplus = clipped(g["surplus"][last] * per_top)
    price = last_price if played and g["reveal"] != NONE else 0.0
    surplus = last_surplus if tells_all else 0.0
    last_prize = clipped(g["common"][last] * per_top) if g["model"] == CV else 0.0
    prize = last_prize if tells_all else 0.0
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
        rank = clipped(max(0, g["ranked"][last][k]) * per_top) if tells_all else 0.0
        for seat in range(seats):
            out[seat, ranks_at + k] = rank


@kernel
def common_now(g):
    """The common part or value of this round, as a share of the most that a prize can be worth."""
    return clipped(g["common"][g["item"]] / g["top"]) if g["status"] == RUNNING else 0.0
