"""TrueSkill for games without teams, compiled: intervals take rating a run's games in hundreds of orders.

Source: Herbrich, Minka and Graepel, "TrueSkill: a Bayesian skill rating system", NeurIPS 2006. The constants are
those of the `trueskill` package and the messages run in its order: tests find equal ratings.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import trueskill

from aucenv.core.kernel import kernel

MU, SIGMA = float(trueskill.MU), float(trueskill.SIGMA)
PERFORMANCE_VARIANCE = float(trueskill.BETA) ** 2
DYNAMICS_VARIANCE = float(trueskill.TAU) ** 2
DRAW_MARGIN = NormalDist().inv_cdf((trueskill.DRAW_PROBABILITY + 1) / 2) * math.sqrt(2 * PERFORMANCE_VARIANCE)
MAX_SWEEPS = 10
PRECISE = float(trueskill.DELTA)
"""A sweep that moves no difference's natural parameters by more than this is the last."""

PRIOR, LEFT, RIGHT, RESULT = 0, 2, 4, 6
"""Rows of the messages, each with the precision and then precision times mean: to a performance from the skill, from
the difference to the better neighbour and from that to the worse one; to a difference from the game's result."""


@kernel
def density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@kernel
def mass_below(x):
    return math.erfc(-x / math.sqrt(2)) / 2


@kernel
def truncate(mean, variance, drawn):
    """A normal difference, given that it is a win or a draw: mean, variance; variance 0 where arithmetic fails."""
    scale = math.sqrt(variance)
    t = mean / scale
    margin = DRAW_MARGIN / scale
    if drawn == 0:
        x = t - margin
        mass = mass_below(x)
        v = density(x) / mass if mass > 0.0 else 0.0
        w = v * (v + x)
    else:
        near = margin - abs(t)
        far = -margin - abs(t)
        mass = mass_below(near) - mass_below(far)
        v = (density(far) - density(near)) / mass if mass > 0.0 else 0.0
        w = v * v + (near * density(near) - far * density(far)) / mass if mass > 0.0 else 0.0
        if t < 0:
            v = -v
    if not 0.0 < w < 1.0:
        return mean, 0.0
    return mean + scale * v, variance * (1.0 - w)


@kernel
def judge(messages, k, drawn):
    """Let the game's result speak on the difference between places k and k + 1.

    Returns:
        How far its natural parameters moved; -1 where arithmetic fails.
    """
    better = messages[PRIOR, k] + messages[LEFT, k]
    worse = messages[PRIOR, k + 1] + messages[RIGHT, k + 1]
    mean = (messages[PRIOR + 1, k] + messages[LEFT + 1, k]) / better
    mean -= (messages[PRIOR + 1, k + 1] + messages[RIGHT + 1, k + 1]) / worse
    variance = 1.0 / better + 1.0 / worse
    judged_mean, judged_variance = truncate(mean, variance, drawn)
    if judged_variance <= 0.0:
        return -1.0
    precision = 1.0 / judged_variance - 1.0 / variance
    pull = judged_mean / judged_variance - mean / variance
    moved = max(abs(pull - messages[RESULT + 1, k]), math.sqrt(abs(precision - messages[RESULT, k])))
    messages[RESULT, k] = precision
    messages[RESULT + 1, k] = pull
    return moved


@kernel
def tell_worse(messages, k):
    """Tell place k + 1 what the difference to place k says about its performance."""
    better = messages[PRIOR, k] + messages[LEFT, k]
    mean = (messages[PRIOR + 1, k] + messages[LEFT + 1, k]) / better
    pass_on(messages, LEFT, k + 1, k, mean, 1.0 / better, -1.0)


@kernel
def tell_better(messages, k):
    """Tell place k what the difference to place k + 1 says about its performance."""
    worse = messages[PRIOR, k + 1] + messages[RIGHT, k + 1]
    mean = (messages[PRIOR + 1, k + 1] + messages[RIGHT + 1, k + 1]) / worse
    pass_on(messages, RIGHT, k, k, mean, 1.0 / worse, 1.0)


@kernel
def pass_on(messages, side, place, k, mean, variance, sign):
    precision = messages[RESULT, k]
    if precision <= 0.0:
        messages[side, place] = 0.0
        messages[side + 1, place] = 0.0
    else:
        told = 1.0 / (variance + 1.0 / precision)
        messages[side, place] = told
        messages[side + 1, place] = told * (mean + sign * messages[RESULT + 1, k] / precision)


@kernel
def rate_game(places, drawn, mu, variance, messages):
    """Update the ratings of a game's bidders; unchanged where there is one alone, or arithmetic fails.

    Args:
        places: (most places,) int64, the bidders from best to worst, then -1.
        drawn: (most places,) int8, whether a place is equal to the next one.
        mu, variance: (bidders,) float64, written.
        messages: (8, most places) float64, scratch.
    """
    count = 0
    for k in range(len(places)):
        if places[k] < 0:
            break
        count += 1
        messages[:, k] = 0.0
        spread = variance[places[k]] + DYNAMICS_VARIANCE + PERFORMANCE_VARIANCE
        messages[PRIOR, k] = 1.0 / spread
        messages[PRIOR + 1, k] = mu[places[k]] / spread
    if count < 2:
        return
    last = count - 2
    for _ in range(MAX_SWEEPS):
        moved = 0.0
        for k in range(max(last, 1)):
            change = judge(messages, k, drawn[k])
            if change < 0.0:
                return
            moved = max(moved, change)
            tell_worse(messages, k)
        for k in range(last, 0, -1):
            change = judge(messages, k, drawn[k])
            if change < 0.0:
                return
            moved = max(moved, change)
            tell_better(messages, k)
        if moved <= PRECISE:
            break
    tell_better(messages, 0)
    tell_worse(messages, last)
    for k in range(count):
        bidder = places[k]
        precision = messages[LEFT, k] + messages[RIGHT, k]
        pull = messages[LEFT + 1, k] + messages[RIGHT + 1, k]
        trust = 1.0 / (1.0 + PERFORMANCE_VARIANCE * precision)
        before = 1.0 / (variance[bidder] + DYNAMICS_VARIANCE)
        after = before + trust * precision
        mu[bidder] = (before * mu[bidder] + trust * pull) / after
        variance[bidder] = 1.0 / after


@kernel
def rate_orders(places, drawn, orders, mus):
    """Rate the same bidders from scratch, once by each order of games.

    Args:
        places, drawn: (games, most places), as `rate_game` takes them.
        orders: (orders, most games) int64, numbers of games, then -1.
        mus: (orders, bidders) float64, written.
    """
    variance = np.empty(mus.shape[1])
    messages = np.empty((8, places.shape[1]))
    for o in range(len(orders)):
        mus[o, :] = MU
        variance[:] = SIGMA * SIGMA
        for i in range(orders.shape[1]):
            game = orders[o, i]
            if game >= 0:
                rate_game(places[game], drawn[game], mus[o], variance, messages)
