"""What studies share: the same games for every bidder, and figures by cell with intervals over deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.analysis.metrics import figures_of, game_of
from aucenv.analysis.resampling import deal_numbers, ratio, resample
from aucenv.core.bidder_name import label_of
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.runs.play import Match

Row = JsonObject
Table = tuple[str, list[str], list[list[str]]]
"""Title, headings and cells, as people read them."""
Drawing = Any
"""A figure of matplotlib, or axes in it: matplotlib is imported when something is drawn."""
Figure = Callable[[Any], tuple[float, float]]


def estimates(
    records: Sequence[GameRecord], figures: dict[str, Figure], seat: int | None = None
) -> dict[str, float | None]:
    """Each figure over all games, as name, name_low and name_high: 95%, resampled by deal.

    Args:
        seat: only this one's; else all seats'.
    """
    seat_figures = figures_of(game_of(records)).seat_figures
    deals = deal_numbers(records)
    times = resample(deals)
    sums = np.zeros((times.shape[1], len(figures), 2))
    for record, deal in zip(records, deals, strict=True):
        for of_seat in seat_figures(record)[slice(seat, None if seat is None else seat + 1)]:
            sums[deal] += [figure(of_seat) for figure in figures.values()]
    found: dict[str, float | None] = {}
    for i, name in enumerate(figures):
        estimate = ratio(sums[:, i], times)
        for key, value in ((name, estimate.value), (f"{name}_low", estimate.low), (f"{name}_high", estimate.high)):
            found[key] = None if value is None else round(value, 6)
    return found


def lineup_of(record: GameRecord) -> str:
    """Who sat there, whatever the seats: one label where all had the same bidder."""
    return ", ".join(sorted({label_of(who["bidder"]) for who in record.seats}))


def same_in_all_seats(
    cells: Iterable[tuple[str, Any]], bidders: Sequence[str], games: int, seed: int
) -> Iterator[Match]:
    """Games of each (game, scenario), all seats by the same bidder, for each bidder in turn; the same deals for all."""
    index = 0
    for game, scenario in cells:
        for bidder in bidders:
            for number in range(games):
                yield Match(game, scenario, (bidder,) * len(scenario.bidders), (seed, number), index)
                index += 1


def grouped(records: Sequence[GameRecord], key: Callable[[GameRecord], Any]) -> dict[Any, list[GameRecord]]:
    """Records by cell, in order of first appearance."""
    cells: dict[Any, list[GameRecord]] = {}
    for record in records:
        cells.setdefault(key(record), []).append(record)
    return cells


def cells(rows: Sequence[Row], columns: Mapping[str, tuple[str, str]]) -> list[list[str]]:
    """Rows as people read them: `-` for nothing, `±` half an interval.

    Args:
        columns: names of a row's figures -> heading and format.
    """
    return [[_shown(row, names.split(), form) for names, (_, form) in columns.items()] for row in rows]


def _shown(row: Row, names: Sequence[str], form: str) -> str:
    values = [row.get(name) for name in names]
    if any(value is None for value in values):
        return "-"
    low, high = (row.get(f"{names[0]}_{end}") for end in ("low", "high"))
    half = "" if low is None or high is None else f" ±{form.format((high - low) / 2).lstrip('+')}"
    return form.format(*values) + half
