"""The distribution, and its mean, of amounts of which some are only known to be higher than observed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def censored_distribution(
    amounts: np.ndarray, exact: np.ndarray
) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return a function from the weights of amounts, (amounts,), to the distribution that they come from.

    The distribution is estimated by the product-limit method (Kaplan and Meier, Journal of the American Statistical
    Association 53, 1958). If the highest amount is not exact, it counts as exact (Efron, 1967). The function returns
    the amounts in ascending order and their probabilities, each (amounts,). The sum of the weights must not be 0.

    Args:
        amounts: (amounts,) the observed amounts.
        exact: (amounts,) whether each is the amount itself; otherwise the amount is at least as high.
    """
    order = np.lexsort((~exact, amounts))  # among equal ones, exact amounts come first
    ordered, ends = amounts[order], exact[order]

    def distribution(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mass = weights[order].astype(float)
        at_risk = np.cumsum(mass[::-1])[::-1]
        share = np.divide(mass, at_risk, out=np.zeros_like(mass), where=(mass > 0) & ends)
        left = np.cumprod(1 - share)
        probabilities = -np.diff(left, prepend=1.0)
        probabilities[np.flatnonzero(mass)[-1]] += left[-1]
        return ordered, probabilities

    return distribution


def censored_mean(amounts: np.ndarray, exact: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from the weights of amounts, (amounts,), to the mean of their `censored_distribution`.

    The mean is NaN if no amount with a positive weight is exact.
    """
    distribution = censored_distribution(amounts, exact)

    def mean(weights: np.ndarray) -> float:
        if not weights[exact].any():
            return float("nan")
        ordered, probabilities = distribution(weights)
        return float(probabilities @ ordered)

    return mean
