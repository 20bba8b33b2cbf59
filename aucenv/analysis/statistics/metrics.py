"""Compute every bidder's figures with confidence intervals; each game defines its figures in its `figures.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import Estimate, pooled, ratio
from aucenv.core.records.figures import Counts, Figures, PooledFigure
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.registration import find_family

Figure = Callable[[Any], tuple[float, float]] | PooledFigure
"""A figure: the numerator and the denominator of a seat, or a pooled figure."""


@lru_cache
def figures_of(game: str) -> Figures:
    """Return the figures module of a game.

    Raises:
        ValueError: there is no such game.
        GameError: the game cannot be loaded.
    """
    return find_family(game).game.figures


def counts_of(figures: Figures) -> Counts | None:
    """Return the counts that a game reports for each bidder, or None if it has none."""
    return getattr(figures, "COUNTS", None)


def required_counts(figures: Figures) -> Mapping[str, Callable[[Any], float]]:
    """Return, by figure, the function that counts what a bidder must have done for the figure to be defined."""
    return getattr(figures, "REQUIRED", {})


def game_of(records: Sequence[GameRecord]) -> str:
    """Return the name of the game that all records are of; "english" if there are none.

    Raises:
        ValueError: the records are of several games.
    """
    games = sorted({record.game for record in records})
    if len(games) > 1:
        raise ValueError(f"records: expected those of one game, got {', '.join(games)}")
    return games[0] if games else "english"


def scores_by_bidder(record: GameRecord) -> dict[str, float]:
    """Return each bidder's score in a game: its profit, or the days it lived.

    A bidder in several seats gets their mean.
    """
    score = figures_of(record.game).SCORE
    scores: dict[str, list[float]] = {}
    for player, result in zip(record.seats, record.outcome["seats"], strict=True):
        scores.setdefault(seat_label(player), []).append(result[score])
    return {bidder: sum(values) / len(values) for bidder, values in scores.items()}


def bidder_figures(records: Sequence[GameRecord]) -> dict[str, dict[str, Estimate]]:
    """Return the game's FIGURES for every bidder, with intervals, by label in order of first appearance.

    The value of a figure is None if it is defined in no game, or if what it requires has never been done.
    """
    module = figures_of(game_of(records))
    design = Design.of_records(records)
    seats: dict[str, list[tuple[int, Any]]] = {}
    for record, deal in zip(records, design.deals.tolist(), strict=True):
        for seat in module.seat_figures(record):
            seats.setdefault(seat.bidder, []).append((deal, seat))
    figures, required = all_figures(module), required_counts(module)
    rows = {bidder: estimates(played, figures, design) for bidder, played in seats.items()}
    for bidder, row in rows.items():
        undefined = [name for name, count in required.items() if not any(count(seat) for _, seat in seats[bidder])]
        row.update(dict.fromkeys(undefined, Estimate(None)))
    return rows


def all_figures(module: Figures) -> dict[str, Figure]:
    """Return the FIGURES of a game's figures module, and its POOLED figures if it has them."""
    return {**module.FIGURES, **getattr(module, "POOLED", {})}


def estimates(seats: Sequence[tuple[int, Any]], figures: Mapping[str, Figure], design: Design) -> dict[str, Estimate]:
    """Return the estimate of each figure over seats.

    Args:
        seats: the deal number and the entry of `seat_figures` of each seat.
        design: the deals.
    """
    ratios = {name: figure for name, figure in figures.items() if not isinstance(figure, PooledFigure)}
    sums = np.zeros((design.num_deals, len(ratios), 2))
    for deal, seat in seats:
        sums[deal] += [figure(seat) for figure in ratios.values()]
    sums_by_name = dict(zip(ratios, sums.transpose(1, 0, 2), strict=True))
    estimated: dict[str, Estimate] = {}
    for name, figure in figures.items():
        if isinstance(figure, PooledFigure):
            observed = [(entry, deal) for deal, seat in seats for entry in figure.observe(seat)]
            entries, deals = zip(*observed, strict=True) if observed else ((), ())
            estimated[name] = pooled(figure, entries, deals, design)
        else:
            estimated[name] = ratio(sums_by_name[name], design)
    return estimated
