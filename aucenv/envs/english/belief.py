"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.money import MAX_DOLLARS
from aucenv.core.state import NOBODY, RESAMPLE, rekey
from aucenv.envs.english.rules import PPM

MOST_OVERESTIMATE = 200_000
"""Ppm. Before any true value is told, over-estimates are believed uniform up to this: AucArena's 10% is the mean."""

LEAST_SHARE = 10_000
"""Ppm: nobody is believed to estimate less than a hundredth of a true value."""


@kernel
def own_share(g, seat, key):
    """What the seat estimates per true value: middle and half-width in ppm, over the items whose value was told.

    Before any was told, the middle is drawn.
    """
    least = 0
    most = 0
    for j in range(g["num_items"]):
        if g["winner"][j] != NOBODY and g["value"][j] > 0:
            share = (g["estimate"][seat][j] * PPM + g["value"][j] // 2) // g["value"][j]
            least = share if most == 0 else min(least, share)
            most = max(most, share)
    if most == 0:
        return PPM + draw_below(MOST_OVERESTIMATE + 1, key, RESAMPLE, 0, 0, seat), 0
    return (least + most) // 2, (most - least + 1) // 2


@kernel
def resample(state, b, seat, key):
    """Draw anew what `seat` may not know.

    True values that were not told follow from the seat's own estimates and `own_share`; rivals' estimates from the
    true values, over-estimates uniform up to MOST_OVERESTIMATE and errors as wide as the seat's own.
    """
    g = state[b]
    own_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = own_key
    middle, width = own_share(g, seat, key)
    for j in range(g["num_items"]):
        if g["winner"][j] == NOBODY:
            share = max(LEAST_SHARE, middle + draw_below(2 * width + 1, key, RESAMPLE, j, 1, seat) - width)
            g["value"][j] = min((g["estimate"][seat][j] * PPM + share // 2) // share, MAX_DOLLARS * 100)
    for s in range(g["num_seats"]):
        g["bias"][s] = middle - PPM
        g["noise"][s] = width
        if s != seat:
            g["bias"][s] = draw_below(MOST_OVERESTIMATE + 1, key, RESAMPLE, 0, 0, s)
            for j in range(g["num_items"]):
                error = draw_below(2 * width + 1, key, RESAMPLE, j, 1, s) - width
                share = max(0, PPM + g["bias"][s] + error)
                g["estimate"][s][j] = (g["value"][j] * share + PPM // 2) // PPM
