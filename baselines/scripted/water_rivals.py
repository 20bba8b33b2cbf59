"""What the planner of the water allocation challenge takes its rivals for: bidders by one of a few fixed rules."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.state import IDLE

PAY, REPEAT, SHARE, THIRST_RULE, SAVE = range(5)
"""Rules that rivals may bid by: their salary; what they bid last; that share of the balance; the share of their health
that the next loss takes; all they have where it is their life, else nothing."""


@kernel
def fit(g, r, model):
    """Find the rule nearest to the bids of `r` so far; its salary before there are two.

    Args:
        model: (3,) float64, written: the rule, what it repeats (an amount, a share), its mean error in cents.
    """
    last = g["item"] - 1
    least = np.inf
    for rule in range(5):
        error = 0.0
        for j in range(1, last + 1):
            had, bid = account(g, r, j)
            error += abs(bid - bid_by(rule, repeated(g, r, rule, j - 1), g["salary"][r], had,
                                      g["health_after"][r][j - 1], g["thirst_after"][r][j - 1]))  # fmt: skip
        if error < least:
            least = error
            model[0] = rule
            model[1] = repeated(g, r, rule, last)
            model[2] = error / max(1, last)


@kernel
def account(g, r, j):
    """What `r` had on the morning of closed day `j`, and what it bid, 0 if nothing that counts; cents."""
    bid = max(0, g["bid"][r][j])
    had = g["balance_after"][r][j] + (bid if g["place"][r][j] > 0 else 0)
    return had, (bid if bid <= had else 0)


@kernel
def repeated(g, r, rule, j):
    """What a rule repeats of day `j`: the amount, or its share of the balance."""
    if j < 0 or (rule != REPEAT and rule != SHARE):
        return 0.0
    had, bid = account(g, r, j)
    return float(bid) if rule == REPEAT else bid / max(1, had)


@kernel
def bid_by(rule, level, salary, balance, health, thirst):
    """The bid of a rule, cents."""
    if rule == PAY:
        bid = float(salary)
    elif rule == REPEAT:
        bid = level
    elif rule == SHARE:
        bid = level * balance
    elif rule == THIRST_RULE:
        bid = balance * (thirst + 1) / max(1, health)
    else:
        bid = float(balance) if health <= thirst + 1 else 0.0
    return min(int(bid + 0.5), balance)


@kernel
def expected(g, r, model):
    """What rival `r` is expected to bid today, at the upper end."""
    if g["gone"][r] != 0:
        return IDLE
    bid = bid_by(int(model[0]), model[1], g["salary"][r], g["balance"][r], g["health"][r], g["thirst"][r])
    return min(bid + int(model[2]), g["balance"][r])
