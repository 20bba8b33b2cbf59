"""Format the rows of a ranking as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from aucenv.analysis.agents import model_figures, people_figures
from aucenv.analysis.markdown import from_text, table
from aucenv.analysis.ranking import meta_game
from aucenv.analysis.ranking.by_setting import rows_by_setting
from aucenv.analysis.ranking.shown_figures import (
    Columns,
    main_figures,
    note_on_bidders,
    note_on_undefined,
    second_figures,
)
from aucenv.analysis.ranking.standings import Row
from aucenv.analysis.statistics.intervals import MIN_DEALS
from aucenv.analysis.statistics.metrics import counts_of, figures_of
from aucenv.core.files import JsonMapping
from aucenv.core.records.figures import Counts, ShownFigure, TextTable

RATING = ("rating", "{:.2f}")
SHORT_INTERVALS = (
    *("rating", "profit_mean", "survival_rate", "bid_per_value", "efficiency", "revenue_per_round"),
    *("utility_loss", "risk_aversion"),
)
"""The figures whose intervals fit on a terminal."""


def columns(rows: Sequence[Row], game: str) -> tuple[str, ...]:
    """Return the headings of the main table."""
    return ("rank", "bidder", *(heading for heading, _ in _main_figures(rows, game).values()), "games")


def _main_figures(rows: Sequence[Row], game: str) -> Columns:
    return {"rating": RATING, **main_figures(game, _in_words(rows))}


def _in_words(rows: Sequence[Row]) -> bool:
    return any(row.get("replies_in_words") for row in rows)


def cells(rows: Sequence[Row], game: str, ends: bool = False) -> Iterator[list[str]]:
    """Yield the rows of the main table, in the order of `columns`.

    `±` precedes half the width of an interval.

    Args:
        ends: show both ends of every interval instead.
    """
    shared = Counter(row["rank"] for row in rows)
    shown = _main_figures(rows, game)
    for row in rows:
        figures = [_format_figure(row, name, form.format, ends) for name, (_, form) in shown.items()]
        yield [rank_cell(row, shared), row["bidder"], *figures, str(row["games"])]


def rank_cell(row: JsonMapping, shared: Mapping[int | None, int]) -> str:
    """Return a rank, followed by `=` if others share it; `-` for a bidder without a rank.

    Args:
        shared: how many rows have each rank.
    """
    rank = row["rank"]
    return "-" if rank is None else ShownFigure(f"{rank}{'=' * (shared[rank] > 1)}", rank)


def second_table(rows: Sequence[Row], game: str, ends: bool = False) -> tuple[str, list[str], list[list[str]]]:
    """Return the title, headings and rows of the second table; the title is empty if the game has none."""
    title, figures = second_figures(game, _in_words(rows))
    headings = ["bidder", *(heading for heading, _ in figures.values())]
    lines = [
        [row["bidder"], *(_format_figure(row, name, form.format, ends) for name, (_, form) in figures.items())]
        for row in rows
    ]
    return title, headings, lines


def _notes(rows: Sequence[Row], game: str) -> tuple[str, str]:
    """Return the footnotes of the main and the second table; each is empty if its table needs none."""
    main, (_, second) = main_figures(game, True), second_figures(game, True)
    notes = (note_on_bidders(rows), note_on_undefined(rows, game, main))
    return " ".join(filter(None, notes)), note_on_undefined(rows, game, second)


def _format_figure(row: Row, name: str, as_text: Callable[[float], str], ends: bool) -> str:
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    if value is None:
        return "-"
    text = as_text(value)
    if low is not None and ends:
        text += f" ({as_text(low)} to {as_text(high)})"
    elif low is not None and name in SHORT_INTERVALS:
        text += f" ±{as_text((high - low) / 2)}"
    return ShownFigure(text, value, low, high)


def duel_cells(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield each bidder and its share of games won against every bidder in rank order; a draw counts as half."""
    for row in rows:
        yield [row["bidder"], *(_win_share(row["head_to_head"].get(rival["bidder"])) for rival in rows)]


def _win_share(duel: JsonMapping | None) -> str:
    if duel is None:
        return "-"
    share = (duel["wins"] + duel["draws"] / 2) / duel["games"]
    return ShownFigure(f"{share:.0%}", share)


def count_cells(rows: Sequence[Row], counts: Counts) -> Iterator[list[str]]:
    """Yield each bidder and the share of its bids of each kind."""
    for row in rows:
        bids = sum(row[counts.name].values())
        yield [row["bidder"], *(f"{count / bids:.0%}" if bids else "-" for count in row[counts.name].values())]


DUELS = "games won against (a draw is half)"


def ranking_tables(rows: Sequence[Row], game: str, title: str) -> list[TextTable]:
    """Return the tables that a terminal shows: the ranking in each setting if there are several, then of all games.

    Args:
        rows: the rows of `standings_by_setting`; those of bidders that call models may have `model`, their row of
            `model_figures`, and those of people `person`, their row of `people_figures`.
        title: the title of the ranking, to which a note on the intervals is added.
    """
    names = [row["bidder"] for row in rows]
    models, people = ({row["bidder"]: row[name] for row in rows if name in row} for name in ("model", "person"))
    settings = list(rows_by_setting(rows, game))
    pooled = f"{title}, all {len(settings)} settings" if settings else title
    second_title, headings, lines = second_table(rows, game)
    _, second_note = _notes(rows, game)
    tables = [
        *(_main_table(ranked, game, f"{title}, {setting}") for setting, ranked in settings),
        _main_table(rows, game, pooled),
        TextTable(second_title, tuple(headings), lines if second_title else [], second_note),
        TextTable(DUELS, ("bidder", *names), list(duel_cells(rows))),
        meta_game.meta_table(rows),
        model_figures.text_table(models),
        TextTable(people_figures.TITLE, people_figures.COLUMNS, list(people_figures.cells(people))),
    ]
    return [table for table in tables if table.lines]


def _main_table(rows: Sequence[Row], game: str, title: str) -> TextTable:
    lines = list(cells(rows, game))
    return TextTable(f"{title}; {interval_note(lines)}", columns(rows, game), lines, _notes(rows, game)[0])


def interval_note(lines: Iterable[Iterable[str]]) -> str:
    """Return what `±` means in these rows of cells, or why rows do not have it."""
    have_intervals = {any("±" in cell for cell in line) for line in lines}
    if have_intervals == {True}:
        return "± 95% interval"
    if True in have_intervals:
        return "± 95% interval, where there are enough deals"
    return f"too few deals for intervals ({MIN_DEALS} are needed), so that nothing is separated"


def to_markdown(
    rows: Sequence[Row], game: str, models: Mapping[str, Row], people: Mapping[str, Row] | None = None
) -> str:
    """Return all tables of a ranking in Markdown, with 95% intervals; those of its settings have a heading.

    Args:
        models: the figures of models (see `model_figures`) by bidder.
        people: the figures of people (see `people_figures`) by bidder.
    """
    _, second_note = _notes(rows, game)
    tables = [f"**{setting}**\n\n{_main_markdown(ranked, game)}" for setting, ranked in rows_by_setting(rows, game)]
    tables.append(("**all settings**\n\n" if tables else "") + _main_markdown(rows, game))
    title, headings, lines = second_table(rows, game, ends=True)
    if title:
        tables.append(table(headings, lines, second_note))
    tables.append(table((DUELS, *(row["bidder"] for row in rows)), duel_cells(rows)))
    if meta := meta_game.cells(rows):
        tables.append(table((meta_game.TITLE, *meta_game.HEADINGS[1:]), meta))
    if models:
        tables.append(from_text(model_figures.text_table(models)))
    if people:
        tables.append(table(people_figures.COLUMNS, people_figures.cells(people)))
    counts = counts_of(figures_of(game))
    if counts is not None:
        tables.append(table((counts.title, *counts.kinds), count_cells(rows, counts)))
    return "\n".join(tables)


def _main_markdown(rows: Sequence[Row], game: str) -> str:
    return table(columns(rows, game), cells(rows, game, ends=True), _notes(rows, game)[0])
