"""Records -> TrueSkill ratings, and who meets whom how; in each game bidders rank by profit."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from aucenv.analysis.metrics import seat_figures
from aucenv.analysis.resampling import Estimate, deal_numbers, interval, resample
from aucenv.analysis.trueskill_kernel import rate_orders
from aucenv.records import GameRecord

SHUFFLES = 100
"""TrueSkill depends on the order of the games; a rating is the mean over so many random orders."""
LEAST_SHARE = 0.1
"""Of a resample's variance: what is put down to the deals, whatever the shuffles scatter."""


@dataclasses.dataclass(frozen=True)
class Ratings:
    """Ratings of all bidders.

    An interval tells what other deals would have given. A resample is rated in one order, which scatters more than a
    mean over many: its distance from the mean of all resamples is scaled down by what the shuffles alone scatter.

    Attributes:
        bidders: labels, in order of first appearance.
        shuffled: (SHUFFLES, bidders), rated in random orders.
        resampled: (RESAMPLES, bidders), of random deals in one random order each; empty with fewer than two deals.
        num_deals: how many there were.
    """

    bidders: tuple[str, ...]
    shuffled: np.ndarray
    resampled: np.ndarray
    num_deals: int

    def of(self, bidder: str) -> Estimate:
        return self._estimate([bidder == other for other in self.bidders])

    def tied(self, bidder: str, other: str) -> bool:
        """Whether the interval of the two ratings' difference, in the same resamples, holds 0."""
        difference = self._estimate([(label == bidder) - (label == other) for label in self.bidders])
        return difference.low is None or difference.high is None or difference.low <= 0 <= difference.high

    def _estimate(self, weights: Sequence[int]) -> Estimate:
        shuffled, resampled = self.shuffled @ np.array(weights), self.resampled @ np.array(weights)
        value = float(shuffled.mean())
        if not resampled.size:
            return Estimate(value)
        scatter = max(resampled.var(), 1e-12)
        share_of_deals = 1 - shuffled.var() * (1 - 1 / SHUFFLES) / scatter
        scale = math.sqrt(max(share_of_deals, LEAST_SHARE))
        return Estimate(value, *interval(value + (resampled - resampled.mean()) * scale, self.num_deals))


def profits_by_bidder(record: GameRecord) -> dict[str, float]:
    """Each bidder's profit in a game; the mean over its seats where it holds several."""
    profits: dict[str, list[float]] = {}
    for seat in seat_figures(record):
        profits.setdefault(seat.bidder, []).append(seat.profit)
    return {bidder: sum(made) / len(made) for bidder, made in profits.items()}


def rate(records: Sequence[GameRecord]) -> Ratings:
    """The ratings of every bidder after these games."""
    return rate_profits([profits_by_bidder(record) for record in records], deal_numbers(records))


def rate_profits(games: Sequence[Mapping[str, float]], deals: np.ndarray) -> Ratings:
    """The ratings after games that are given as {bidder: profit}.

    Args:
        deals: (games,) the deal of each game, from 0.
    """
    bidders = tuple(dict.fromkeys(bidder for game in games for bidder in game))
    places, drawn = _finishes(games, bidders)
    rng = np.random.default_rng(len(games))
    shuffles = [rng.permutation(len(games)) for _ in range(SHUFFLES)]
    times = resample(deals)
    resamples = [rng.permutation(np.repeat(np.arange(len(games)), each[deals])) for each in times]
    shuffled, resampled = (_rated(places, drawn, orders, len(bidders)) for orders in (shuffles, resamples))
    return Ratings(bidders, shuffled, resampled, times.shape[1])


def _finishes(games: Sequence[Mapping[str, float]], bidders: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    most = max((len(game) for game in games), default=1)
    places = np.full((len(games), most), -1, np.int64)
    drawn = np.zeros((len(games), most), np.int8)
    numbers = {bidder: number for number, bidder in enumerate(bidders)}
    for g, game in enumerate(games):
        best_first = sorted(game, key=lambda bidder: -game[bidder])
        places[g, : len(game)] = [numbers[bidder] for bidder in best_first]
        drawn[g, : len(game) - 1] = [game[a] == game[b] for a, b in pairwise(best_first)]
    return places, drawn


def _rated(places: np.ndarray, drawn: np.ndarray, orders: Sequence[np.ndarray], num_bidders: int) -> np.ndarray:
    padded = np.full((len(orders), max(map(len, orders), default=0)), -1, np.int64)
    for row, order in zip(padded, orders, strict=True):
        row[: len(order)] = order
    mus = np.empty((len(orders), num_bidders))
    rate_orders(places, drawn, padded, mus)
    return mus
