"""Numbers that describe a decision point of an English or a housing auction: counts, and ratios of amounts."""

from __future__ import annotations

from aucenv.baselines.scripted.english import OVERESTIMATE, value_per_estimate

from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY

NAMES = (
    *("least/worth", "least/start", "worth/start", "round", "item", "later", "budget/ahead", "after/start", "bids"),
    *("standing", "rivals/in", "rivals", "best/later", "mean/later", "later/start", "rivals/ahead", "true/estimate"),
)
"""The names of the numbers, in their order.

`worth` is the expected value of the item: the seat's estimate, corrected by the true values revealed so far. `ahead` is
the sum of the starting prices of this item and all later ones, and `after` the budget that the least bid leaves.
"""
WORTHLESS = 1000.0
"""The ratio of the least bid to a worth of 0."""


@kernel
def decision_numbers(first, last, thread, rows, numbers, seats, out):
    """Write the numbers of the decisions `first` to `last` - 1, which do not depend on what is hidden from the seats.

    Args:
        rows: (any,) of the state's dtype.
        numbers: (decisions,) int64, the row of each decision.
        seats: (decisions,) int64, the deciding seats.
        out: (decisions, NAMES) float64, written.
    """
    for n in range(first, last):
        g, seat, j = rows[numbers[n]], seats[n], rows[numbers[n]]["item"]
        start, ahead, later = float(g["start"][j]), 0.0, g["num_items"] - j - 1
        correction = value_per_estimate(g, seat, OVERESTIMATE)
        worth = correction * g["estimate"][seat][j]
        best, total = 0.0, 0.0
        for k in range(j, g["num_items"]):
            ahead += g["start"][k]
            if k > j:
                ratio = correction * g["estimate"][seat][k] / g["start"][k]
                best = max(best, ratio)
                total += ratio
        active, money = 0, 0
        for s in range(g["num_seats"]):
            if s != seat:
                active += g["active"][s]
                money += g["budget"][s]
        out[n, 0] = g["least"] / worth if worth != 0.0 else WORTHLESS
        out[n, 1] = g["least"] / start
        out[n, 2] = worth / start
        out[n, 3] = g["round"]
        out[n, 4] = j
        out[n, 5] = later
        out[n, 6] = g["budget"][seat] / ahead
        out[n, 7] = (g["budget"][seat] - g["least"]) / start
        out[n, 8] = g["bids"][seat]
        out[n, 9] = 0.0 if g["leader"] == NOBODY else 1.0
        out[n, 10] = active
        out[n, 11] = g["num_seats"] - 1
        out[n, 12] = best
        out[n, 13] = total / later if later > 0 else 0.0
        out[n, 14] = (ahead - start) / start
        out[n, 15] = money / ahead
        out[n, 16] = correction
