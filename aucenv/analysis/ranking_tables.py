"""A ranking's rows -> tables for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from aucenv.analysis import model_figures
from aucenv.analysis.markdown import table
from aucenv.analysis.metrics import counts_of, figures_of
from aucenv.analysis.standings import Row
from aucenv.core.figures import Counts
from aucenv.core.files import JsonMapping

RATING = ("rating", "{:.2f}")
WITH_HALF = ("rating", "profit_mean", "survival_rate", "bid_per_value", "efficiency", "revenue_per_round")
"""On a terminal there is room for these figures' intervals."""


def shown_figures(game: str) -> dict[str, tuple[str, str]]:
    """The figures that tables for people show: heading and format."""
    return {"rating": RATING, **figures_of(game).SHOWN}


def columns(game: str) -> tuple[str, ...]:
    """The headings of a ranking."""
    return ("rank", "bidder", *(heading for heading, _ in shown_figures(game).values()), "games")


def cells(rows: Sequence[Row], game: str, ends: bool = False) -> Iterator[list[str]]:
    """The ranking as people read it, in the order of `columns`: `1=` is a shared rank, `±` half an interval.

    Args:
        ends: show both ends of every interval instead.
    """
    shared = Counter(row["rank"] for row in rows)
    for row in rows:
        figures = [_shown(row, name, form.format, ends) for name, (_, form) in shown_figures(game).items()]
        yield [f"{row['rank']}{'=' * (shared[row['rank']] > 1)}", row["bidder"], *figures, str(row["games"])]


def also_shown(rows: Sequence[Row], game: str, ends: bool = False) -> tuple[str, list[str], list[list[str]]]:
    """The second table of a ranking: its title, headings and cells; no title where the game has none."""
    title, figures = getattr(figures_of(game), "ALSO_SHOWN", ("", {}))
    headings = ["bidder", *(heading for heading, _ in figures.values())]
    lines = [
        [row["bidder"], *(_shown(row, name, form.format, ends) for name, (_, form) in figures.items())] for row in rows
    ]
    return title, headings, lines


def _shown(row: Row, name: str, as_text: Callable[[float], str], ends: bool) -> str:
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    if value is None:
        return "-"
    if low is None:
        return as_text(value)
    if ends:
        return f"{as_text(value)} ({as_text(low)} to {as_text(high)})"
    return f"{as_text(value)} ±{as_text((high - low) / 2)}" if name in WITH_HALF else as_text(value)


def duel_cells(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Each bidder, then the share of games in which it made more than the rival of that place; a draw is half."""
    for row in rows:
        yield [row["bidder"], *(_score(row["head_to_head"].get(rival["bidder"])) for rival in rows)]


def _score(duel: JsonMapping | None) -> str:
    return "-" if duel is None else f"{(duel['wins'] + duel['draws'] / 2) / duel['games']:.0%}"


def count_cells(rows: Sequence[Row], counts: Counts) -> Iterator[list[str]]:
    """Each bidder, then the share of its bids of each kind."""
    for row in rows:
        bids = sum(row[counts.name].values())
        yield [row["bidder"], *(f"{count / bids:.0%}" if bids else "-" for count in row[counts.name].values())]


DUELS = "games won against (a draw is half)"


def to_markdown(rows: Sequence[Row], game: str, models: Mapping[str, Row]) -> str:
    """All tables of a ranking; intervals are 95%.

    Args:
        models: figures of models, by bidder.
    """
    tables = [
        table(columns(game), cells(rows, game, ends=True)),
        table((DUELS, *(row["bidder"] for row in rows)), duel_cells(rows)),
    ]
    title, headings, lines = also_shown(rows, game, ends=True)
    if title:
        tables.insert(1, table(headings, iter(lines)))
    if models:
        tables.append(table(model_figures.COLUMNS, model_figures.cells(models)))
    counts = counts_of(figures_of(game))
    if counts is not None:
        tables.append(table((counts.title, *counts.kinds), count_cells(rows, counts)))
    return "\n".join(tables)
