"""How agents think, as tables for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from aucenv.analysis import agents
from aucenv.analysis.beliefs import KINDS, OTHERS, OWN
from aucenv.analysis.increments import ASCENDING, RANGES, bid_increments
from aucenv.analysis.metrics import bidder_figures, game_of
from aucenv.core.bidder_name import label_of
from aucenv.core.record import GameRecord

Lines = list[list[str]]


@dataclasses.dataclass(frozen=True)
class Shown:
    """One table."""

    title: str
    headings: tuple[str, ...]
    lines: Lines


def agent_tables(records: Sequence[GameRecord]) -> list[Shown]:
    """All tables that these records have something for.

    Raises:
        ImportError: scipy is not installed, and a bidder plans.
        ValueError: records of several games.
    """
    game = game_of(records)
    made = [_failures(records), _mistakes(records), _rules(records)]
    if game in ASCENDING:
        made += [_beliefs(records), _plans(records), _increments(records)]
    if game == "harbor":
        made.append(_profiles(records))
    if game in ("sealed_bid", "clock"):
        made.append(_bids(records))
    return [table for table in made if table.lines]


def _rate(rate: agents.Rate) -> str:
    failed, all_ = rate
    return f"{failed / all_:.2%} ({failed} of {all_})" if all_ else "-"


def _or_dash(value: float | None, form: Callable[[float], str]) -> str:
    return "-" if value is None else form(value)


def _failures(records: Sequence[GameRecord]) -> Shown:
    lines = [[bidder, _rate(rate)] for bidder, rate in agents.bid_failures(records).items()]
    return Shown("failed bids (CFR)", ("bidder", "failed bids"), lines)


def _beliefs(records: Sequence[GameRecord]) -> Shown:
    lines = []
    for bidder, rates in agents.belief_failures(records).items():
        sums = [agents.together(rates, kinds) for kinds in (KINDS, OWN, OTHERS)]
        lines.append([bidder, *map(_rate, sums), *(_rate(rates[kind]) for kind in KINDS)])
    return Shown("wrong beliefs (CFR)", ("bidder", "all", "own", "others", *KINDS), lines)


def _mistakes(records: Sequence[GameRecord]) -> Shown:
    found = agents.mistakes(records)
    columns = sorted({what for counts in found.values() for what in counts})
    lines = [[bidder, *(str(counts[what]) for what in columns)] for bidder, counts in found.items()]
    headings = ("bidder", *(f"{phase}: {kind}" for phase, kind in columns))
    return Shown("other mistakes, by phase", headings, lines)


def _plans(records: Sequence[GameRecord]) -> Shown:
    lines = []
    for bidder, rho in agents.priority_correlations(records).items():
        made = [
            planned
            for record in records
            for who in record.seats
            if label_of(who["bidder"]) == bidder and (planned := agents.plans(record, who["seat"])) is not None
        ]
        renewed = sum(planned.made - 1 for planned in made)
        changes = sum(len(planned.changes) for planned in made)
        per_plan = _or_dash(changes / renewed if renewed else None, "{:.2f}".format)
        rhos = [_or_dash(value, "{:.4f}".format) for value in dataclasses.astuple(rho)]
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


def _profiles(records: Sequence[GameRecord]) -> Shown:
    figures = {bidder: of_bidder["profile_kl"].value for bidder, of_bidder in bidder_figures(records).items()}
    lines = [[bidder, f"{value:.2f}"] for bidder, value in figures.items() if value is not None]
    return Shown("last profiles of rivals (KL)", ("bidder", "KL"), lines)


def _rules(records: Sequence[GameRecord]) -> Shown:
    used = agents.rule_usage(records)
    rules = sorted({rule for counts in used.values() for rule in counts})
    lines = [
        [bidder, str(counts.total()), *(f"{counts[rule] / counts.total():.1%}" for rule in rules)]
        for bidder, counts in used.items()
    ]
    return Shown("rules followed", ("bidder", "decisions", *rules), lines)


def _bids(records: Sequence[GameRecord]) -> Shown:
    found = agents.bids_per_value(records)
    settings = list(dict.fromkeys(setting for _, setting in found))
    lines = [
        [bidder, *(_or_dash(found.get((bidder, setting)), "{:.2f}".format) for setting in settings)]
        for bidder in dict.fromkeys(bidder for bidder, _ in found)
    ]
    return Shown("bid / value, by setting", ("bidder", *settings), lines)
