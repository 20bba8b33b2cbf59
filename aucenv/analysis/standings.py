"""Records -> the ranking, as rows of plain data; those as tables for people."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from aucenv.analysis import model_figures
from aucenv.analysis.head_to_head import HeadToHead, head_to_head
from aucenv.analysis.increments import ASCENDING, RANGES, bid_increments
from aucenv.analysis.markdown import table
from aucenv.analysis.metrics import OF_GAME, bidder_figures, game_of, scores_by_bidder
from aucenv.analysis.ratings import rate
from aucenv.analysis.resampling import Estimate
from aucenv.core.record import GameRecord

Row = dict[str, Any]


def standings(records: Sequence[GameRecord]) -> list[Row]:
    """The ranking: by rating, then by the mean score; who is tied with the first of a rank shares it.

    Returns:
        A row for each bidder: bidder, rank, rating, its game's FIGURES, games (it sat in), head_to_head (by rival) and,
        of ASCENDING games, bid_increments (bids by range). Every figure has *_low and *_high, the ends of its 95%
        interval: None where it is not defined, or rests on fewer than LEAST_DEALS deals; then nobody is told apart by
        it.
    """
    score = OF_GAME[game_of(records)].SCORE
    ratings = rate(records)
    figures = bidder_figures(records)
    increments = bid_increments(records) if game_of(records) in ASCENDING else {}
    duels = head_to_head(records)
    games = Counter(bidder for record in records for bidder in scores_by_bidder(record))
    rated = {bidder: ratings.of(bidder) for bidder in figures}
    order = sorted(figures, key=lambda b: (-(rated[b].value or 0), -(figures[b][f"{score}_mean"].value or 0), b))
    rows: list[Row] = []
    rank, first = 1, order[0] if order else ""
    for place, bidder in enumerate(order, start=1):
        if not ratings.tied(first, bidder):
            rank, first = place, bidder
        row: Row = {"bidder": bidder, "rank": rank}
        for name, estimate in {"rating": rated[bidder], **figures[bidder]}.items():
            row |= _flat(name, estimate)
        row["games"] = games[bidder]
        if bidder in increments:
            row["bid_increments"] = increments[bidder]
        row["head_to_head"] = {rival: _duel(duels[bidder][rival], score) for rival in order if rival in duels[bidder]}
        rows.append(row)
    return rows


def _flat(name: str, estimate: Estimate) -> Row:
    keys = (name, f"{name}_low", f"{name}_high")
    values = dataclasses.astuple(estimate)
    return {key: None if value is None else round(value, 6) for key, value in zip(keys, values, strict=True)}


def _duel(duel: HeadToHead, score: str) -> Row:
    counts = {"games": duel.games, "wins": duel.wins, "draws": duel.draws, "losses": duel.losses}
    return {**counts, **_flat(f"{score}_difference", duel.score_difference)}


RATING = ("rating", "{:.2f}")
WITH_HALF = ("rating", "profit_mean", "survival_rate", "bid_per_value", "efficiency", "revenue_per_round")
"""On a terminal there is room for these figures' intervals."""


def shown_figures(game: str) -> dict[str, tuple[str, str]]:
    """The figures that tables for people show: heading and format."""
    return {"rating": RATING, **OF_GAME[game].SHOWN}


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
    title, figures = OF_GAME[game].ALSO_SHOWN
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


def _score(duel: Mapping[str, Any] | None) -> str:
    return "-" if duel is None else f"{(duel['wins'] + duel['draws'] / 2) / duel['games']:.0%}"


def increment_cells(rows: Sequence[Row]) -> Iterator[list[str]]:
    """How far each bidder raises: it, then the share of its bids in each of RANGES."""
    for row in rows:
        bids = sum(row["bid_increments"].values())
        yield [row["bidder"], *(f"{count / bids:.0%}" if bids else "-" for count in row["bid_increments"].values())]


DUELS = "games won against (a draw is half)"
INCREMENTS = "bids by their raise, in percent of the starting price"


def to_markdown(rows: Sequence[Row], game: str) -> str:
    """All tables of a ranking; intervals are 95%. Rows may have `model`, their bidder's figures of models."""
    tables = [
        table(columns(game), cells(rows, game, ends=True)),
        table((DUELS, *(row["bidder"] for row in rows)), duel_cells(rows)),
    ]
    title, headings, lines = also_shown(rows, game, ends=True)
    if title:
        tables.insert(1, table(headings, iter(lines)))
    models = {row["bidder"]: row["model"] for row in rows if "model" in row}
    if models:
        tables.append(table(model_figures.COLUMNS, model_figures.cells(models)))
    if game in ASCENDING:
        tables.append(table((INCREMENTS, *RANGES), increment_cells(rows)))
    return "\n".join(tables)
