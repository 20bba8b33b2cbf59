"""What a seat's bids tell of its persona: a profile, a weight in [-1, 1] for each persona.

HARBOR (arXiv 2502.12149) has a model write such a vector after each item: zero at the start, moderate steps, raises and
wins weighed, no interest lowering what a house suits. The rule here is ours:

1. `likeness` says how much a house is what a persona likes: 1 for the persona that it suits best; for others, how far
   their liking lies from the mean liking towards the best one, cubed; 0 below the mean.
2. Whoever spends evenly would pay for an item its starting price's share of those still to come, of its own budget
   times the number of bidders. Who has a persona counts a house 1 + LIFT * likeness times in this; but nobody goes
   beyond WORTH times the starting price, or its budget.
3. An item multiplies the odds of each persona by the chance that who bids so, give or take SPREAD of the starting
   price (normal), withdraws between its last bid and the bid that it would not make; where it won or could not pay, by
   the chance that it goes at least as far as it went. OUT_OF_CHARACTER is added: no item rules a persona out.
4. Of the odds, as chances that add up to 1, the weights are (10 * chance - 1) / 9: 0 at the start, 1 when certain.
   Shifted and normalised, as HARBOR measures profiles, they are the chances again, less the least of them.
"""

from __future__ import annotations

import math

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.rules import NUM_PERSONAS

LIFT, WORTH, SPREAD, OUT_OF_CHARACTER = 0.75, 2.4, 0.15, 0.02


@kernel
def likeness(g, out):
    """Write how much each item is what each persona likes, from 0 to 1.

    Args:
        out: (num_items, 10) float64, written.
    """
    for j in range(g["num_items"]):
        liking = g["liking"][g["lot"][j]]
        best = float(liking[g["house_kind"][g["lot"][j]]])
        mean = 0.0
        for k in range(NUM_PERSONAS):
            mean += liking[k] / NUM_PERSONAS
        for k in range(NUM_PERSONAS):
            above = max(0.0, (liking[k] - mean) / (best - mean)) if best > mean else 0.0
            out[j, k] = above * above * above


@kernel
def chances(g, s, through, alike, out):
    """Write how likely seat `s` has each persona, as its bids for the first `through` items, which are through, tell.

    Args:
        alike: (num_items, 10), as `likeness` writes it.
        out: (10,) float64, written; they add up to 1.
    """
    for k in range(NUM_PERSONAS):
        out[k] = log_odds(g, s, through, alike, k)
    most = out.max()
    total = 0.0
    for k in range(NUM_PERSONAS):
        out[k] = math.exp(out[k] - most)
        total += out[k]
    for k in range(NUM_PERSONAS):
        out[k] /= total


@kernel
def log_odds(g, s, through, alike, k):
    """The logarithm of the odds that the first `through` items give persona `k` of seat `s`."""
    left = 0.0
    for j in range(g["num_items"]):
        left += (1.0 + LIFT * alike[j, k]) * g["start"][j]
    budget = g["endowment"][s]
    odds = 0.0
    for j in range(through):
        start = float(g["start"][j])
        counted = (1.0 + LIFT * alike[j, k]) * start
        limit = min(counted / left * g["num_seats"] * budget, WORTH * start, float(budget))
        left -= counted
        per_spread = 1.0 / (SPREAD * start)
        below = normal((g["top"][s][j] - limit) * per_spread)
        if g["left_at"][s][j] > 0:
            odds += math.log(OUT_OF_CHARACTER + normal((g["left_at"][s][j] - limit) * per_spread) - below)
        elif g["top"][s][j] > 0:
            odds += math.log(OUT_OF_CHARACTER + 1.0 - below)
        if g["winner"][j] == s:
            budget -= g["hammer"][j]
    return odds


@kernel
def normal(z):
    """The standard normal distribution's chance of at most `z`."""
    return 0.5 * (1.0 + math.erf(z * 0.7071067811865476))


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
