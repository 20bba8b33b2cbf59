"""Resampling of hidden values, consistent with everything that a seat has observed."""

from __future__ import annotations

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import NOBODY, RESAMPLE, RUNNING, rekey
from aucenv.core.words.money import MAX_DOLLARS
from aucenv.envs.english.rules import PPM, advance, open_item

MAX_OVERESTIMATE = 200_000
"""Parts per million. Before any true value is revealed, overestimates are drawn uniformly from 0 to this; their mean is
AucArena's 10%."""

MIN_ESTIMATE_RATIO = 10_000
"""Parts per million: estimates are assumed to be at least a hundredth of the true value."""

HIDDEN: tuple[str, ...] = ("value",)
PRIVATE: tuple[str, ...] = ("estimate", "bias", "noise")


@kernel
def estimate_ratio(g, seat, key):
    """Return the range of the seat's estimates divided by true values, as its middle and half-width in ppm.

    The range covers the items whose true values have been revealed. If there are none yet, the middle is random.
    """
    lowest = 0
    highest = 0
    for j in range(g["num_items"]):
        if g["winner"][j] != NOBODY and g["value"][j] > 0:
            share = (g["estimate"][seat][j] * PPM + g["value"][j] // 2) // g["value"][j]
            lowest = share if highest == 0 else min(lowest, share)
            highest = max(highest, share)
    if highest == 0:
        return PPM + draw_below(MAX_OVERESTIMATE + 1, key, RESAMPLE, 0, 0, seat), 0
    return (lowest + highest) // 2, (highest - lowest + 1) // 2


@kernel
def resample(state, b, seat, key):
    """Resample everything that is hidden from `seat`.

    True values that have not been revealed follow from the seat's estimates and `estimate_ratio`. Rivals' estimates
    follow from the true values, with overestimates drawn uniformly from 0 to MAX_OVERESTIMATE and errors as wide as
    those of the seat.
    """
    g = state[b]
    seat_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = seat_key
    middle, width = estimate_ratio(g, seat, key)
    for j in range(g["num_items"]):
        if g["winner"][j] == NOBODY:
            share = max(MIN_ESTIMATE_RATIO, middle + draw_below(2 * width + 1, key, RESAMPLE, j, 1, seat) - width)
            g["value"][j] = min((g["estimate"][seat][j] * PPM + share // 2) // share, MAX_DOLLARS * 100)
    for s in range(g["num_seats"]):
        g["bias"][s] = middle - PPM
        g["noise"][s] = width
        if s != seat:
            g["bias"][s] = draw_below(MAX_OVERESTIMATE + 1, key, RESAMPLE, 0, 0, s)
            for j in range(g["num_items"]):
                error = draw_below(2 * width + 1, key, RESAMPLE, j, 1, s) - width
                share = max(0, PPM + g["bias"][s] + error)
                g["estimate"][s][j] = (g["value"][j] * share + PPM // 2) // PPM


@kernel
def restart(state, b, seat, key):
    """Resample everything that is hidden from `seat`, and return to the opening of the auction.

    True values that have been revealed remain known.
    """
    resample(state, b, seat, key)
    reopen(state[b])


@kernel
def reopen(g):
    """Return to the opening of the auction: nothing is sold, and all budgets are full."""
    g["item"] = 0
    g["rounds"] = 0
    g["status"] = RUNNING
    g["forced_tie"] = NOBODY
    for j in range(g["num_items"]):
        g["winner"][j] = NOBODY
        g["hammer"][j] = 0
    for s in range(g["num_seats"]):
        g["budget"][s] = g["endowment"][s]
        g["profit"][s] = 0
        g["won"][s] = 0
    open_item(g)
    advance(g)
