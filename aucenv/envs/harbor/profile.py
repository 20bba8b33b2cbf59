"""Infer a seat's persona from its bids: a profile, which is a weight in [-1, 1] for each persona.

In HARBOR (arXiv 2502.12149) a model writes such a vector after each item. It starts at zero, changes in moderate steps
and depends on raises and wins; if a bidder ignores a house, the weights of the personas that the house suits fall.
The rule here is ours:

1. The affinity of a persona for a house (`write_affinities`) is 1 for the persona that the house suits best. For other
   personas it is the position of their liking between the mean liking (0) and the best (1), cubed; 0 below the mean.
2. A bidder that spends evenly would pay for an item its remaining budget times the number of bidders, times the item's
   share of the starting prices of this item and those to come. A bidder with a persona multiplies that limit by
   1 + LIFT * affinity, divided by this factor's mean over all items and personas; of two personas, the one with the
   higher affinity counts. The limit is at most MAX_LIMIT times the starting price, and at most the budget.
3. Each item multiplies the odds of each persona, and of each mix of two, by a likelihood. The bidder's actual limit is
   assumed to have a logistic distribution around the limit of step 2, with a standard deviation of SPREAD times the
   starting price. The likelihood is the probability that the actual limit lies between the bidder's highest bid and the
   least legal bid at which it withdrew; if it won or could not pay, that the limit is at least its highest bid.
   OUT_OF_CHARACTER is added, so that no item excludes a persona. The prior probability of a mix is MIX_PRIOR; all mixes
   are equally likely, and so are all single personas.
4. The probability of a persona is that of the single persona plus half that of each mix that contains it; these
   probabilities add up to 1. The weights are (10 * probability - 1) / 9: 0 at the start and 1 if certain. Shifted and
   normalized, as HARBOR evaluates profiles, they are proportional to the probabilities minus the lowest of them.
"""

from __future__ import annotations

import math

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.rules import NUM_PERSONAS

LIFT, MAX_LIMIT, SPREAD, OUT_OF_CHARACTER, MIX_PRIOR = 0.75, 2.4, 0.12, 0.02, 0.25
NUM_MIXES = NUM_PERSONAS * (NUM_PERSONAS - 1) // 2


@kernel
def write_affinities(g, out):
    """Write the affinity of each persona for each item, from 0 to 1.

    Args:
        out: (num_items, 10) float64, written.
    """
    for j in range(g["num_items"]):
        liking = g["liking"][g["lot"][j]]
        total = 0
        for k in range(NUM_PERSONAS):
            total += liking[k]
        span = NUM_PERSONAS * liking[g["house_kind"][g["lot"][j]]] - total  # ten times (best - mean)
        for k in range(NUM_PERSONAS):
            above = max(0.0, (NUM_PERSONAS * liking[k] - total) / span) if span > 0 else 0.0
            out[j, k] = above * above * above


@kernel
def write_probabilities(g, s, num_closed, affinities, out):
    """Write the probability that seat `s` has each persona, given its bids for the first `num_closed` items.

    Args:
        num_closed: a number of items, all of which are closed.
        affinities: (num_items, 10), as `write_affinities` writes it.
        out: (10,) float64, written; the probabilities add up to 1.
    """
    item_log_odds = np.empty((num_closed, NUM_PERSONAS))
    write_log_odds(g, s, 0, num_closed, affinities, item_log_odds)
    combine_log_odds(item_log_odds, affinities, out)


@kernel
def combine_log_odds(item_log_odds, affinities, out):
    """Write the probability of each persona, given the log odds by item and persona.

    Args:
        item_log_odds: (items, 10), as `write_log_odds` writes it.
        affinities: (num_items, 10), as `write_affinities` writes it.
        out: (10,) float64, written; the probabilities add up to 1.
    """
    log_odds = np.zeros((NUM_PERSONAS, NUM_PERSONAS))  # off the diagonal of mixes, on it of single personas
    highest = -1e300
    for k in range(NUM_PERSONAS):
        for m in range(k, NUM_PERSONAS):
            for j in range(len(item_log_odds)):
                log_odds[k, m] += item_log_odds[j, k] if affinities[j, k] >= affinities[j, m] else item_log_odds[j, m]
            highest = max(highest, log_odds[k, m])
    total = 0.0
    out[:] = 0.0
    for k in range(NUM_PERSONAS):
        for m in range(k, NUM_PERSONAS):
            prior = (1.0 - MIX_PRIOR) / NUM_PERSONAS if k == m else MIX_PRIOR / NUM_MIXES
            posterior = prior * math.exp(log_odds[k, m] - highest)
            total += posterior
            out[k] += 0.5 * posterior
            out[m] += 0.5 * posterior
    for k in range(NUM_PERSONAS):
        out[k] /= total


@kernel
def write_log_odds(g, s, first, num_closed, affinities, out):
    """Write the log odds of each persona of seat `s` by item, for items `first` to `num_closed` - 1.

    Args:
        out: (at least num_closed, 10) float64, written from `first` on.
    """
    left = 0.0
    for j in range(g["num_items"]):
        left += g["start"][j]
    budget = g["endowment"][s]
    for j in range(num_closed):
        if j >= first:
            write_item_log_odds(g, j, left, budget, g["top"][s][j], g["left_at"][s][j], affinities, out[j])
        left -= g["start"][j]
        if g["winner"][j] == s:
            budget -= g["hammer"][j]


@kernel
def write_item_log_odds(g, j, left, budget, top, left_at, affinities, out):
    """Write the log odds of each persona, given a seat's bids for item `j`.

    Args:
        left: the sum of the starting prices of this item and of those to come.
        budget: the seat's remaining budget at the item.
        top, left_at: as in the state.
        out: (10,) float64, written.
    """
    start = float(g["start"][j])
    per_spread = 1.0 / (SPREAD * start)
    mean_factor = 0.0
    for i in range(g["num_items"]):
        for k in range(NUM_PERSONAS):
            mean_factor += (1.0 + LIFT * affinities[i, k]) / (g["num_items"] * NUM_PERSONAS)
    even_limit = start / left * g["num_seats"] * budget
    for k in range(NUM_PERSONAS):
        limit = min((1.0 + LIFT * affinities[j, k]) / mean_factor * even_limit, MAX_LIMIT * start, float(budget))
        below = logistic((top - limit) * per_spread)
        out[k] = 0.0
        if left_at > 0:
            out[k] = math.log(OUT_OF_CHARACTER + logistic((left_at - limit) * per_spread) - below)
        elif top > 0:
            out[k] = math.log(OUT_OF_CHARACTER + 1.0 - below)


@kernel
def logistic(z):
    """Return the logistic distribution's probability of at most `z` standard deviations above its mean."""
    return 1.0 / (1.0 + math.exp(-1.8137993642342178 * min(40.0, max(-40.0, z))))


@kernel
def profile(g, s, num_closed, out):
    """Write the profile of seat `s`, given its bids for the first `num_closed` items.

    Args:
        num_closed: a number of items, all of which are closed.
        out: (10,) float64, written: a weight in [-1, 1] for each persona.
    """
    affinities = np.empty((g["num_items"], NUM_PERSONAS))
    write_affinities(g, affinities)
    write_probabilities(g, s, num_closed, affinities, out)
    for k in range(NUM_PERSONAS):
        out[k] = (NUM_PERSONAS * out[k] - 1.0) / (NUM_PERSONAS - 1)
