"""Resampling of hidden values, consistent with everything that a seat has observed."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import draw, kernel
from aucenv.core.state import NOBODY, PERSONA, RESAMPLE
from aucenv.envs.english import belief as english
from aucenv.envs.harbor.profile import write_affinities, write_probabilities
from aucenv.envs.harbor.rules import ANY, NUM_PERSONAS, has_persona, is_taken

HIDDEN: tuple[str, ...] = ("value", "house_value")
PRIVATE: tuple[str, ...] = (*english.PRIVATE, "persona", "second", "wording")


@kernel
def resample(state, b, seat, key):
    """Resample everything that is hidden from `seat`.

    Estimates and true values are resampled as in English auctions. Rivals' personas are drawn seat by seat with the
    probabilities inferred from their bids (`profile.write_probabilities`), among the personas that the deal could have
    drawn. If the scenario fixes a rival's personas, their number is unknown: the rival gets two personas if the seat
    has two, else one.
    """
    english.resample(state, b, seat, key)
    g = state[b]
    g["house_value"][:] = 0  # the values of houses that are not for sale have no effect
    for j in range(g["num_items"]):
        g["house_value"][g["lot"][j]] = g["value"][j]
    for s in range(g["num_seats"]):
        if s != seat:
            g["persona"][s] = g["second"][s] = NOBODY
            g["wording"][s] = draw(key, PERSONA, 0, 2, s)
    affinities = np.empty((g["num_items"], NUM_PERSONAS))
    write_affinities(g, affinities)
    probabilities, weights = np.empty(NUM_PERSONAS), np.empty(NUM_PERSONAS)
    for s in range(g["num_seats"]):
        if s != seat:
            number = g["drawn"][s] if g["drawn"][s] > 0 else 2 if g["second"][seat] != NOBODY else 1
            write_probabilities(g, s, g["item"], affinities, probabilities)
            write_possible(g, s, number, 0, probabilities, weights)
            g["persona"][s] = draw_weighted(weights, draw(key, RESAMPLE, 0, 2, s))
            if number == 2:
                write_possible(g, s, number, 1, probabilities, weights)
                g["second"][s] = draw_weighted(weights, draw(key, RESAMPLE, 0, 3, s))


@kernel
def restart(state, b, seat, key):
    """Resample as before the first bid everything that is hidden from `seat`, and return to the auction's opening.

    True values that have been revealed remain known. Bids say nothing about personas.
    """
    g = state[b]
    g["item"] = 0
    g["raises"][:] = 0
    g["top"][:] = 0
    g["left_at"][:] = 0
    resample(state, b, seat, key)
    english.reopen(g)


@kernel
def write_possible(g, s, number, which, probabilities, out):
    """Write the weight of each persona as the first (`which` 0) or second (1) of `number` personas of seat `s`.

    The weight is the persona's probability, or 0 if the persona is impossible: if another seat has it, or if the number
    of its houses on sale differs from the number that the deal offers for a persona (both only for drawn personas).
    If this excludes all personas, only those that the seat already has are impossible.

    Args:
        probabilities: (10,) float64.
        out: (10,) float64, written.
    """
    share = g["matches"] if number == 1 else (g["matches"] + 1 - which) // 2
    counted = g["drawn"][s] > 0 and g["matches"] != ANY and g["num_items"] < g["num_houses"]
    for k in range(NUM_PERSONAS):
        on_sale = 0
        for j in range(g["num_items"]):
            on_sale += g["house_kind"][g["lot"][j]] == k
        possible = not (g["drawn"][s] > 0 and is_taken(g, k)) and not (counted and on_sale != share)
        out[k] = probabilities[k] if possible and not has_persona(g, s, k) else 0.0
    if out.sum() <= 0.0:
        for k in range(NUM_PERSONAS):
            out[k] = 0.0 if has_persona(g, s, k) else probabilities[k]


@kernel
def draw_weighted(weights, random_bits):
    """Return an index of `weights`, drawn with probability proportional to its weight.

    Args:
        random_bits: uniform on 0 .. 2**32 - 1.
    """
    rest = weights.sum() * (random_bits / 4294967296.0)
    last = 0
    for k in range(len(weights)):
        if weights[k] > 0.0:
            last = k
            rest -= weights[k]
            if rest < 0.0:
                return k
    return last
