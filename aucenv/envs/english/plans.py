"""Bidders' plans in English auctions, and whether they follow them. Source: AucArena, arXiv 2310.05746, section 4."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from aucenv.core.records.figures import labeled_seats
from aucenv.core.records.rank_correlation import spearman
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.notes import noted_plans
from aucenv.envs.english.stated_beliefs import item_labels


@dataclasses.dataclass(frozen=True)
class PlanChange:
    """A priority that a new plan changed; the plan was made before item `before_item`, counted from 0."""

    before_item: int
    item: str
    old: int
    new: int


@dataclasses.dataclass(frozen=True)
class Plans:
    """The plans of one seat in one game.

    Attributes:
        num_plans: number of plans whose priorities could be read, including the first.
        changes: changed priorities of items that were not closed yet.
        initial, current: each item's priority in the first plan, and in the plan that was current when the item was
            opened; None if there was none.
    """

    num_plans: int
    changes: tuple[PlanChange, ...]
    initial: tuple[int | None, ...]
    current: tuple[int | None, ...]


RatedItem = tuple[int | None, int | None, int, bool]
"""The initial and the current priority of an item, the bids of a seat for it, and whether the seat won it."""


def plans(record: GameRecord, seat: str) -> Plans | None:
    """Return the plans that a seat noted; None if it noted none."""
    labels = item_labels([item["name"] for item in record.deal["items"]])
    noted = list(noted_plans(record, seat))
    if not noted:
        return None
    changes = [
        PlanChange(item, labels[j], before, after)
        for (_, old), (item, new) in pairwise(noted)
        for j in range(item, len(labels))
        if (before := old[j]) is not None and (after := new[j]) is not None and before != after
    ]
    current = [next((p[j] for item, p in reversed(noted) if item <= j), None) for j in range(len(labels))]
    return Plans(len(noted), tuple(changes), tuple(noted[0][1]), tuple(current))


@dataclasses.dataclass(frozen=True)
class Priorities:
    """Spearman's rho of priorities with the bids for an item and with winning it; None where it is not defined."""

    initial_engagement: float | None
    initial_wins: float | None
    current_engagement: float | None
    current_wins: float | None


def priority_correlations(records: Iterable[GameRecord]) -> dict[str, Priorities]:
    """Correlate priorities with bids and wins over all items and games of each bidder that plans.

    Raises:
        ImportError: scipy is not installed.
    """
    rows_by_bidder: dict[str, list[RatedItem]] = {}
    for bidder, record, seat in labeled_seats(records):
        if rows := rated_items(record, seat):
            rows_by_bidder.setdefault(bidder, []).extend(rows)
    return {bidder: _correlate(rows) for bidder, rows in rows_by_bidder.items()}


def rated_items(record: GameRecord, seat: str) -> list[RatedItem]:
    """Return for each item its priorities in a seat's plans, the seat's bids and whether it won; none without plans."""
    planned = plans(record, seat)
    if planned is None:
        return []
    bids = Counter(d["item"] for d in record.decisions if d["seat"] == seat and d["amount"] is not None)
    won = [item["winner"] == seat for item in record.outcome["items"]]
    return list(zip(planned.initial, planned.current, [bids[j] for j in range(len(won))], won, strict=True))


def _correlate(rows: Sequence[RatedItem]) -> Priorities:
    rhos = []
    for which in (0, 1):
        rated = [(priority, bids, won) for *both, bids, won in rows if (priority := both[which]) is not None]
        priorities = [priority for priority, _, _ in rated]
        rhos += [spearman(priorities, [bids for _, bids, _ in rated]), spearman(priorities, [won for *_, won in rated])]
    return Priorities(*rhos)
