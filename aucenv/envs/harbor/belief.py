"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import draw, kernel
from aucenv.core.state import NOBODY, PERSONA, RESAMPLE
from aucenv.envs.english import belief as english
from aucenv.envs.harbor.profile import chances, likeness
from aucenv.envs.harbor.rules import ANY, NUM_PERSONAS, has_persona, is_taken


@kernel
def resample(state, b, seat, key):
    """Draw anew what `seat` may not know.

    As in English auctions; rivals' personas, seat after seat, by the chances that their bids give them
    (`profile.chances`), among those that the deal can have drawn. Of personas that the scenario names nothing is known:
    a rival is given as many as the seat has itself, or one.
    """
    english.resample(state, b, seat, key)
    g = state[b]
    g["house_value"][:] = 0  # of houses that are not for sale nothing depends on it
    for j in range(g["num_items"]):
        g["house_value"][g["lot"][j]] = g["value"][j]
    for s in range(g["num_seats"]):
        if s != seat:
            g["persona"][s] = g["second"][s] = NOBODY
            g["wording"][s] = draw(key, PERSONA, 0, 2, s)
    alike = np.empty((g["num_items"], NUM_PERSONAS))
    likeness(g, alike)
    likely, weights = np.empty(NUM_PERSONAS), np.empty(NUM_PERSONAS)
    for s in range(g["num_seats"]):
        if s != seat:
            number = g["drawn"][s] if g["drawn"][s] > 0 else 2 if g["second"][seat] != NOBODY else 1
            chances(g, s, g["item"], alike, likely)
            keep_possible(g, s, number, 0, likely, weights)
            g["persona"][s] = draw_weighed(weights, draw(key, RESAMPLE, 0, 2, s))
            if number == 2:
                keep_possible(g, s, number, 1, likely, weights)
                g["second"][s] = draw_weighed(weights, draw(key, RESAMPLE, 0, 3, s))


@kernel
def keep_possible(g, s, number, which, likely, out):
    """Write how likely each persona is as the first (`which` 0) or second of `number` of seat `s`.

    A drawn one is nobody else's, and has as many houses on sale as the deal offers for it; where that leaves none, no
    persona that the seat has already.

    Args:
        likely, out: (10,) float64; out is written.
    """
    share = g["matches"] if number == 1 else (g["matches"] + 1 - which) // 2
    counted = g["drawn"][s] > 0 and g["matches"] != ANY and g["num_items"] < g["num_houses"]
    for k in range(NUM_PERSONAS):
        on_sale = 0
        for j in range(g["num_items"]):
            on_sale += g["house_kind"][g["lot"][j]] == k
        possible = not (g["drawn"][s] > 0 and is_taken(g, k)) and not (counted and on_sale != share)
        out[k] = likely[k] if possible and not has_persona(g, s, k) else 0.0
    if out.sum() <= 0.0:
        for k in range(NUM_PERSONAS):
            out[k] = 0.0 if has_persona(g, s, k) else likely[k]


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
