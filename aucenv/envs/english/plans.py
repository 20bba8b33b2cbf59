"""What bidders of English auctions plan, and how they follow it. Source: AucArena, arXiv 2310.05746, section 4."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from aucenv.core.figures import labelled_seats
from aucenv.core.rank_correlation import spearman
from aucenv.core.record import GameRecord
from aucenv.envs.english.notes import priorities_in
from aucenv.envs.english.stated_beliefs import item_labels


@dataclasses.dataclass(frozen=True)
class PlanChange:
    """A priority that a new plan changed. `before_item`: the item, from 0, before which it was made."""

    before_item: int
    item: str
    old: int
    new: int


@dataclasses.dataclass(frozen=True)
class Plans:
    """The plans of one seat in one game.

    Attributes:
        made: how many with priorities that could be read, the first included.
        changes: of priorities of items still to come.
        initial, current: each item's priority in the first plan, and in the plan that held at the item's turn; None
            where there was none.
    """

    made: int
    changes: tuple[PlanChange, ...]
    initial: tuple[int | None, ...]
    current: tuple[int | None, ...]


def plans(record: GameRecord, seat: str) -> Plans | None:
    """The plans that a seat noted; None where it noted none."""
    labels = item_labels([item["name"] for item in record.deal["items"]])
    noted = [
        (decision["item"], priorities)
        for decision in record.decisions
        if decision["seat"] == seat and (priorities := priorities_in(decision, len(labels))) is not None
    ]
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
    """Spearman's rho of priorities with bids for an item, and with winning it; None where it is not defined."""

    initial_engagement: float | None
    initial_wins: float | None
    current_engagement: float | None
    current_wins: float | None


def priority_correlations(records: Iterable[GameRecord]) -> dict[str, Priorities]:
    """How priorities go with what a bidder then does, over all its items and games; only bidders that plan.

    Raises:
        ImportError: scipy is not installed.
    """
    of_bidder: dict[str, list[tuple[int | None, int | None, int, bool]]] = {}
    for bidder, record, seat in labelled_seats(records):
        planned = plans(record, seat)
        if planned is None:
            continue
        bids = Counter(d["item"] for d in record.decisions if d["seat"] == seat and d["amount"] is not None)
        won = [item["winner"] == seat for item in record.outcome["items"]]
        rows = zip(planned.initial, planned.current, [bids[j] for j in range(len(won))], won, strict=True)
        of_bidder.setdefault(bidder, []).extend(rows)
    return {bidder: _correlate(rows) for bidder, rows in of_bidder.items()}


def _correlate(rows: Sequence[tuple[int | None, int | None, int, bool]]) -> Priorities:
    rhos = []
    for which in (0, 1):
        known = [(priority, bids, won) for *both, bids, won in rows if (priority := both[which]) is not None]
        priorities = [priority for priority, _, _ in known]
        rhos += [spearman(priorities, [bids for _, bids, _ in known]), spearman(priorities, [won for *_, won in known])]
    return Priorities(*rhos)
