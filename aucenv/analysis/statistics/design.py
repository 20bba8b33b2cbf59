"""The design of a run's games: their deals, and in which strata other draws of the same design have them.

Games of one deal share luck, so the units are deals, not games. The schedule, which lineups play in which settings, is
fixed: other draws have other deals in the same strata, and differences between strata are no noise.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import numpy as np

from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.runs.deals import drawn_scenario

SATURATED = 1e-9
"""A deal whose leverage is within this distance of 1 determines the model's value for itself, and has no residual."""

Deal = tuple[str, tuple[int, ...]]
"""The scenario as JSON and the seed of a game; games with both in common share a deal."""
Lineup = tuple[str, ...]
"""The labels of a game's bidders, sorted; one that has several seats occurs several times."""


def deal_numbers(records: Sequence[GameRecord]) -> np.ndarray:
    """Return the deal number of each game, from 0; see `deal_of`."""
    numbers: dict[Deal, int] = {}
    return np.array([numbers.setdefault(deal_of(record), len(numbers)) for record in records], np.int64)


def deal_of(record: GameRecord) -> Deal:
    """Return what games that share a deal have in common: the seed, and the scenario; see `drawn_scenario`."""
    return json.dumps(drawn_scenario(record.game, record.scenario), sort_keys=True), tuple(record.seed)


def lineup_of(record: GameRecord) -> Lineup:
    """Return the lineup of a game."""
    return tuple(sorted(map(seat_label, record.seats)))


@dataclasses.dataclass(frozen=True)
class Design:
    """The deals of some games, and their strata: the deals in which the same lineups play in the same setting.

    A variance is the sum over strata of n / (n - 1) times the sum of squared deviations from the mean of the stratum,
    as in stratified sampling (Cochran, "Sampling Techniques", 1977, section 5.6). A stratum of one deal has no such
    deviation. These deals are pooled, and their deviations are from a linear model in what they have in common: the
    setting and the shares of each bidder in the seats (collapsed strata with auxiliary variables; Isaki, "Variance
    Estimation Using Auxiliary Information", JASA 78, 1983). Each squared deviation is divided by one minus the leverage
    of the deal (HC2; MacKinnon and White, 1985), which is (n - 1) / n in a stratum of n deals. What a setting and the
    bidders do not explain counts as noise, so that these intervals are rather too wide.

    Attributes:
        deals: (games,) int64, the number of each game's deal, from 0.
        strata: (deals,) int64, the number of each deal's stratum, from 0.
        settings: (deals,) int64, the number of each deal's setting, from 0.
        shares: (deals, bidders) float64, the share of each bidder in the seats of the deal's games.
    """

    deals: np.ndarray
    strata: np.ndarray
    settings: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, deals: np.ndarray, lineups: Sequence[Lineup], settings: Sequence[str] | None = None) -> Design:
        """Return the design of games.

        Args:
            deals: (games,) int64, the number of each game's deal, from 0.
            lineups: the lineup of each game.
            settings: the setting of each game; None: all games have one.
        """
        size = int(deals.max(initial=-1)) + 1
        names = {name: place for place, name in enumerate(dict.fromkeys(name for each in lineups for name in each))}
        shares, numbers = np.zeros((size, len(names))), dict[str, int]()
        played: list[set[Lineup]] = [set() for _ in range(size)]
        setting_of = np.zeros(size, np.int64)
        for game, (deal, lineup) in enumerate(zip(deals.tolist(), lineups, strict=True)):
            setting_of[deal] = 0 if settings is None else numbers.setdefault(settings[game], len(numbers))
            if lineup not in played[deal]:
                played[deal].add(lineup)
                for name in lineup:
                    shares[deal, names[name]] += 1 / len(lineup)
        keys: dict[tuple, int] = {}
        strata = [
            keys.setdefault((setting, frozenset(each)), len(keys))
            for setting, each in zip(setting_of.tolist(), played, strict=True)
        ]
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1)
        return cls(deals, np.array(strata, np.int64), setting_of, shares)

    @classmethod
    def of_records(cls, records: Sequence[GameRecord]) -> Design:
        """Return the design of recorded games, whose settings are their scenarios; see `deal_of`."""
        return cls.of(
            deal_numbers(records),
            [lineup_of(record) for record in records],
            [deal_of(record)[0] for record in records],
        )

    @classmethod
    def alike(cls, num_deals: int) -> Design:
        """Return the design of deals of one stratum, with one game each."""
        zeros = np.zeros(num_deals, np.int64)
        return cls(np.arange(num_deals), zeros, zeros, np.ones((num_deals, 1)))

    @property
    def num_deals(self) -> int:
        """The number of deals."""
        return len(self.strata)

    def part(self, deals: np.ndarray) -> Design:
        """Return the design of some deals, with other numbers and without their games."""
        return Design(np.arange(len(deals)), self.strata[deals], self.settings[deals], self.shares[deals])

    def grouped(self, most: int) -> tuple[np.ndarray, Design]:
        """Join deals into groups, so that there are about `most` of them; the deals of a group are of one stratum.

        Deals that are alone in their stratum are joined with others that are.

        Returns:
            (deals,) the number of each deal's group, and the design of the groups.
        """
        if self.num_deals <= most:
            return np.arange(self.num_deals), self
        alone = np.bincount(self.strata)[self.strata] == 1
        strata = np.where(alone, -1 - self.settings, self.strata)
        order = np.lexsort((np.random.default_rng(self.num_deals).random(self.num_deals), strata))
        size = -(-self.num_deals // most)
        starts = np.concatenate([[0], np.flatnonzero(np.diff(strata[order])) + 1])
        place = np.arange(self.num_deals) - np.repeat(starts, np.diff([*starts, self.num_deals]))
        first = place % size == 0
        groups = np.empty(self.num_deals, np.int64)
        groups[order] = np.cumsum(first) - 1
        sums = np.zeros((int(first.sum()), self.shares.shape[1]))
        np.add.at(sums, groups, self.shares)
        leaders = order[first]
        labels = np.where(alone[leaders], self.strata.max() + 1 + np.arange(len(leaders)), self.strata[leaders])
        shares = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-12)
        return groups, Design(np.arange(len(leaders)), labels, self.settings[leaders], shares)

    def variance(self, influence: np.ndarray, counted: np.ndarray | None = None) -> tuple[np.ndarray, int]:
        """Return the variances of figures, and their degrees of freedom: the number of deals less that of strata.

        Args:
            influence: (deals, figures), what each deal adds to the deviation of a figure from its expectation.
            counted: (deals,) bool, the deals that contribute; None: all do.
        """
        chosen = np.flatnonzero(np.ones(self.num_deals, bool) if counted is None else counted)
        _, strata, sizes = np.unique(self.strata[chosen], return_inverse=True, return_counts=True)
        values, size = influence[chosen], sizes[strata]
        means = np.zeros((len(sizes), values.shape[1]))
        np.add.at(means, strata, values)
        several = size > 1
        deviations = (values - (means / sizes[:, None])[strata])[several]
        variances = (deviations**2 * (size / np.maximum(size - 1, 1))[several, None]).sum(axis=0)
        degrees = int(several.sum()) - int((sizes > 1).sum())
        alone = chosen[~several]
        if len(alone) < 2:  # a single deal deviates from 0, the mean over all deals
            return variances + (values[~several] ** 2).sum(axis=0), degrees
        basis = self._basis(alone)
        rest = values[~several] - basis @ (basis.T @ values[~several])
        free = 1 - (basis**2).sum(axis=1)
        has_rest = free > SATURATED
        squares = rest[has_rest] ** 2 / free[has_rest, None]
        # The variance of a deal without a residual is that of the others.
        fill = len(alone) / max(int(has_rest.sum()), 1)
        return variances + squares.sum(axis=0) * fill, degrees + len(alone) - basis.shape[1]

    def _basis(self, alone: np.ndarray) -> np.ndarray:
        """Return an orthonormal basis of the model of deals that are alone in their stratum: (deals, rank).

        The model has the shares of bidders if that leaves half the degrees of freedom.
        """
        settings = (self.settings[alone, None] == np.unique(self.settings[alone])).astype(float)
        for columns in (np.hstack([settings, self.shares[alone]]), settings, np.ones((len(alone), 1))):
            left, scale, _ = np.linalg.svd(columns, full_matrices=False)
            basis: np.ndarray = left[:, scale > 1e-9 * scale[0]]
            if 2 * basis.shape[1] <= len(alone):
                return basis
        return basis
