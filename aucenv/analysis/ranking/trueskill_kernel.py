"""TrueSkill for games without teams, compiled, because intervals need the ratings of hundreds of orders of the games.

Source: Herbrich, Minka and Graepel, "TrueSkill: a Bayesian skill rating system", NeurIPS 2006. The constants are those
of the `trueskill` package, and messages are passed in its order; tests compare the ratings with those of the package.
"""

from __future__ import annotations

import math
import warnings
from statistics import NormalDist

import numpy as np

from aucenv.core.kernel import kernel

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Python warns of its docstrings when it compiles the package
    import trueskill

MU, SIGMA = float(trueskill.MU), float(trueskill.SIGMA)
PERFORMANCE_VARIANCE = float(trueskill.BETA) ** 2
DYNAMICS_VARIANCE = float(trueskill.TAU) ** 2
DRAW_MARGIN = NormalDist().inv_cdf((trueskill.DRAW_PROBABILITY + 1) / 2) * math.sqrt(2 * PERFORMANCE_VARIANCE)
MAX_SWEEPS = 10
TOLERANCE = float(trueskill.DELTA)
"""Sweeps end when the natural parameters of no difference change by more than this."""

PRIOR, LEFT, RIGHT, RESULT = 0, 2, 4, 6
"""First row of each kind of message; this row holds the precision, the next one precision times mean.

PRIOR: to a performance from the skill. LEFT, RIGHT: to a performance from the difference to the next better or next
worse place. RESULT: to a difference from the game's result.
"""


@kernel
def density(x):
    """Return the standard normal density at `x`."""
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@kernel
def mass_below(x):
    """Return the standard normal distribution function at `x`."""
    return math.erfc(-x / math.sqrt(2)) / 2


@kernel
def truncate(mean, variance, drawn):
    """Return the mean and variance of a normal difference, given a win or a draw; variance 0 if arithmetic fails."""
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
def apply_result(messages, k, drawn):
    """Update the message from the game's result to the difference between places `k` and `k + 1`.

    Returns:
        The change of its natural parameters; -1 if arithmetic fails.
    """
    better = messages[PRIOR, k] + messages[LEFT, k]
    worse = messages[PRIOR, k + 1] + messages[RIGHT, k + 1]
    mean = (messages[PRIOR + 1, k] + messages[LEFT + 1, k]) / better
    mean -= (messages[PRIOR + 1, k + 1] + messages[RIGHT + 1, k + 1]) / worse
    variance = 1.0 / better + 1.0 / worse
    truncated_mean, truncated_variance = truncate(mean, variance, drawn)
    if truncated_variance <= 0.0:
        return -1.0
    precision = 1.0 / truncated_variance - 1.0 / variance
    precision_mean = truncated_mean / truncated_variance - mean / variance
    moved = max(abs(precision_mean - messages[RESULT + 1, k]), math.sqrt(abs(precision - messages[RESULT, k])))
    messages[RESULT, k] = precision
    messages[RESULT + 1, k] = precision_mean
    return moved


@kernel
def send_to_worse(messages, k):
    """Send a message to the performance of place `k + 1` from its difference to place `k`."""
    better = messages[PRIOR, k] + messages[LEFT, k]
    mean = (messages[PRIOR + 1, k] + messages[LEFT + 1, k]) / better
    send_message(messages, LEFT, k + 1, k, mean, 1.0 / better, -1.0)


@kernel
def send_to_better(messages, k):
    """Send a message to the performance of place `k` from its difference to place `k + 1`."""
    worse = messages[PRIOR, k + 1] + messages[RIGHT, k + 1]
    mean = (messages[PRIOR + 1, k + 1] + messages[RIGHT + 1, k + 1]) / worse
    send_message(messages, RIGHT, k, k, mean, 1.0 / worse, 1.0)


@kernel
def send_message(messages, side, place, k, mean, variance, sign):
    """Send a message to the performance of `place` from the difference between places `k` and `k + 1`.

    Args:
        messages: (8, most places) float64, written.
        side: LEFT or RIGHT.
        mean, variance: of the other place's performance, without the message from this difference.
        sign: 1 for the better place, -1 for the worse one.
    """
    precision = messages[RESULT, k]
    if precision <= 0.0:
        messages[side, place] = 0.0
        messages[side + 1, place] = 0.0
    else:
        sent_precision = 1.0 / (variance + 1.0 / precision)
        messages[side, place] = sent_precision
        messages[side + 1, place] = sent_precision * (mean + sign * messages[RESULT + 1, k] / precision)


@kernel
def rate_game(places, drawn, mu, variance, messages):
    """Update the ratings of a game's bidders, unless there is only one bidder or arithmetic fails.

    Args:
        places: (most places,) int64, the bidders from best to worst, then -1.
        drawn: (most places,) int8, whether a place is tied with the next one.
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
            change = apply_result(messages, k, drawn[k])
            if change < 0.0:
                return
            moved = max(moved, change)
            send_to_worse(messages, k)
        for k in range(last, 0, -1):
            change = apply_result(messages, k, drawn[k])
            if change < 0.0:
                return
            moved = max(moved, change)
            send_to_better(messages, k)
        if moved <= TOLERANCE:
            break
    send_to_better(messages, 0)
    send_to_worse(messages, last)
    for k in range(count):
        bidder = places[k]
        precision = messages[LEFT, k] + messages[RIGHT, k]
        precision_mean = messages[LEFT + 1, k] + messages[RIGHT + 1, k]
        shrinkage = 1.0 / (1.0 + PERFORMANCE_VARIANCE * precision)
        old_precision = 1.0 / (variance[bidder] + DYNAMICS_VARIANCE)
        new_precision = old_precision + shrinkage * precision
        mu[bidder] = (old_precision * mu[bidder] + shrinkage * precision_mean) / new_precision
        variance[bidder] = 1.0 / new_precision


@kernel
def rate_orders(places, drawn, orders, mus):
    """Rate the same bidders from scratch, once for each order of the games.

    Args:
        places, drawn: (games, most places), one row for each game, as `rate_game` takes them.
        orders: (orders, most games) int64, indices of games, then -1.
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
