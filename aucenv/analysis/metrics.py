"""Compute every bidder's figures with confidence intervals; each game defines its figures in its `figures.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from aucenv.analysis.resampling import Estimate, deal_numbers, ratio, resample
from aucenv.core.bidder_name import label_of
from aucenv.core.figures import Counts, Figures
from aucenv.core.record import GameRecord
from aucenv.registration import find_family


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
        scores.setdefault(label_of(player["bidder"]), []).append(result[score])
    return {bidder: sum(values) / len(values) for bidder, values in scores.items()}


def bidder_figures(records: Sequence[GameRecord]) -> dict[str, dict[str, Estimate]]:
    """Return the game's FIGURES for every bidder, with intervals, by label in order of first appearance.

    The value of a figure is None if it is defined in no game, or if what it requires has never been done.
    """
    module = figures_of(game_of(records))
    figures, required = module.FIGURES, required_counts(module)
    counts: dict[str, Counter[str]] = {}
    deals = deal_numbers(records)
    times = resample(deals)
    sums: dict[str, np.ndarray] = {}
    for record, deal in zip(records, deals, strict=True):
        for seat in module.seat_figures(record):
            bidder_sums = sums.setdefault(seat.bidder, np.zeros((times.shape[1], len(figures), 2)))
            bidder_sums[deal] += [figure(seat) for figure in figures.values()]
            counts.setdefault(seat.bidder, Counter()).update({name: count(seat) for name, count in required.items()})
    return {
        bidder: {
            name: Estimate(None) if name in required and not counts[bidder][name] else ratio(bidder_sums[:, i], times)
            for i, name in enumerate(figures)
        }
        for bidder, bidder_sums in sums.items()
    }
