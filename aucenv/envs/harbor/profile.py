"""What a seat's bids tell of its persona: a profile, a weight in [-1, 1] for each persona.

HARBOR (arXiv 2502.12149) has a model write such a vector after each item: zero at the start, moderate steps, raises and
wins weighed, no interest lowering what a house suits. The rule here is ours:

1. `likeness` says how much a house is what a persona likes: 1 for the persona that it suits best; for others, how far
   their liking lies from the mean liking towards the best one, cubed; 0 below the mean.
2. Whoever spends evenly would pay for an item, of its own budget times the number of bidders, the starting price's
   share of those still to come. Who has a persona counts a house 1 + LIFT * likeness times, over the mean of that; of
   two personas the one that likes it more counts. Nobody goes beyond WORTH times the starting price, or its budget.
3. An item multiplies the odds of each persona, and of each mix of two, by the chance that who bids so, give or take
   SPREAD of the starting price (logistic), withdraws between its last bid and the bid that it would not make; where it
   won or could not pay, by the chance that it goes at least as far as it went. OUT_OF_CHARACTER is added: no item
   rules a persona out. Before the first item a mix has the chance MIXED, all mixes alike, and all personas.
4. A persona's chance is that of its own and half that of each mix it is part of; they add up to 1. Of them the weights
   are (10 * chance - 1) / 9: 0 at the start, 1 when certain. Shifted and normalised, as HARBOR measures profiles, they
   are the chances again, less the least of them.
"""

from __future__ import annotations

import math

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.rules import NUM_PERSONAS

LIFT, WORTH, SPREAD, OUT_OF_CHARACTER, MIXED = 0.75, 2.4, 0.12, 0.02, 0.25
NUM_MIXES = NUM_PERSONAS * (NUM_PERSONAS - 1) // 2


@kernel
def likeness(g, out):
    """Write how much each item is what each persona likes, from 0 to 1.

    Args:
        out: (num_items, 10) float64, written.
    """
    for j in range(g["num_items"]):
        liking = g["liking"][g["lot"][j]]
        total = 0
        for k in range(NUM_PERSONAS):
            total += liking[k]
        span = NUM_PERSONAS * liking[g["house_kind"][g["lot"][j]]] - total  # from the mean to the best, tenfold
        for k in range(NUM_PERSONAS):
            above = max(0.0, (NUM_PERSONAS * liking[k] - total) / span) if span > 0 else 0.0
            out[j, k] = above * above * above


@kernel
def chances(g, s, through, alike, out):
    """Write how likely seat `s` has each persona, as its bids for the first `through` items, which are through, tell.

    Args:
        alike: (num_items, 10), as `likeness` writes it.
        out: (10,) float64, written; they add up to 1.
    """
    told = np.empty((through, NUM_PERSONAS))
    write_odds(g, s, 0, through, alike, told)
    weigh_odds(told, alike, out)


@kernel
def weigh_odds(told, alike, out):
    """Write the chances that the logarithms of odds by item and persona, as `write_odds` writes them, come to."""
    odds = np.zeros((NUM_PERSONAS, NUM_PERSONAS))  # of mixes, and of single personas on the diagonal
    most = -1e300
    for k in range(NUM_PERSONAS):
        for m in range(k, NUM_PERSONAS):
            for j in range(len(told)):
                odds[k, m] += told[j, k] if alike[j, k] >= alike[j, m] else told[j, m]
            most = max(most, odds[k, m])
    total = 0.0
    out[:] = 0.0
    for k in range(NUM_PERSONAS):
        for m in range(k, NUM_PERSONAS):
            before = (1.0 - MIXED) / NUM_PERSONAS if k == m else MIXED / NUM_MIXES
            likely = before * math.exp(odds[k, m] - most)
            total += likely
            out[k] += 0.5 * likely
            out[m] += 0.5 * likely
    for k in range(NUM_PERSONAS):
        out[k] /= total


@kernel
def write_odds(g, s, first, through, alike, out):
    """Write the logarithm of the odds that items `first` to `through` - 1 give each persona of seat `s`.

    Args:
        out: (at least through, 10) float64, written from `first` on.
    """
    left = 0.0
    for j in range(g["num_items"]):
        left += g["start"][j]
    budget = g["endowment"][s]
    for j in range(through):
        if j >= first:
            item_odds(g, j, left, budget, g["top"][s][j], g["left_at"][s][j], alike, out[j])
        left -= g["start"][j]
        if g["winner"][j] == s:
            budget -= g["hammer"][j]


@kernel
def item_odds(g, j, left, budget, top, left_at, alike, out):
    """Write the logarithm of the odds that bids for item `j` give each persona.

    Args:
        left: the starting prices of this item and of those to come, added up.
        budget: what whoever bid so had left.
        top, left_at: as in the state.
        out: (10,) float64, written.
    """
    start = float(g["start"][j])
    per_spread = 1.0 / (SPREAD * start)
    usual = 0.0
    for i in range(g["num_items"]):
        for k in range(NUM_PERSONAS):
            usual += (1.0 + LIFT * alike[i, k]) / (g["num_items"] * NUM_PERSONAS)
    even = start / left * g["num_seats"] * budget
    for k in range(NUM_PERSONAS):
        limit = min((1.0 + LIFT * alike[j, k]) / usual * even, WORTH * start, float(budget))
        below = logistic((top - limit) * per_spread)
        out[k] = 0.0
        if left_at > 0:
            out[k] = math.log(OUT_OF_CHARACTER + logistic((left_at - limit) * per_spread) - below)
        elif top > 0:
            out[k] = math.log(OUT_OF_CHARACTER + 1.0 - below)


@kernel
def logistic(z):
    """The logistic distribution's chance of at most `z` deviations above its mean."""
    return 1.0 / (1.0 + math.exp(-1.8137993642342178 * min(40.0, max(-40.0, z))))


@kernel
def profile(g, s, through, out):
    """Write what the first `through` items, which are through, tell of the persona of seat `s`.

    Args:
        out: (10,) float64, written: a weight in [-1, 1] for each persona.
    """
    alike = np.empty((g["num_items"], NUM_PERSONAS))
    likeness(g, alike)
    chances(g, s, through, alike, out)
    for k in range(NUM_PERSONAS):
        out[k] = (NUM_PERSONAS * out[k] - 1.0) / (NUM_PERSONAS - 1)
