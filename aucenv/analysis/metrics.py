"""Records -> every bidder's figures, each with its interval. A game's figures are in its own module."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aucenv.analysis.resampling import Estimate, deal_numbers, ratio, resample
from aucenv.core.bidder_name import label_of
from aucenv.core.figures import Counts, Figures
from aucenv.core.record import GameRecord
from aucenv.registration import find_family


def figures_of(game: str) -> Figures:
    """The figures of a game by its name.

    Raises:
        ValueError: there is no such game; or as `GameError`.
    """
    return find_family(game).game.figures


def counts_of(figures: Figures) -> Counts | None:
    """The counts of a game's figures; None where it has none."""
    return getattr(figures, "COUNTS", None)


def game_of(records: Sequence[GameRecord]) -> str:
    """The game that all records are of.

    Raises:
        ValueError: there are several.
    """
    games = sorted({record.game for record in records})
    if len(games) > 1:
        raise ValueError(f"records: expected those of one game, got {', '.join(games)}")
    return games[0] if games else "english"


def scores_by_bidder(record: GameRecord) -> dict[str, float]:
    """Each bidder's profit in a game, or days lived; the mean over its seats where it holds several."""
    score = figures_of(record.game).SCORE
    scores: dict[str, list[float]] = {}
    for who, result in zip(record.seats, record.outcome["seats"], strict=True):
        scores.setdefault(label_of(who["bidder"]), []).append(result[score])
    return {bidder: sum(made) / len(made) for bidder, made in scores.items()}


def bidder_figures(records: Sequence[GameRecord]) -> dict[str, dict[str, Estimate]]:
    """Every bidder's FIGURES with their intervals, by label, in order of first appearance; None: never defined."""
    of_game = figures_of(game_of(records))
    figures = of_game.FIGURES
    deals = deal_numbers(records)
    times = resample(deals)
    sums: dict[str, np.ndarray] = {}
    for record, deal in zip(records, deals, strict=True):
        for seat in of_game.seat_figures(record):
            of_bidder = sums.setdefault(seat.bidder, np.zeros((times.shape[1], len(figures), 2)))
            of_bidder[deal] += [figure(seat) for figure in figures.values()]
    return {
        bidder: {name: ratio(of_bidder[:, i], times) for i, name in enumerate(figures)}
        for bidder, of_bidder in sums.items()
    }
