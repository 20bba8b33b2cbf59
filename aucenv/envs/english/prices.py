"""Prices of an English auction that follow from others, and how many rounds they allow."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.checks import FieldError
from aucenv.core.kernel import inlined
from aucenv.core.scenarios import MOST_ROUNDS
from aucenv.core.words.money import format_dollars, to_cents, to_dollars
from aucenv.core.words.names import are_of_records

PPM = 1_000_000
"""Parts per million: the unit of increments and overestimates."""
MAX_DISCOUNTS = 3


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


_half = getattr(halved, "py_func", halved)  # a scenario compiles nothing
_raise = getattr(least_raise, "py_func", least_raise)


def check_length(
    where: str, starting_prices: Sequence[float], budgets: Sequence[float], increment: float, discount: bool = False
) -> None:
    """Check that no item can take more than MOST_ROUNDS rounds; games of records have been played.

    Args:
        where: the scenario, for the error.
        starting_prices, budgets: in dollars.
        increment: the least raise, as a share of the starting price.
        discount: whether a starting price that receives no bid is halved.

    Raises:
        FieldError: an item can; the message names the bids, and how many rounds there may be.
    """
    if are_of_records():
        return
    price, halvings = min(map(to_cents, starting_prices)), 0  # the longest sale is that of the cheapest item
    while discount and halvings < MAX_DISCOUNTS and _half(price) > 0:
        price, halvings = _half(price), halvings + 1
    *_, second, _ = sorted(map(to_cents, budgets))  # from there on, only one bidder can raise, and only once
    least = _raise(price, round(increment * PPM))
    rounds = halvings + max(0, second - price) // least + 3  # the first bid, the last raise, a round without bids
    if rounds > MOST_ROUNDS:
        bids = f"{format_dollars(price)} to {format_dollars(second)}, each {format_dollars(least)} higher"
        raise FieldError(
            f"{where}, increment",
            f"expected at most {MOST_ROUNDS:,} rounds an item, got {increment:g}, with which there may be {rounds:,}: "
            f"bids from {bids}; raise the increment, or lower the budgets",
        )


def longest_budget(starting_prices: Sequence[float], increment: float = 0.1) -> float:
    """Return the highest budget in dollars with which no item can take more than MOST_ROUNDS rounds, without discounts.

    Args:
        starting_prices: in dollars.
        increment: the least raise, as a share of the starting price.
    """
    price = min(map(to_cents, starting_prices))
    return to_dollars(price + (MOST_ROUNDS - 3) * _raise(price, round(increment * PPM)))
