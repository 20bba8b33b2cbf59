"""Records -> the ranking, as rows of plain data; those as tables for people."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from aucenv.analysis.head_to_head import HeadToHead, head_to_head
from aucenv.analysis.increments import RANGES, bid_increments
from aucenv.analysis.metrics import bidder_figures
from aucenv.analysis.ratings import profits_by_bidder, rate
from aucenv.analysis.resampling import Estimate
from aucenv.records import GameRecord

Row = dict[str, Any]


def standings(records: Sequence[GameRecord]) -> list[Row]:
    """The ranking: by rating, then by mean profit; who is tied with the first of a rank shares it.

    Returns:
        A row for each bidder: bidder, rank, rating, its FIGURES, games (it sat in), bid_increments (bids by range) and
        head_to_head (by rival). Every figure has *_low and *_high, the ends of its 95% interval: None where it is not
        defined, or rests on fewer than LEAST_DEALS deals; then nobody is told apart by it.
    """
    ratings = rate(records)
    figures = bidder_figures(records)
    increments = bid_increments(records)
    duels = head_to_head(records)
    games = Counter(bidder for record in records for bidder in profits_by_bidder(record))
    rated = {bidder: ratings.of(bidder) for bidder in figures}
    order = sorted(figures, key=lambda b: (-(rated[b].value or 0), -(figures[b]["profit_mean"].value or 0), b))
    rows: list[Row] = []
    rank, first = 1, order[0] if order else ""
    for place, bidder in enumerate(order, start=1):
        if not ratings.tied(first, bidder):
            rank, first = place, bidder
        row: Row = {"bidder": bidder, "rank": rank}
        for name, estimate in {"rating": rated[bidder], **figures[bidder]}.items():
            row |= _flat(name, estimate)
        row |= {"games": games[bidder], "bid_increments": increments[bidder]}
        row["head_to_head"] = {rival: _duel(duels[bidder][rival]) for rival in order if rival in duels[bidder]}
        rows.append(row)
    return rows


def _flat(name: str, estimate: Estimate) -> Row:
    keys = (name, f"{name}_low", f"{name}_high")
    values = dataclasses.astuple(estimate)
    return {key: None if value is None else round(value, 6) for key, value in zip(keys, values, strict=True)}


def _duel(duel: HeadToHead) -> Row:
    counts = {"games": duel.games, "wins": duel.wins, "draws": duel.draws, "losses": duel.losses}
    return {**counts, **_flat("profit_difference", duel.profit_difference)}


Format = Callable[[float], str]
SHOWN: dict[str, tuple[str, Format]] = {
    "rating": ("rating", lambda x: f"{x:.2f}"),
    "profit_mean": ("mean profit", lambda x: f"{x:,.0f}"),
    "profit_ratio": ("profit ratio", lambda x: f"{x:.1%}"),
    "items_mean": ("items", lambda x: f"{x:.2f}"),
    "failed_bid_rate": ("failed bids", lambda x: f"{x:.1%}"),
}
"""The figures that tables for people show: heading and format."""
WITH_HALF = ("rating", "profit_mean")
"""On a terminal there is room for these figures' intervals."""

COLUMNS = ("rank", "bidder", *(heading for heading, _ in SHOWN.values()), "games")


def cells(rows: Sequence[Row], ends: bool = False) -> Iterator[list[str]]:
    """The ranking as people read it, in the order of COLUMNS: `1=` is a shared rank, `±` half an interval.

    Args:
        ends: show both ends of every interval instead.
    """
    shared = Counter(row["rank"] for row in rows)
    for row in rows:
        figures = [_shown(row, name, as_text, ends) for name, (_, as_text) in SHOWN.items()]
        yield [f"{row['rank']}{'=' * (shared[row['rank']] > 1)}", row["bidder"], *figures, str(row["games"])]


def _shown(row: Row, name: str, as_text: Format, ends: bool) -> str:
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


def to_markdown(rows: Sequence[Row]) -> str:
    """All tables of a ranking; intervals are 95%."""
    tables = [
        _table(COLUMNS, cells(rows, ends=True)),
        _table((DUELS, *(row["bidder"] for row in rows)), duel_cells(rows)),
        _table((INCREMENTS, *RANGES), increment_cells(rows)),
    ]
    return "\n".join(tables)


def _table(headings: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
