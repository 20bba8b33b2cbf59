"""Rank bidders in each setting of a run of several settings, besides the ranking of all games together.

The settings are the scenarios of the games. Pooled figures hide differences between them: in AucArena's competition,
a bidder that is best at one budget may be worst at the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aucenv.analysis.ranking.standings import Row, in_order, standings
from aucenv.analysis.statistics.design import deal_of
from aucenv.core.records.record import GameRecord

BY_SETTING = "by_setting"
"""The name of a row's figures in each setting."""
POOLED_ONLY = ("bidder", "head_to_head")
"""The names of a row that its figures in a setting do not have."""


def standings_by_setting(records: Sequence[GameRecord]) -> list[Row]:
    """Rank bidders as `standings` does.

    Returns:
        The rows of `standings`. If the games have several settings, each row has `by_setting`: for each setting of the
        bidder's games, by name, its row in the ranking of these games alone, without POOLED_ONLY.
    """
    rows = standings(records)
    settings = split_by_setting(records)
    if len(settings) > 1:
        by_bidder: dict[str, dict[str, Row]] = {row["bidder"]: {} for row in rows}
        for setting, games in settings.items():
            for row in standings(games):
                figures = {name: value for name, value in row.items() if name not in POOLED_ONLY}
                by_bidder[row["bidder"]][setting] = figures
        for row in rows:
            row[BY_SETTING] = by_bidder[row["bidder"]]
    return rows


def split_by_setting(records: Sequence[GameRecord]) -> dict[str, list[GameRecord]]:
    """Return the games of each scenario, by its name, in order of first appearance.

    The names of scenarios that differ but share a name are numbered. Scenarios that differ only in entries of bidders
    that rotate with those who play them are one; see `design.deal_of`.
    """
    games: dict[str, list[GameRecord]] = {}
    for record in records:
        games.setdefault(deal_of(record)[0], []).append(record)
    names = [played[0].scenario["name"] for played in games.values()]
    labels = [
        name if names.count(name) == 1 else f"{name} ({names[: place + 1].count(name)})"
        for place, name in enumerate(names)
    ]
    return dict(zip(labels, games.values(), strict=True))


def rows_by_setting(rows: Sequence[Row], game: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield each setting and the rows of its ranking, in order; nothing if the games have one setting."""
    settings = dict.fromkeys(setting for row in rows for setting in row.get(BY_SETTING, {}))
    for setting in settings:
        ranked = [
            {"bidder": row["bidder"], **row[BY_SETTING][setting]} for row in rows if setting in row.get(BY_SETTING, {})
        ]
        yield setting, in_order(ranked, game)
