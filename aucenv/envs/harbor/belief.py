"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import draw, kernel
from aucenv.core.state import NOBODY, PERSONA, RESAMPLE
from aucenv.envs.english import belief as english
from aucenv.envs.harbor.profile import chances, likeness
from aucenv.envs.harbor.rules import NUM_PERSONAS


@kernel
def resample(state, b, seat, key):
    """Draw anew what `seat` may not know.

    As in English auctions; rivals' personas by the chances that their bids give them (`profile.chances`), as many as
    the seat has itself, or one.
    """
    english.resample(state, b, seat, key)
    g = state[b]
    weights = np.empty(NUM_PERSONAS)
    alike = np.empty((g["num_items"], NUM_PERSONAS))
    likeness(g, alike)
    mixed = g["second"][seat] != NOBODY
    g["house_value"][:] = 0  # of houses that are not for sale nothing depends on it
    for j in range(g["num_items"]):
        g["house_value"][g["lot"][j]] = g["value"][j]
    for s in range(g["num_seats"]):
        if s != seat:
            chances(g, s, g["item"], alike, weights)
            g["wording"][s] = draw(key, PERSONA, 0, 2, s)
            g["persona"][s] = g["second"][s] = NOBODY
            g["persona"][s] = draw_weighed(weights, draw(key, RESAMPLE, 0, 2, s))
            if mixed:
                weights[g["persona"][s]] = 0.0
                g["second"][s] = draw_weighed(weights, draw(key, RESAMPLE, 0, 3, s))


@kernel
def draw_weighed(weights, chance):
    """One of the numbers of `weights`, as likely as its weight says.

    Args:
        chance: uniform on 0 .. 2**32 - 1.
    """
    rest = weights.sum() * (chance / 4294967296.0)
    last = 0
    for k in range(len(weights)):
        if weights[k] > 0.0:
            last = k
            rest -= weights[k]
            if rest < 0.0:
                return k
    return last
