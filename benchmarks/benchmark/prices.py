"""Estimates of the cost of a run and of the width of its intervals, before the first call of a model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from aucenv.benchmarks.benchmark.plan import Plan

from aucenv.core.bidder_name import parse_bidder
from aucenv.runs.token_prices import TokenPrices

if TYPE_CHECKING:
    from aucenv.benchmarks.model_prices import Price


def prices_of(plan: Plan, prices: TokenPrices) -> Iterator[Price]:
    """Yield the price of each bidder that calls a model: from a dry run of the first deal's scenario at each table."""
    for name in plan.bidders:
        if parse_bidder(name).kind == "llm":
            from aucenv.benchmarks.model_prices import price_of  # needs the extra llm

            tables = [table for game in plan.games if plan.plays(name, game) for table in plan.tables(game)]
            dealt = [plan.deals[table.key] for table in tables]
            yield price_of(name, [(deals[0].table.game, deals[0].loaded, len(deals)) for deals in dealt], prices)


def half_widths(plan: Plan) -> dict[str, float]:
    """Return about half the width of the 95% interval of a score, by game, and of the overall score, as "overall"."""
    widths = {}
    for game in plan.played:
        deals = min((len(plan.deals[table.key]) for table in plan.tables(game)), default=0)
        if deals > 1:
            widths[game] = 1.96 * plan.references.spread[game] / math.sqrt(deals - 1)
    if len(widths) > 1:
        widths["overall"] = math.sqrt(sum(width**2 for width in widths.values())) / len(widths)
    return widths
