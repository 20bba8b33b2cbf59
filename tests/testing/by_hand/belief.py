"""Resampling of hidden values, consistent with what a seat has observed."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import NOBODY, RESAMPLE, rekey


@kernel
def resample(state, b, seat, key):
    """Resample what is hidden from a seat: others' values, its own values of later rounds, and others' bids as 0."""
    g = state[b]
    seat_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = seat_key
    g["forced_tie"] = NOBODY
    for other in range(g["num_seats"]):
        if other != seat:
            g["profit"][other], g["won"][other] = 0, 0
        for j in range(g["num_items"]):
            if other != seat:
                g["bid"][other][j], g["gets"][other][j] = 0, 0
            if other != seat or j > g["item"]:
                number = draw_below(g["highest_value"] // g["step"] + 1, key, RESAMPLE, j, other, 0)
                g["value"][other][j] = number * g["step"]
