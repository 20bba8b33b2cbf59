"""Resampling of hidden values, consistent with what a seat has observed."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import RESAMPLE, rekey
from uniform_price.rules import hide


@kernel
def resample(state, b, seat, key):
    """Resample what is hidden from a seat: others' values, its own values of later rounds, and others' bids as 0."""
    g = state[b]
    seat_key = g["seat_key"][seat]
    hide(g, seat)
    rekey(g, key)
    g["seat_key"][seat] = seat_key
    for other in range(g["num_seats"]):
        for j in range(g["num_items"]):
            if other != seat or j > g["item"]:
                number = draw_below(g["high"] // g["step"] + 1, key, RESAMPLE, j, other, 0)
                g["value"][other][j] = number * g["step"]
