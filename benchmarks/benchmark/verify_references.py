"""Verify the references of a submission, which users compute for private deals and for suites of their own."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from aucenv.benchmarks.benchmark.plan import Plan
from aucenv.benchmarks.benchmark.private_deals import REFERENCES_FILE
from aucenv.benchmarks.benchmark.references import best_bidder, compute, suite_references
from aucenv.benchmarks.benchmark.user_suites import BEST_BIDDER

from aucenv.core.checks import excerpt

SAMPLED_DEALS = 2
"""The number of deals of each table, drawn at random, whose references are computed again."""


def reference_problems(plan: Plan, all_deals: bool, folder: Path) -> Iterator[str]:
    """Yield how the references of a submission differ from what they are when they are computed again."""
    if plan.private is None and plan.suite.is_included:
        return
    place = f"{folder / REFERENCES_FILE}: tables"
    deals = [
        deal
        for dealt in plan.deals.values()
        for deal in (dealt if all_deals else random.sample(dealt, min(len(dealt), SAMPLED_DEALS)))
    ]
    bidders = {key: table.bidder for key, table in plan.references.tables.items()}
    expected: Mapping[str, str]
    if plan.suite.is_included:
        expected = {key: table.bidder for key, table in suite_references().tables.items()}
    else:
        tables = [plan.suite.table(key) for key in plan.deals] if all_deals else []
        expected = {table.key: best_bidder(table) for table in tables if plan.suite.kinds[table.game] == BEST_BIDDER}
    for key in plan.deals:
        if bidders[key] != expected.get(key, bidders[key]):
            yield f"{place}.{key}.reference: expected {expected[key]!r}, got {excerpt(bidders[key])}"
            return
    for key, computed in compute(deals, plan.suite, 1, bidders).items():
        numbers = [deal.number for deal in deals if deal.table.key == key]
        for field in ("zero", "one"):
            saved = getattr(plan.references.tables[key], field)
            for number, score in zip(numbers, getattr(computed, field), strict=True):
                if saved[number] != score:
                    yield f"{place}.{key}.{field}[{number}]: expected {score:g}, computed again, got {saved[number]:g}"
