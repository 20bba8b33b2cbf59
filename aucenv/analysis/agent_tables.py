"""How agents think, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.analysis import agents
from aucenv.analysis.metrics import figures_of, game_of
from aucenv.core.figures import Shown, as_percent
from aucenv.core.record import GameRecord


def agent_tables(records: Sequence[GameRecord]) -> list[Shown]:
    """All tables that these records have something for.

    Raises:
        ImportError: scipy is not installed, and a bidder plans.
        ValueError: records of several games.
    """
    game = game_of(records)
    of_game = getattr(figures_of(game), "agent_tables", None)
    made = [_failures(records), _mistakes(records), _rules(records), *(of_game(records) if of_game is not None else [])]
    return [table for table in made if table.lines]


def _failures(records: Sequence[GameRecord]) -> Shown:
    lines = [[bidder, as_percent(rate)] for bidder, rate in agents.bid_failures(records).items()]
    return Shown("failed bids (CFR)", ("bidder", "failed bids"), lines)


def _mistakes(records: Sequence[GameRecord]) -> Shown:
    found = agents.mistakes(records)
    columns = sorted({what for counts in found.values() for what in counts})
    lines = [[bidder, *(str(counts[what]) for what in columns)] for bidder, counts in found.items()]
    headings = ("bidder", *(f"{phase}: {kind}" for phase, kind in columns))
    return Shown("other mistakes, by phase", headings, lines)


def _rules(records: Sequence[GameRecord]) -> Shown:
    used = agents.rule_usage(records)
    rules = sorted({rule for counts in used.values() for rule in counts})
    lines = [
        [bidder, str(counts.total()), *(f"{counts[rule] / counts.total():.1%}" for rule in rules)]
        for bidder, counts in used.items()
    ]
    return Shown("rules followed", ("bidder", "decisions", *rules), lines)
