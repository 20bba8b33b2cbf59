"""Prices of an English auction that follow from others: the least raise, and the starting price after a discount."""

from __future__ import annotations

from aucenv.core.kernel import inlined

PPM = 1_000_000
"""Parts per million: the unit of increments and overestimates."""


@inlined
def least_raise(price, increment):
    """Return the least raise over the standing bid: a share of the current starting price, and at least one cent.

    Args:
        increment: the share, ppm.
    """
    return max(1, (price * increment + PPM // 2) // PPM)


@inlined
def halved(price):
    """Return a starting price after one discount, rounded down to whole dollars."""
    return price // 200 * 100
