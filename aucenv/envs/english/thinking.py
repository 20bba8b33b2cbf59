"""Tables about agents in English auctions: beliefs, plans, withdrawals, raises.

Source: AucArena, arXiv 2310.05746, section 4.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aucenv.core.checks import MissingExtra
from aucenv.core.figures import Rate, TextTable, as_percent, labeled_seats, or_dash
from aucenv.core.record import GameRecord
from aucenv.envs.english.increments import RANGES, Base, bid_increments, withdrawals
from aucenv.envs.english.plans import Plans, Priorities, plans, priority_correlations
from aucenv.envs.english.stated_beliefs import KINDS, RIVAL_KINDS, SELF_KINDS, belief_failures, combined_rate


def agent_tables(records: Sequence[GameRecord]) -> list[TextTable]:
    """Return the tables of wrong beliefs, plans, withdrawals and raises; without scipy, plans have no correlations."""
    raises = "bids by their raise, in percent of the starting price (BIP)"
    return [
        _beliefs(records),
        _plans(records),
        _withdrawals(records),
        _increments(records, raises, "standing"),
        _increments(records, f"{raises}, over the bidder's own highest bid", "own"),
    ]


def _beliefs(records: Sequence[GameRecord]) -> TextTable:
    lines, by_program = [], belief_failures(records, "program")
    for bidder, rates in belief_failures(records).items():
        sums = [combined_rate(rates, kinds) for kinds in (KINDS, SELF_KINDS, RIVAL_KINDS)]
        program = as_percent(combined_rate(by_program[bidder], KINDS))
        lines.append([bidder, *map(as_percent, sums), *(as_percent(rates[kind]) for kind in KINDS), program])
    headings = ("bidder", "all", "own", "others", *KINDS, "all, as the program counts")
    return TextTable("wrong beliefs (CFR)", headings, lines)


def _plans(records: Sequence[GameRecord]) -> TextTable:
    lines = []
    by_bidder: dict[str, list[Plans]] = {}
    for bidder, record, seat in labeled_seats(records):
        if (planned := plans(record, seat)) is not None:
            by_bidder.setdefault(bidder, []).append(planned)
    title = "plans: changed priorities, and Spearman's rho of priorities"
    try:
        correlations = priority_correlations(records)
    except MissingExtra as error:
        correlations = {}
        title += f" ({error})"
    for bidder, games in by_bidder.items():
        rho = correlations.get(bidder, Priorities(None, None, None, None))
        replans = sum(planned.num_plans - 1 for planned in games)
        changes = sum(len(planned.changes) for planned in games)
        per_plan = or_dash(changes / replans if replans else None, "{:.2f}")
        rhos = [or_dash(value, "{:.4f}") for value in dataclasses.astuple(rho)]
        lines.append([bidder, str(sum(planned.num_plans for planned in games)), per_plan, *rhos])
    headings = (
        *("bidder", "plans", "changes a new plan", "initial, with bids", "initial, with wins"),
        *("current, with bids", "current, with wins"),
    )
    return TextTable(title, headings, lines)


def _withdrawals(records: Sequence[GameRecord]) -> TextTable:
    rates: dict[str, Rate] = {}
    for record in records:
        counts = withdrawals(record)
        for bidder, _, seat in labeled_seats([record]):
            below, total = rates.get(bidder, (0, 0))
            rates[bidder] = below + counts[seat][0], total + counts[seat][1]
    lines = [[bidder, as_percent(rate)] for bidder, rate in rates.items()]
    return TextTable("withdrawals below the estimate with enough budget", ("bidder", "withdrew below estimate"), lines)


def _increments(records: Sequence[GameRecord], title: str, base: Base) -> TextTable:
    lines = []
    for bidder, counts in bid_increments(records, base).items():
        bids = sum(counts.values())
        lines.append([bidder, *(f"{count / bids:.1%}" if bids else "-" for count in counts.values())])
    return TextTable(title, ("bidder", *RANGES), lines)
