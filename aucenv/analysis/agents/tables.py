"""Tables about agents: failed bids, unreadable replies, other mistakes and the rules that they follow."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.analysis.agents import agents
from aucenv.analysis.ranking.shown_figures import UNREADABLE_COLUMN, note_on_failed_bids
from aucenv.analysis.statistics.metrics import figures_of, game_of
from aucenv.core.records.figures import Rate, TextTable, as_percent
from aucenv.core.records.read_notes import AGAINST
from aucenv.core.records.record import GameRecord


def agent_tables(records: Sequence[GameRecord]) -> list[TextTable]:
    """Return the tables for which these records hold data, including those of the game itself.

    Raises:
        ValueError: the records are of several games.
    """
    game = game_of(records)
    game_tables = getattr(figures_of(game), "agent_tables", None)
    tables = [
        _failures(records),
        _mistakes(records),
        _rules(records),
        *(game_tables(records) if game_tables is not None else []),
    ]
    return [table for table in tables if table.lines]


def _failures(records: Sequence[GameRecord]) -> TextTable:
    failures, in_words = agents.bid_failures(records), agents.bidders_in_words(records)
    unreadable = agents.unreadable_replies(records)
    lines = [[bidder, as_percent(rate)] for bidder, rate in failures.items()]
    headings: tuple[str, ...] = ("bidder", "failed bids")
    if in_words:
        headings = (*headings, UNREADABLE_COLUMN[0])
        lines = [[*line, as_percent(unreadable[line[0]])] for line in lines]
    note = note_on_failed_bids((_share(failures[bidder]), _share(unreadable[bidder])) for bidder in failures)
    return TextTable("failed bids (CFR)", headings, lines, note)


def _share(rate: Rate) -> float | None:
    return rate[0] / rate[1] if rate[1] else None


def _mistakes(records: Sequence[GameRecord]) -> TextTable:
    mistakes = agents.mistakes(records)
    columns = sorted({column for counts in mistakes.values() for column in counts})
    lines = [[bidder, *(str(counts[column]) for column in columns)] for bidder, counts in mistakes.items()]
    headings = ("bidder", *(f"{phase}: {kind}" for phase, kind in columns))
    return TextTable("other mistakes, by phase", headings, lines)


def _rules(records: Sequence[GameRecord]) -> TextTable:
    usage = agents.rule_usage(records)
    rules = sorted({rule for counts in usage.values() for rule in counts if rule != AGAINST})
    if agents.rules_of(game_of(records)):
        rules.append(AGAINST)
    lines = [
        [bidder, str(counts.total()), *(f"{counts[rule] / counts.total():.1%}" for rule in rules)]
        for bidder, counts in usage.items()
    ]
    return TextTable("rules followed", ("bidder", "decisions", *rules), lines)
