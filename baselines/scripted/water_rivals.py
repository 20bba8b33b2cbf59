"""The rival model of `planner`: five simple bidding rules, of which it fits one to the bids of each rival."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.state import IDLE

DOLLAR = 100
PAY, REPEAT, SHARE, THIRST, SAVE = range(5)
"""The rules, and the meaning of their `level`:

- PAY bids the daily salary (no level).
- REPEAT bids `level`, which is the previous bid in cents.
- SHARE bids the share `level` of the balance.
- THIRST bids the share (next loss of health / health) ** level of the balance.
- SAVE bids the whole balance if death is at most `level` days away without water, and $0 otherwise.
"""


@kernel
def bid_by(rule, level, salary, balance, health, thirst):
    """Return the bid of a rule in cents, at most the balance."""
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
    """Return the day on which a resident dies if it gets no water from now on; 1 = today."""
    day = 0
    while health > 0:
        day += 1
        health -= thirst + day
    return day


@kernel
def fit(g, r, model):
    """Write the rule that best fits the bids of `r` so far: PAY, the first rule, if fewer than two days are closed.

    Among rules that fit equally well, choose the one with the highest bid today.

    Args:
        model: (3,) float64, written: the rule, its level, its mean error in cents.
    """
    last = g["item"] - 1
    least = np.inf
    most = -1
    for rule in range(5):
        error = 0.0
        for j in range(1, last + 1):
            balance, bid = balance_and_bid(g, r, j)
            health, thirst = g["health_after"][r][j - 1], g["thirst_after"][r][j - 1]
            error += abs(bid - bid_by(rule, level_of(g, r, rule, j - 1), g["salary"][r], balance, health, thirst))
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
def balance_and_bid(g, r, j):
    """Return the balance of `r` before its bid on closed day `j`, and the bid (0 if it was void), in cents."""
    bid = max(0, g["bid"][r][j])
    balance = g["balance_after"][r][j] + (bid if g["place"][r][j] > 0 else 0)
    return balance, (bid if bid <= balance else 0)


@kernel
def level_of(g, r, rule, j):
    """Return the level of a rule after day `j`; that of REPEAT and SHARE depends on the bid of that day."""
    if rule in (REPEAT, SHARE):
        if j < 0:
            return 0.0
        balance, bid = balance_and_bid(g, r, j)
        return float(bid) if rule == REPEAT else bid / max(1, balance)
    return 1.0


@kernel
def expected_bid(g, r, model):
    """Return the highest bid expected of rival `r` today: its model's bid plus the mean error, at most its balance."""
    if g["gone"][r] != 0:
        return IDLE
    bid = bid_by(int(model[0]), model[1], g["salary"][r], g["balance"][r], g["health"][r], g["thirst"][r])
    return min(bid + int(model[2]), g["balance"][r])
