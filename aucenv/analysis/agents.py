"""Records -> how agents think: what they believe, plan and follow, and what goes wrong with it.

Sources: AucArena, arXiv 2310.05746, section 4 (failure rates, priorities against engagement and wins); HARBOR, arXiv
2502.12149 (profiles, rules); Synthetic Labs, arXiv 2507.09083 (bids over values, by setting).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from aucenv.analysis.answers import count_answers
from aucenv.analysis.beliefs import KINDS, belief_history, item_labels
from aucenv.analysis.metrics import OF_GAME
from aucenv.analysis.noted import mistakes_in, priorities_in, seat_notes
from aucenv.analysis.significance import spearman
from aucenv.core.bidder_name import label_of
from aucenv.core.record import GameRecord

Rate = tuple[int, int]
"""(failures, all that could fail); CFR is the first over the second."""


def _seats(records: Iterable[GameRecord]) -> Iterator[tuple[str, GameRecord, str]]:
    for record in records:
        for who in record.seats:
            yield label_of(who["bidder"]), record, who["seat"]


def bid_failures(records: Iterable[GameRecord]) -> dict[str, Rate]:
    """Bids against the rules, of all that could be read, by bidder: withdrawals are correct."""
    rates: dict[str, Rate] = {}
    for record in records:
        answers = count_answers(record)
        for bidder, _, seat in _seats([record]):
            failed, all_ = answers[seat].failed_bid_rate
            before = rates.get(bidder, (0, 0))
            rates[bidder] = before[0] + failed, before[1] + all_
    return rates


def belief_failures(records: Iterable[GameRecord]) -> dict[str, dict[str, Rate]]:
    """Wrong beliefs, of all checked, by bidder and KINDS; only bidders that noted beliefs. Each revision counts."""
    wrong: dict[str, Counter[str]] = {}
    checked: dict[str, Counter[str]] = {}
    for bidder, record, seat in _seats(records):
        for belief in belief_history(record, seat):
            for check in belief.checks:
                wrong.setdefault(bidder, Counter())[check.kind] += bool(check.wrong)
                checked.setdefault(bidder, Counter())[check.kind] += 1
    return {bidder: {kind: (wrong[bidder][kind], checked[bidder][kind]) for kind in KINDS} for bidder in wrong}


def together(rates: dict[str, Rate], kinds: Iterable[str]) -> Rate:
    """Several kinds as one."""
    chosen = [rates[kind] for kind in kinds]
    return sum(failed for failed, _ in chosen), sum(all_ for _, all_ in chosen)


def mistakes(records: Iterable[GameRecord]) -> dict[str, Counter[tuple[str, str]]]:
    """What else went wrong in thinking, by bidder and (phase, kind): "malformed", "past item", "too long"."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for bidder, record, seat in _seats(records):
        for notes in seat_notes(record, seat):
            for phase, kind, _ in mistakes_in(notes):
                found.setdefault(bidder, Counter())[phase, kind] += 1
    return found


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
    for bidder, record, seat in _seats(records):
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


def rule_usage(records: Iterable[GameRecord]) -> dict[str, Counter[str]]:
    """How often each rule was followed, by bidder."""
    used: dict[str, Counter[str]] = {}
    for bidder, record, seat in _seats(records):
        for notes in seat_notes(record, seat):
            if isinstance(notes.get("rule"), str):
                used.setdefault(bidder, Counter())[notes["rule"]] += 1
    return used


def bids_per_value(records: Iterable[GameRecord]) -> dict[tuple[str, str], float]:
    """The mean of bid over value, by bidder and scenario: of bids on prizes worth more than 0 (in cv, signals)."""
    ratios: dict[tuple[str, str], list[float]] = {}
    for record in records:
        for seat in OF_GAME[record.game].seat_figures(record):
            ratios.setdefault((seat.bidder, record.scenario["name"]), []).extend(getattr(seat, "ratios", ()))
    return {key: sum(of_key) / len(of_key) for key, of_key in ratios.items() if of_key}
