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
        for bidder in profits:
            ratings.setdefault(bidder, world.create_rating())
        ratings.update(rate_game(world, ratings, profits))
    return ratings


def rate_game(
    world: trueskill.TrueSkill, ratings: Mapping[str, trueskill.Rating], profits: Mapping[str, float]
) -> dict[str, trueskill.Rating]:
    """The ratings of a game's bidders after it: unchanged where one was alone, or the library's arithmetic fails."""
    before = {bidder: ratings[bidder] for bidder in profits}
    if len(before) < 2:
        return before
    try:
        rated = world.rate([(rating,) for rating in before.values()], ranks=[-profit for profit in profits.values()])
    except FloatingPointError:  # an upset between ratings hundreds apart
        return before
    return {bidder: rating for bidder, (rating,) in zip(before, rated, strict=True)}
