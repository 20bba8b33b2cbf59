"""Compute TrueSkill ratings from records; in each game bidders are ranked by profit or by days lived."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from aucenv.analysis.ranking.trueskill_kernel import rate_orders
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import MIN_DEALS, Estimate, with_interval
from aucenv.analysis.statistics.metrics import scores_by_bidder
from aucenv.core.compiled.cold_start import KernelCall, Work
from aucenv.core.records.record import GameRecord

SHUFFLES = 100
"""Number of random orders of the games over which a rating is averaged, because TrueSkill depends on their order."""
JACKKNIFE_DEALS = 100
"""The most deals of a jackknife: of more deals, a sample. The variance of a rating falls as one over their number."""
JACKKNIFE_RUNS, JACKKNIFE_ORDERS = 2000, 30
"""The most ratings without a deal, and the most random orders of the games in which each deal is left out."""
ROTATED_DEALS = 10
"""Number of deals whose finishing orders are rotated, one at a time, for the least variance of a rating."""
ONE_SIDED = 0.95
"""A bidder that wins, or loses, more than this share of its pairings has a rating without an interval."""
EQUAL = 1e-3
"""Ratings that differ by less are equal: the random orders of tied bidders make up to this difference."""


@dataclasses.dataclass(frozen=True)
class Ratings:
    """Ratings of all bidders.

    An interval covers the ratings that other deals of the same design could have given. Its variance is that of a
    jackknife over deals, of ratings in a few random orders of the games; what the orders add to it is subtracted
    (Efron and Stein, "The Jackknife Estimate of Variance", 1981). It is at least half of the mean square of what one
    deal with other results changes, because results that never vary in a few deals may vary in others. The variance of
    a mean over SHUFFLES orders is added.

    Attributes:
        bidders: labels, in order of first appearance.
        shuffled: (SHUFFLES, bidders), ratings after all games in random orders.
        left_out: (deals, orders, bidders), how much each deal raises each rating, in some orders of a sample of deals.
        rotated: (deals, orders, bidders), how much a rating falls if the finishing orders of a deal are rotated.
        design: of the deals of the sample.
        sampled: the share of the deals that are in the sample.
        num_deals: number of deals in which each bidder played.
        one_sided: which bidders win, or lose, more than ONE_SIDED of their pairings.
    """

    bidders: tuple[str, ...]
    shuffled: np.ndarray
    left_out: np.ndarray
    rotated: np.ndarray
    design: Design
    sampled: float
    num_deals: tuple[int, ...]
    one_sided: tuple[bool, ...]

    def of(self, bidder: str) -> Estimate:
        """Return a bidder's rating and its interval."""
        weights = np.zeros(len(self.bidders))
        weights[self.bidders.index(bidder)] = 1
        return self._estimate(weights)

    def tied(self, bidder: str, other: str) -> bool:
        """Return whether the interval of two ratings' difference contains 0; without one, whether they are equal."""
        weights = np.zeros(len(self.bidders))
        weights[self.bidders.index(bidder)] += 1
        weights[self.bidders.index(other)] -= 1
        difference = self._estimate(weights)
        if difference.low is None or difference.high is None:
            return difference.value is not None and abs(difference.value) < EQUAL
        return difference.low <= 0 <= difference.high

    def _estimate(self, weights: np.ndarray) -> Estimate:
        """Return the estimate of a sum of ratings with these weights: (bidders,)."""
        shuffled = self.shuffled @ weights
        value = float(shuffled.mean())
        chosen = np.flatnonzero(weights)
        if any(self.one_sided[b] or self.num_deals[b] < MIN_DEALS for b in chosen):
            return Estimate(value)
        left_out, turned = self.left_out @ weights, self.rotated @ weights  # (deals, orders) each
        variances, degrees = self.design.variance(left_out.mean(axis=1)[:, None])
        noise = left_out.var(axis=1, ddof=1).sum() / left_out.shape[1]
        least = (turned.mean(axis=1) ** 2).mean() / 2 * self.sampled**2
        over_deals = max((float(variances[0]) - noise) * self.sampled, least)
        over_orders = float(shuffled.var()) / (SHUFFLES - 1)
        return with_interval(value, math.sqrt(over_deals + over_orders), degrees)


def rating_kernels() -> Work:
    """Return what ratings compile."""
    places, orders = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    args = (places, np.zeros((1, 1), np.int8), orders, np.zeros((1, 1)))
    return Work("", (KernelCall("aucenv.analysis.ranking.trueskill_kernel:rate_orders", args),))


def rate(records: Sequence[GameRecord]) -> Ratings:
    """Rate every bidder by these games."""
    return rate_games([scores_by_bidder(record) for record in records], Design.of_records(records))


def rate_scores(games: Sequence[Mapping[str, float]], deals: np.ndarray) -> Ratings:
    """Rate bidders by games that are given as {bidder: score}, all of one setting.

    Args:
        games: the scores of each game.
        deals: (games,), the number of each game's deal, from 0.
    """
    return rate_games(games, Design.of(np.asarray(deals, np.int64), [tuple(sorted(game)) for game in games]))


def rate_games(games: Sequence[Mapping[str, float]], design: Design) -> Ratings:
    """Rate bidders by games that are given as {bidder: score}."""
    bidders = tuple(dict.fromkeys(bidder for game in games for bidder in game))
    places, drawn = _finishing_orders(games, bidders)
    rng = np.random.default_rng(len(games))
    shuffled = _in_orders(places, drawn, [rng.permutation(len(games)) for _ in range(SHUFFLES)], len(bidders), rng)
    played = np.zeros((design.num_deals, len(bidders)), bool)
    seated = places >= 0
    played[np.repeat(design.deals, seated.sum(axis=1)), places[seated]] = True
    sample = _sample(design)
    left_out, turned = _jackknife(places, drawn, design.deals, sample, len(bidders), rng)
    return Ratings(
        bidders,
        shuffled,
        left_out,
        turned,
        design.part(sample),
        len(sample) / max(design.num_deals, 1),
        tuple(played.sum(axis=0).tolist()),
        tuple(_one_sided(places, drawn, len(bidders)).tolist()),
    )


def _sample(design: Design) -> np.ndarray:
    """Return the deals of the jackknife: all, or every so many of those in the order of their strata."""
    size = min(design.num_deals, JACKKNIFE_DEALS)
    order = np.argsort(design.strata, kind="stable")
    return np.sort(order[np.arange(size) * design.num_deals // max(size, 1)])


def _jackknife(
    places: np.ndarray,
    drawn: np.ndarray,
    deals: np.ndarray,
    sample: np.ndarray,
    num_bidders: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return how much each deal of the sample raises each rating, and how much rotated deals lower it.

    Returns:
        `left_out` and `rotated` of `Ratings`.
    """
    number = np.full(int(deals.max(initial=-1)) + 1, -1)
    number[sample] = np.arange(len(sample))
    games = np.flatnonzero(number[deals] >= 0)
    of_deal = number[deals[games]]
    num_orders = min(JACKKNIFE_ORDERS, JACKKNIFE_RUNS // max(len(sample), 1))
    left_out = np.empty((len(sample), num_orders, num_bidders))
    turned_deals = np.arange(min(len(sample), ROTATED_DEALS)) * len(sample) // max(min(len(sample), ROTATED_DEALS), 1)
    turned = np.empty((len(turned_deals), num_orders, num_bidders))
    for k in range(num_orders):
        order = rng.permutation(len(games))
        listed, is_draw = _with_random_ties(places[games], drawn[games], rng)
        rotated, rotated_draw = _rotated(listed, is_draw)
        orders = np.where(of_deal[order] == np.arange(-1, len(sample))[:, None], -1, order)
        mus = np.empty((len(orders), num_bidders))
        rate_orders(listed, is_draw, orders, mus)
        left_out[:, k] = mus[0] - mus[1:]
        both, both_draw = np.vstack([listed, rotated]), np.vstack([is_draw, rotated_draw])
        orders = np.where(of_deal[order] == turned_deals[:, None], order + len(games), order)
        changed = np.empty((len(orders), num_bidders))
        rate_orders(both, both_draw, orders, changed)
        turned[:, k] = mus[0] - changed
    return left_out, turned


def _rotated(places: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the finishing orders with the last bidder first, which changes the place of every bidder."""
    last = np.maximum((places >= 0).sum(axis=1) - 1, 0)
    columns = np.arange(places.shape[1])
    source = np.where(columns == 0, last[:, None], columns - 1)
    moved = np.where(columns <= last[:, None], np.take_along_axis(places, source, axis=1), -1)
    ties = np.where((columns > 0) & (columns < last[:, None]), np.roll(drawn, 1, axis=1), 0)
    return moved, ties.astype(np.int8)


def _one_sided(places: np.ndarray, drawn: np.ndarray, num_bidders: int) -> np.ndarray:
    """Return which bidders win, or lose, more than ONE_SIDED of their pairings: (bidders,) bool."""
    wins, losses, pairings = np.zeros((3, num_bidders))
    ranks = np.zeros(places.shape, np.int64)
    ranks[:, 1:] = np.cumsum(drawn[:, :-1] == 0, axis=1)
    for a in range(places.shape[1]):
        for b in range(a + 1, places.shape[1]):
            met = places[:, b] >= 0
            decided = met & (ranks[:, a] < ranks[:, b])
            for seat in (a, b):
                pairings += np.bincount(places[met, seat], minlength=num_bidders)
            wins += np.bincount(places[decided, a], minlength=num_bidders)
            losses += np.bincount(places[decided, b], minlength=num_bidders)
    result: np.ndarray = np.maximum(wins, losses) > ONE_SIDED * pairings
    return result


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


def _in_orders(
    places: np.ndarray, drawn: np.ndarray, orders: Sequence[np.ndarray], num_bidders: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the ratings after all games in each of the orders: (orders, bidders)."""
    mus = np.empty((len(orders), num_bidders))
    for number, order in enumerate(orders):
        rate_orders(*_with_random_ties(places, drawn, rng), order[np.newaxis], mus[number : number + 1])
    return mus


def _with_random_ties(places: np.ndarray, drawn: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the finishing orders with tied bidders in a random order.

    TrueSkill passes messages between neighboring places, so that the order of tied bidders changes their ratings a
    little. Always the same order would favor one of them.
    """
    tied = np.flatnonzero(drawn.any(axis=1))
    listed, groups = places.copy(), np.zeros((len(tied), places.shape[1]))
    groups[:, 1:] = np.cumsum(drawn[tied, :-1] == 0, axis=1)
    random_order = np.argsort(groups + rng.random(groups.shape), axis=1)
    listed[tied] = np.take_along_axis(places[tied], random_order, axis=1)
    return listed, drawn
