"""Resampling of hidden values, consistent with everything that a seat has observed."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import RESAMPLE, rekey


@kernel
def resample(state, b, seat, key):
    """Resample everything that is hidden from `seat`: the supply of future days, uniform in its range."""
    g = state[b]
    seat_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = seat_key
    g["scheduled"] = 0
    for j in range(g["item"] + 1, g["num_items"]):
        g["supplies"][j] = g["low"] + draw_below(g["high"] - g["low"] + 1, key, RESAMPLE, j, 0, 0)
