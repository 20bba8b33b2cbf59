"""How agents think in English auctions, as tables for people. Source: AucArena, arXiv 2310.05746, section 4."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aucenv.core.bidder_name import label_of
from aucenv.core.figures import Shown, as_percent, or_dash
from aucenv.core.record import GameRecord
from aucenv.envs.english.increments import RANGES, bid_increments
from aucenv.envs.english.plans import plans, priority_correlations
from aucenv.envs.english.stated_beliefs import KINDS, OTHERS, OWN, belief_failures, together


def agent_tables(records: Sequence[GameRecord]) -> list[Shown]:
    """Wrong beliefs, plans, raises.

    Raises:
        ImportError: scipy is not installed, and a bidder plans.
    """
    return [_beliefs(records), _plans(records), _increments(records)]


def _beliefs(records: Sequence[GameRecord]) -> Shown:
    lines = []
    for bidder, rates in belief_failures(records).items():
        sums = [together(rates, kinds) for kinds in (KINDS, OWN, OTHERS)]
        lines.append([bidder, *map(as_percent, sums), *(as_percent(rates[kind]) for kind in KINDS)])
    return Shown("wrong beliefs (CFR)", ("bidder", "all", "own", "others", *KINDS), lines)


def _plans(records: Sequence[GameRecord]) -> Shown:
    lines = []
    for bidder, rho in priority_correlations(records).items():
        made = [
            planned
            for record in records
            for who in record.seats
            if label_of(who["bidder"]) == bidder and (planned := plans(record, who["seat"])) is not None
        ]
        renewed = sum(planned.made - 1 for planned in made)
        changes = sum(len(planned.changes) for planned in made)
        per_plan = or_dash(changes / renewed if renewed else None, "{:.2f}")
        rhos = [or_dash(value, "{:.4f}") for value in dataclasses.astuple(rho)]
        lines.append([bidder, str(sum(planned.made for planned in made)), per_plan, *rhos])
    headings = (
        *("bidder", "plans", "changes a new plan", "initial, with bids", "initial, with wins"),
        *("current, with bids", "current, with wins"),
    )
    return Shown("plans: changed priorities, and Spearman's rho of priorities", headings, lines)


def _increments(records: Sequence[GameRecord]) -> Shown:
    lines = []
    for bidder, counts in bid_increments(records).items():
        bids = sum(counts.values())
        lines.append([bidder, *(f"{count / bids:.1%}" if bids else "-" for count in counts.values())])
    return Shown("bids by their raise, in percent of the starting price (BIP)", ("bidder", *RANGES), lines)
