"""Prices of runs that call models, which commands print before the first call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aucenv.commands.console.terminal import print_safely
from aucenv.core.words.bidder_name import parse_bidder

if TYPE_CHECKING:
    from aucenv.benchmarks.model_prices import Price
    from aucenv.runs.play import Match


def check_prices(matches: Iterable[Match], prices: Path | None) -> None:
    """Print the price of each model that a schedule calls at an endpoint, and refuse the run if it costs something.

    Args:
        matches: The games of the run.
        prices: The file of prices; None: the built-in ones.

    Raises:
        ValueError: A model costs something, or its price is unknown.
    """
    schedule = list(matches)
    names = {name for match in schedule for name in match.bidders if isinstance(name, str)}
    if not any(parse_bidder(name).kind == "llm" for name in names):
        return
    from aucenv.benchmarks.model_prices import prices_of_matches
    from aucenv.runs.model_calls.token_prices import TokenPrices

    known = TokenPrices() if prices is None else TokenPrices.read(prices)
    refuse_paid(prices_of_matches(schedule, known))


def refuse_paid(estimated: Sequence[Price], size: str = "--games") -> None:
    """Print estimated prices.

    Args:
        estimated: The prices.
        size: The option that changes the size of the run.

    Raises:
        ValueError: A model costs something, or its price is unknown.
    """
    print_prices(estimated)
    if any(price.cost != 0 for price in estimated):
        raise ValueError(f"this run calls models (see the estimate above): --yes starts it, {size} changes its size")


def print_prices(estimated: Sequence[Price]) -> None:
    """Print estimated prices on standard error."""
    for price in estimated:
        print_safely(str(price), err=True)
