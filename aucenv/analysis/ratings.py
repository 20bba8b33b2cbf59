"""Records -> TrueSkill ratings, and who meets whom how; in each game bidders rank by profit, or days lived."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from aucenv.analysis.metrics import scores_by_bidder
from aucenv.analysis.resampling import Estimate, deal_numbers, interval, resample
from aucenv.analysis.trueskill_kernel import rate_orders
from aucenv.core.record import GameRecord

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
        resampled: (RESAMPLES, bidders), of random deals in one random order each; NaN where a bidder has none.
        num_deals: in how many each bidder sat.
    """

    bidders: tuple[str, ...]
    shuffled: np.ndarray
    resampled: np.ndarray
    num_deals: tuple[int, ...]

    def of(self, bidder: str) -> Estimate:
        number = self.bidders.index(bidder)
        return self._estimate(self.shuffled[:, number], self.resampled[:, number], self.num_deals[number])

    def tied(self, bidder: str, other: str) -> bool:
        """Whether the interval of the two ratings' difference, in the same resamples, holds 0."""
        a, b = self.bidders.index(bidder), self.bidders.index(other)
        difference = self._estimate(
            self.shuffled[:, a] - self.shuffled[:, b],
            self.resampled[:, a] - self.resampled[:, b],
            min(self.num_deals[a], self.num_deals[b]),
        )
        return difference.low is None or difference.high is None or difference.low <= 0 <= difference.high

    def _estimate(self, shuffled: np.ndarray, resampled: np.ndarray, num_deals: int) -> Estimate:
        value = float(shuffled.mean())
        drawn = resampled[~np.isnan(resampled)]
        if not drawn.size:
            return Estimate(value)
        share_of_deals = 1 - shuffled.var() * (1 - 1 / SHUFFLES) / max(drawn.var(), 1e-12)
        scale = math.sqrt(max(share_of_deals, LEAST_SHARE))
        return Estimate(value, *interval(value + (drawn - drawn.mean()) * scale, num_deals))


def rate(records: Sequence[GameRecord]) -> Ratings:
    """The ratings of every bidder after these games."""
    return rate_scores([scores_by_bidder(record) for record in records], deal_numbers(records))


def rate_scores(games: Sequence[Mapping[str, float]], deals: np.ndarray) -> Ratings:
    """The ratings after games that are given as {bidder: score}.

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
    sat = np.zeros((times.shape[1], len(bidders)), np.int64)
    for game, deal in zip(games, deals, strict=True):
        sat[deal, [bidders.index(bidder) for bidder in game]] = 1
    resampled[times @ sat == 0] = np.nan
    return Ratings(bidders, shuffled, resampled, tuple(sat.sum(axis=0).tolist()))


def _finishes(games: Sequence[Mapping[str, float]], bidders: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    most = max((len(game) for game in games), default=1)
    places = np.full((len(games), most), -1, np.int64)
    drawn = np.zeros((len(games), most), np.int8)
    numbers = {bidder: number for number, bidder in enumerate(bidders)}
    for g, game in enumerate(games):
        cents = {bidder: round(profit * 100, 3) for bidder, profit in game.items()}  # means of cents may differ in bits
        best_first = sorted(game, key=lambda bidder: -cents[bidder])
        places[g, : len(game)] = [numbers[bidder] for bidder in best_first]
        drawn[g, : len(game) - 1] = [cents[a] == cents[b] for a, b in pairwise(best_first)]
    return places, drawn


def _rated(places: np.ndarray, drawn: np.ndarray, orders: Sequence[np.ndarray], num_bidders: int) -> np.ndarray:
    padded = np.full((len(orders), max(map(len, orders), default=0)), -1, np.int64)
    for row, order in zip(padded, orders, strict=True):
        row[: len(order)] = order
    mus = np.empty((len(orders), num_bidders))
    rate_orders(places, drawn, padded, mus)
    return mus
