"""Textbook facts about proxy auctions: what truthful bidders pay, and what a bidder loses by being truthful.

With private values, a maximum of one's value is a dominant strategy of the second-price auction (Krishna, Auction
Theory, section 2.2), which a proxy auction is but for the increment. Results are exact on the grid of values, and do
not depend on the days or the close. Amounts are dollars.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aucenv.core.checks import excerpt
from aucenv.core.words.money import to_cents
from aucenv.envs.ebay.game import EbayScenario


def proxy_expected_price(scenario: EbayScenario) -> float:
    """Return the expected final price in dollars, sold or not, if every maximum is the bidder's value.

    Raises:
        TypeError: The scenario is not that of a proxy auction.
        ValueError: The values are not independent and private, or are no possible maxima.

    Example:
        >>> from aucenv import EbayScenario, theory
        >>> scenario = EbayScenario("example", num_bidders=3)
        >>> round(theory.proxy_expected_price(scenario), 2)
        50.49
    """
    return sum(chance * price for chance, _, price in _sales(scenario)) / 100


def proxy_sale_probability(scenario: EbayScenario) -> float:
    """Return the probability that the prize is sold if every maximum is the bidder's value.

    Raises:
        TypeError: The scenario is not that of a proxy auction.
        ValueError: The values are not independent and private, or are no possible maxima.

    Example:
        >>> from aucenv import EbayScenario, theory
        >>> scenario = EbayScenario("example", num_bidders=3, reserve=50)
        >>> round(theory.proxy_sale_probability(scenario), 3)
        0.875
    """
    sales = list(_sales(scenario))
    return sum(chance for chance, top, _ in sales if top >= to_cents(scenario.reserve))


def proxy_expected_revenue(scenario: EbayScenario) -> float:
    """Return the expected revenue of one auction in dollars if every maximum is the bidder's value.

    With `lift_to_reserve` it is that of a second-price auction with a reserve, but for the increment.

    Raises:
        TypeError: The scenario is not that of a proxy auction.
        ValueError: The values are not independent and private, or are no possible maxima.

    Example:
        >>> from aucenv import EbayScenario, theory
        >>> scenario = EbayScenario("example", num_bidders=3)
        >>> round(theory.proxy_expected_revenue(scenario), 2)
        50.49
    """
    sales, reserve = list(_sales(scenario)), to_cents(scenario.reserve)
    least = reserve if scenario.lift_to_reserve else 0
    return sum(chance * max(price, least) for chance, top, price in sales if top >= reserve) / 100


def proxy_utility_loss(scenario: EbayScenario, moves_first: bool = False) -> float:
    """Return the most that a bidder can lose by a maximum of its value, against fixed maxima of its rivals.

    It is 0 if rivals set their maxima before and the increment is the step of maxima, and never more than an increment.

    Args:
        scenario: A proxy auction with independent private values and without a reserve.
        moves_first: Whether the bidder sets its maximum before its rivals, and leads if maxima are equal.

    Returns:
        The largest loss over all values and all highest maxima of rivals, in dollars.

    Raises:
        TypeError: The scenario is not that of a proxy auction.
        ValueError: The values are not independent and private, or are no possible maxima; or there is a reserve.

    Example:
        >>> from aucenv import EbayScenario, theory
        >>> scenario = EbayScenario("example", num_bidders=3)
        >>> theory.proxy_utility_loss(scenario)
        0.0
    """
    values = _values(scenario)
    if scenario.reserve > 0:
        raise ValueError(f"reserve: expected 0, got {scenario.reserve}: a hidden reserve is no maximum of a rival")
    increment = to_cents(scenario.increment)
    maxima = np.arange(0, to_cents(scenario.highest_maximum) + 1, to_cents(scenario.bid_step))
    worst = 0
    for rival in maxima:
        wins = maxima >= rival if moves_first else maxima > rival
        prices = np.minimum(maxima, rival + increment)
        profits = np.where(wins, values[:, None] - prices, 0)  # (values, maxima)
        truthful = profits[np.arange(len(values)), np.searchsorted(maxima, values)]
        worst = max(worst, int((profits.max(axis=1) - truthful).max()))
    return worst / 100


def _values(scenario: EbayScenario) -> np.ndarray:
    """Return all values in ascending order, all equally likely: (values,) int64, cents.

    Raises:
        TypeError: The scenario is not that of a proxy auction.
        ValueError: They are not independent and private, or are no possible maxima.
    """
    if not isinstance(scenario, EbayScenario):
        raise TypeError(f"scenario: expected an EbayScenario, got {excerpt(scenario)}")
    if scenario.values != "ipv":
        raise ValueError(f"values: expected 'ipv', got {scenario.values!r}")
    low, high = (to_cents(value) for value in scenario.value_range)
    values = np.arange(low, high + 1, to_cents(scenario.value_step))
    if high > to_cents(scenario.highest_maximum) or (values % to_cents(scenario.bid_step)).any():
        raise ValueError(
            f"value_range: expected values that are possible maxima, up to {scenario.highest_maximum:g} in steps of "
            f"{scenario.bid_step:g}, got {scenario.value_range} in steps of {scenario.value_step:g}"
        )
    return values


def _sales(scenario: EbayScenario) -> Iterator[tuple[float, int, int]]:
    """Yield the probability of each pair of the two highest values, with the highest maximum and the price in cents.

    A maximum below the first price is no bid.
    """
    values, n = _values(scenario), scenario.num_bidders
    start, increment = to_cents(scenario.start_price), to_cents(scenario.increment)
    share = 1 / len(values)
    for t, top in enumerate(values.tolist()):
        for s, second in enumerate(values[: t + 1].tolist()):
            below, up_to = s * share, (s + 1) * share  # P(a value < second), P(a value <= second)
            if s < t:  # one value is `top`, the highest of the others is `second`
                chance = n * share * (up_to ** (n - 1) - below ** (n - 1))
            else:  # at least two values are `top`
                chance = up_to**n - below**n - n * share * below ** (n - 1)
            if top < start:
                yield chance, -1, start
            else:
                yield chance, top, start if second < start else min(top, second + increment)
