"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import RESAMPLE, rekey


@kernel
def resample(state, b, seat, key):
    """Draw anew what `seat` may not know: the supply of the days to come, uniform in its range."""
    g = state[b]
    own_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = own_key
    g["scheduled"] = 0
    for j in range(g["item"] + 1, g["num_items"]):
        g["supplies"][j] = g["low"] + draw_below(g["high"] - g["low"] + 1, key, RESAMPLE, j, 0, 0)
