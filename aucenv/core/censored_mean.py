"""The mean of amounts of which some are only known to be higher than observed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def censored_mean(amounts: np.ndarray, exact: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from the weights of amounts, (amounts,), to the mean of the distribution they come from.

    The distribution is estimated by the product-limit method (Kaplan and Meier, Journal of the American Statistical
    Association 53, 1958). If the highest amount is not exact, it counts as exact (Efron, 1967). The mean is NaN if no
    amount with a positive weight is exact.

    Args:
        amounts: (amounts,) the observed amounts.
        exact: (amounts,) whether each is the amount itself; otherwise the amount is at least as high.
    """
    order = np.lexsort((~exact, amounts))  # among equal ones, exact amounts come first
    ordered, ends = amounts[order], exact[order]

    def mean(weights: np.ndarray) -> float:
        mass = weights[order].astype(float)
        if not mass[ends].any():
            return float("nan")
        at_risk = np.cumsum(mass[::-1])[::-1]
        share = np.divide(mass, at_risk, out=np.zeros_like(mass), where=(mass > 0) & ends)
        left = np.cumprod(1 - share)
        last = ordered[np.flatnonzero(mass)[-1]]
        probabilities = -np.diff(left, prepend=1.0)
        return float(probabilities @ ordered + left[-1] * last)

    return mean
