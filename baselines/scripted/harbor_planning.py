"""What ExpAct weighs before it bids: who goes how far for what, and what one's budget buys best.

A seat is expected to spend evenly, on a house that suits its persona 1 + lift times as much: the idea of
`aucenv.envs.harbor.profile`, but by what the planner takes houses to be worth, not by starting prices, and with what is
left to sell counted again before each bid. Amounts are cents, as floats.
"""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.rules import NUM_PERSONAS, has_persona

MOST_OF_VALUE = 0.95
"""Nobody is expected to bid beyond this share of a house's value."""
AHEAD = 0.05
"""By this share of the starting price more than its rivals would go one wins, on average: half a raise."""


@kernel
def read_personas(true, g, seat, out):
    """Write how likely each rival has each persona: all alike, or `true`: those it has are certain, even if two.

    Args:
        out: (seats, 10) float64, written, but for the own seat's row.
    """
    for s in range(g["num_seats"]):
        if s != seat:
            known = 0
            for k in range(NUM_PERSONAS):
                known += true and has_persona(g, s, k)
            for k in range(NUM_PERSONAS):
                if known > 0:
                    out[s, k] = 1.0 if has_persona(g, s, k) else 0.0
                else:
                    out[s, k] = 1.0 / NUM_PERSONAS


@kernel
def keenness(g, read, alike, out):
    """Write how much each item is expected to be what each seat likes, from 0 to 1.

    Args:
        read: (seats, 10), how likely each seat has each persona.
        out: (seats, num_items) float64, written.
    """
    for s in range(g["num_seats"]):
        for j in range(g["num_items"]):
            out[s, j] = 0.0
            for k in range(NUM_PERSONAS):
                out[s, j] = min(1.0, out[s, j] + read[s, k] * alike[j, k])


@kernel
def foresee(lift, g, seat, keen, values, budgets, prices):
    """Write what each item from the current one on will take to win.

    Args:
        keen: (seats, num_items), as `keenness` writes it.
        values: (num_items,) what items are worth.
        budgets: (seats,) what everybody has left.
        prices: (num_items,) float64, written.
    """
    for j in range(g["item"], g["num_items"]):
        prices[j] = g["start"][j]
    for s in range(g["num_seats"]):
        if s != seat:
            left = 0.0
            for j in range(g["item"], g["num_items"]):
                left += (1.0 + lift * keen[s, j]) * values[j]
            for j in range(g["item"] + (g["active"][s] == 0), g["num_items"]):  # who has withdrawn raises no more
                share = (1.0 + lift * keen[s, j]) * values[j] / left if left > 0.0 else 0.0
                limit = min(share * g["num_seats"] * budgets[s], MOST_OF_VALUE * values[j], budgets[s])
                prices[j] = max(prices[j], limit + AHEAD * g["start"][j])


@kernel
def best_gain(first, values, prices, budget):
    """The most that a budget gains on the items from `first` on: of the highest value per price, the last in part.

    Args:
        values, prices: (num_items,).
    """
    taken = np.zeros(len(values), np.bool_)
    gain = 0.0
    while budget > 0.0:
        best = -1
        ratio = 1.0
        for j in range(first, len(values)):
            if not taken[j] and values[j] > ratio * prices[j]:
                best = j
                ratio = values[j] / prices[j]
        if best < 0:
            break
        taken[best] = True
        share = min(1.0, budget / prices[best])
        gain += share * (values[best] - prices[best])
        budget -= share * prices[best]
    return gain
