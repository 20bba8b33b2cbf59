"""Compute TrueSkill ratings from records; in each game bidders are ranked by profit or by days lived."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from aucenv.analysis.metrics import scores_by_bidder
from aucenv.analysis.resampling import Estimate, deal_numbers, interval, resample
from aucenv.analysis.trueskill_kernel import rate_orders
from aucenv.core.cold_start import KernelCall, Work
from aucenv.core.record import GameRecord

SHUFFLES = 100
"""Number of random orders of the games over which a rating is averaged, because TrueSkill depends on their order."""
MIN_DEAL_SHARE = 0.1
"""Minimum share of a resample's variance that is attributed to the deals, even if the variance over orders is large."""


@dataclasses.dataclass(frozen=True)
class Ratings:
    """Ratings of all bidders.

    An interval covers the ratings that other deals could have given. Each resample is rated in one order, and such
    a rating varies more than the mean over many orders. The deviation of a resample from the mean of all resamples is
    therefore scaled down by the variance that is due to the order alone.

    Attributes:
        bidders: labels, in order of first appearance.
        shuffled: (SHUFFLES, bidders), ratings after all games in random orders.
        resampled: (RESAMPLES, bidders), ratings after resampled deals, in one random order each; NaN if the bidder
            plays in none of them.
        num_deals: number of deals in which each bidder played.
    """

    bidders: tuple[str, ...]
    shuffled: np.ndarray
    resampled: np.ndarray
    num_deals: tuple[int, ...]

    def of(self, bidder: str) -> Estimate:
        """Return a bidder's rating and its interval."""
        number = self.bidders.index(bidder)
        return self._estimate(self.shuffled[:, number], self.resampled[:, number], self.num_deals[number])

    def tied(self, bidder: str, other: str) -> bool:
        """Return whether the interval of the two ratings' difference, over the same resamples, contains 0.

        Without an interval, because fewer than MIN_DEALS deals contribute, they are not tied.
        """
        a, b = self.bidders.index(bidder), self.bidders.index(other)
        difference = self._estimate(
            self.shuffled[:, a] - self.shuffled[:, b],
            self.resampled[:, a] - self.resampled[:, b],
            min(self.num_deals[a], self.num_deals[b]),
        )
        return difference.low is not None and difference.high is not None and difference.low <= 0 <= difference.high

    def _estimate(self, shuffled: np.ndarray, resampled: np.ndarray, num_deals: int) -> Estimate:
        value = float(shuffled.mean())
        defined = resampled[~np.isnan(resampled)]
        if not defined.size:
            return Estimate(value)
        deal_share = 1 - shuffled.var() * (1 - 1 / SHUFFLES) / max(defined.var(), 1e-12)
        scale = math.sqrt(max(deal_share, MIN_DEAL_SHARE))
        return Estimate(value, *interval(value + (defined - defined.mean()) * scale, num_deals))


def rating_kernels() -> Work:
    """Return what ratings compile."""
    places, orders = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    args = (places, np.zeros((1, 1), np.int8), orders, np.zeros((1, 1)))
    return Work("", (KernelCall("aucenv.analysis.trueskill_kernel:rate_orders", args),))


def rate(records: Sequence[GameRecord]) -> Ratings:
    """Rate every bidder by these games."""
    return rate_scores([scores_by_bidder(record) for record in records], deal_numbers(records))


def rate_scores(games: Sequence[Mapping[str, float]], deals: np.ndarray) -> Ratings:
    """Rate bidders by games that are given as {bidder: score}.

    Args:
        games: the scores of each game.
        deals: (games,), the number of each game's deal, from 0.
    """
    bidders = tuple(dict.fromkeys(bidder for game in games for bidder in game))
    places, drawn = _finishing_orders(games, bidders)
    rng = np.random.default_rng(len(games))
    shuffles = [rng.permutation(len(games)) for _ in range(SHUFFLES)]
    times = resample(deals)
    resamples = [rng.permutation(np.repeat(np.arange(len(games)), row[deals])) for row in times]
    ties = np.random.default_rng((len(games), 1))
    shuffled, resampled = (
        _rate_in_orders(places, drawn, orders, len(bidders), ties) for orders in (shuffles, resamples)
    )
    played = np.zeros((times.shape[1], len(bidders)), np.int64)
    for game, deal in zip(games, deals, strict=True):
        played[deal, [bidders.index(bidder) for bidder in game]] = 1
    resampled[times @ played == 0] = np.nan
    return Ratings(bidders, shuffled, resampled, tuple(played.sum(axis=0).tolist()))


def _finishing_orders(games: Sequence[Mapping[str, float]], bidders: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    most = max((len(game) for game in games), default=1)
    places = np.full((len(games), most), -1, np.int64)
    drawn = np.zeros((len(games), most), np.int8)
    numbers = {bidder: number for number, bidder in enumerate(bidders)}
    for g, game in enumerate(games):
        cents = {bidder: round(profit * 100, 3) for bidder, profit in game.items()}  # ignore rounding errors
        best_first = sorted(game, key=lambda bidder: -cents[bidder])
        places[g, : len(game)] = [numbers[bidder] for bidder in best_first]
        drawn[g, : len(game) - 1] = [cents[a] == cents[b] for a, b in pairwise(best_first)]
    return places, drawn


def _rate_in_orders(
    places: np.ndarray, drawn: np.ndarray, orders: Sequence[np.ndarray], num_bidders: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the ratings after all games in each of the orders: (orders, bidders).

    TrueSkill passes messages between neighboring places, so that the order of tied bidders changes their ratings a
    little. It is therefore random; always the same order would favor one of them.
    """
    mus = np.empty((len(orders), num_bidders))
    places, tied = places.copy(), np.flatnonzero(drawn.any(axis=1))
    listed, groups = places[tied], np.zeros((len(tied), places.shape[1]))
    groups[:, 1:] = np.cumsum(drawn[tied, :-1] == 0, axis=1)
    for number, order in enumerate(orders):
        random_order = np.argsort(groups + rng.random(groups.shape), axis=1)
        places[tied] = np.take_along_axis(listed, random_order, axis=1)
        rate_orders(places, drawn, order[np.newaxis], mus[number : number + 1])
    return mus
