"""Estimates of the cost of a run and of the width of its intervals, before the first call of a model."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from aucenv.benchmarks.benchmark.plan import Plan

from aucenv.analysis.statistics.intervals import student_point
from aucenv.core.records.figures import TextTable
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.runs.model_calls.token_prices import TokenPrices, dollars

if TYPE_CHECKING:
    from aucenv.benchmarks.model_prices import Price

COSTS = ("calls", "tokens in", "cached", "tokens out", "cost", "if cached")
"""The headings of a price."""
CACHED_NOTE = "cached: tokens with which an earlier call of the game starts as well, and the cost if a cache has them."
INTERVAL_NOTE = "interval: about half the width of the 95% interval of the score over all games."


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
            spread = _spread_of_reference(plan, game) if plan.is_xs else plan.references.spread[game]
            widths[game] = student_point(deals - 1) * spread / math.sqrt(deals)
    if len(widths) > 1:
        widths["overall"] = math.sqrt(sum(width**2 for width in widths.values())) / len(widths)
    return widths


def _spread_of_reference(plan: Plan, game: str) -> float:
    """Return the standard deviation over deals of the score of the reference in a game: the mean over its tables."""
    references = [plan.references.tables[table.key] for table in plan.tables(game)]
    raised = [np.subtract(reference.one, reference.zero) for reference in references]
    return float(np.std(np.mean([scores / scores.mean() for scores in raised], axis=0), ddof=1))


def sizes_table(plan: Plan, prices: TokenPrices) -> TextTable:
    """Return the table of the sizes of a plan's suite: the games, the price of each model, the width of intervals."""
    lines, models = [], False
    for size in plan.suite.size_names:
        sized = dataclasses.replace(plan, deals=plan.suite.deals_of_size(plan.games, size), in_sizes=True)
        widths = half_widths(sized)
        interval = f"±{widths.get('overall', next(iter(widths.values()), 0.0)):.2f}"
        priced = [(price.bidder, f"{price.games:,}", *_cells(price)) for price in prices_of(sized, prices)]
        models = bool(priced)
        lines += [[size, *cells, interval] for cells in priced or [(f"{len(sized.entries()):,}",)]]
    headings = ("bidder", "games", *COSTS) if models else ("games",)
    note = " ".join([CACHED_NOTE, INTERVAL_NOTE] if models else [INTERVAL_NOTE])
    return TextTable(f"{plan.suite.name}: the sizes", ("size", *headings, "interval"), lines, note)


def _cells(price: Price) -> list[str]:
    numbers = (price.calls, price.tokens_in, price.tokens_cached, price.tokens_out)
    costs = ["unknown" if cost is None else dollars(cost, 2) for cost in (price.cost, price.cost_cached)]
    return [*(f"{number:,}" for number in numbers), *costs]
