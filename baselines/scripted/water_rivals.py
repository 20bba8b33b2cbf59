"""The simplest residents' bids, and which of them a rival seems to make: what `planner` takes its rivals for."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.state import IDLE

DOLLAR = 100
PAY, REPEAT, SHARE, THIRST, SAVE = range(5)
"""Rules: the daily salary; what was bid last; a share of the balance; the share of the health that the next loss takes,
to a power; everything where so many days without water would be the end, else $0. The last three take a level: the
share, the power, the days; REPEAT the amount."""


@kernel
def bid_by(rule, level, salary, balance, health, thirst):
    """The bid of a rule, cents; at most the balance."""
    if rule == PAY:
        return min(salary, balance)
    if rule == REPEAT:
        return min(int(level), balance)
    if rule == SAVE:
        return balance if days_to_live(health, thirst) <= level else 0
    share = level if rule == SHARE else min(1.0, (thirst + 1.0) / max(1, health)) ** level
    return min(int(balance * share / DOLLAR + 0.5) * DOLLAR, balance)


@kernel
def days_to_live(health, thirst):
    """On which day one would die if there was no water from now on; 1 = today."""
    day = 0
    while health > 0:
        day += 1
        health -= thirst + day
    return day


@kernel
def fit(g, r, model):
    """Find the rule that has come nearest to the bids of `r` so far; its salary before there are two.

    Of rules that have come as near, it is the one by which `r` bids most today.

    Args:
        model: (3,) float64, written: the rule, its level, its mean error in cents.
    """
    last = g["item"] - 1
    least = np.inf
    most = -1
    for rule in range(5):
        error = 0.0
        for j in range(1, last + 1):
            had, bid = account(g, r, j)
            health, thirst = g["health_after"][r][j - 1], g["thirst_after"][r][j - 1]
            error += abs(bid - bid_by(rule, level_of(g, r, rule, j - 1), g["salary"][r], had, health, thirst))
        today = bid_by(
            rule, level_of(g, r, rule, last), g["salary"][r], g["balance"][r], g["health"][r], g["thirst"][r]
        )
        if error < least or (last > 0 and error == least and today > most):
            least = error
            most = today
            model[0] = rule
            model[1] = level_of(g, r, rule, last)
            model[2] = error / max(1, last)


@kernel
def account(g, r, j):
    """What `r` had on the morning of closed day `j`, and what it bid, 0 if nothing that counts; cents."""
    bid = max(0, g["bid"][r][j])
    had = g["balance_after"][r][j] + (bid if g["place"][r][j] > 0 else 0)
    return had, (bid if bid <= had else 0)


@kernel
def level_of(g, r, rule, j):
    """The level of a rule after day `j`: REPEAT and SHARE go by the bid of that day."""
    if rule in (REPEAT, SHARE):
        if j < 0:
            return 0.0
        had, bid = account(g, r, j)
        return float(bid) if rule == REPEAT else bid / max(1, had)
    return 1.0


@kernel
def expected(g, r, model):
    """What rival `r` is expected to bid today, at the upper end."""
    if g["gone"][r] != 0:
        return IDLE
    bid = bid_by(int(model[0]), model[1], g["salary"][r], g["balance"][r], g["health"][r], g["thirst"][r])
    return min(bid + int(model[2]), g["balance"][r])
