"""Records -> TrueSkill ratings, with the library's defaults; in each game bidders rank by profit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import trueskill

from aucenv.analysis.metrics import seat_figures
from aucenv.records import GameRecord


def profits_by_bidder(record: GameRecord) -> dict[str, float]:
    """Each bidder's profit in a game; the mean over its seats where it holds several."""
    profits: dict[str, list[float]] = {}
    for seat in seat_figures(record):
        profits.setdefault(seat.bidder, []).append(seat.profit)
    return {bidder: sum(made) / len(made) for bidder, made in profits.items()}


def rate(records: Iterable[GameRecord]) -> dict[str, trueskill.Rating]:
    """The rating of every bidder after these games, in this order."""
    return rate_profits(profits_by_bidder(record) for record in records)


def rate_profits(games: Iterable[Mapping[str, float]]) -> dict[str, trueskill.Rating]:
    """The rating of every bidder after games that are given as {bidder: profit}."""
    world = trueskill.TrueSkill()
    ratings: dict[str, trueskill.Rating] = {}
    for profits in games:
        bidders = list(profits)
        for bidder in bidders:
            ratings.setdefault(bidder, world.create_rating())
        if len(bidders) < 2:
            continue  # a bidder against itself
        groups = [(ratings[bidder],) for bidder in bidders]
        try:
            rated = world.rate(groups, ranks=[-profits[bidder] for bidder in bidders])
        except FloatingPointError:
            continue  # an upset beyond the library's arithmetic
        for bidder, (rating,) in zip(bidders, rated, strict=True):
            ratings[bidder] = rating
    return ratings
