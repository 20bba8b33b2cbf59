"""Comparison of bidders in the same seats of the same games, rolled out in compiled code."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from aucenv.baselines.scripted.rollout import rollout
from aucenv.training.ppo.table_batch import is_compiled

from aucenv.analysis.statistics.intervals import Estimate
from aucenv.core.files import JsonObject
from aucenv.core.progress import track
from aucenv.registration import find_family
from aucenv.runs.play import play

MAX_LINEUPS = 96
"""Maximum number of lineups of a comparison; of more possible ones, so many are drawn."""
Z95 = 1.959964
EVALUATED = "bidders evaluated"
"""The name of what an evaluation counts."""


def mean_of(values: np.ndarray) -> Estimate:
    """Return the mean of independent values, (any,), with its 95% interval by the normal approximation."""
    mean = float(values.mean())
    half = Z95 * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Estimate(mean, mean - half, mean + half)


@dataclasses.dataclass(frozen=True)
class SeatGames:
    """Games in which one bidder among rivals is replaced by others.

    Attributes:
        game, scenario: The name of the game, and its scenario.
        rivals: The bidders of the other seats in order after the bidder's, one text for each; "A|B" is A or B.
        games: The number of games.
        seed: Seeds the games; game i has the seed [seed, i].
    """

    game: str
    scenario: Any
    rivals: tuple[str, ...]
    games: int
    seed: int

    def lineups(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return pairs of the bidder's seat and the rivals in the seats after it.

        Game i has pair i modulo their number.
        """
        seats = range(len(self.rivals) + 1)
        choices = [names.split("|") for names in self.rivals]
        number = len(seats) * math.prod(map(len, choices))
        if number <= MAX_LINEUPS:
            return list(itertools.product(seats, itertools.product(*choices)))
        rng = np.random.default_rng(self.seed)
        return [
            (i % len(seats), tuple(names[rng.integers(len(names))] for names in choices)) for i in range(MAX_LINEUPS)
        ]

    def scores(self, bidder: str, num_threads: int = 1) -> np.ndarray:
        """Return what a bidder earns in each game: (games,), dollars, or days in water allocation.

        Games between rule bidders and networks are played in compiled code, others one after another.

        Args:
            bidder: The bidder.
            num_threads: affects only the running time.

        Raises:
            ValueError: A bidder cannot play the scenario.
        """
        lineups = self.lineups()
        seats = len(self.rivals) + 1
        names = []
        for seat, others in lineups:
            lineup = [""] * seats
            lineup[seat] = bidder
            for position, rival in enumerate(others):
                lineup[(seat + 1 + position) % seats] = rival
            names.append(lineup)
        score = find_family(self.game).game.rules.RESULT[0]
        chosen = [lineups[i % len(lineups)][0] for i in range(self.games)]
        if all(is_compiled(self.game, name) for name in {name for lineup in names for name in lineup}):
            results = rollout(self.game, self.scenario, names, self.games, self.seed, num_threads=num_threads)[score]
            earned = results[np.arange(self.games), chosen].astype(np.float64)
            return earned / 100 if score == "profit" else earned
        records = (
            play(self.game, self.scenario, names[i % len(names)], [self.seed, i], forfeit=True)
            for i in track(range(self.games), "games")
        )
        return np.array([record.outcome["seats"][seat][score] for record, seat in zip(records, chosen, strict=True)])


def compare(seat_games: SeatGames, bidder: str, others: Sequence[str], num_threads: int = 1) -> list[JsonObject]:
    """Return what a bidder earns, and how much more than each of the others in the same seats of the same games.

    Returns:
        For the bidder and for each of the others: `bidder`, `score` (the mean), and `gain`, `low` and `high`, the mean
        of the bidder's score less the other's, with its 95% interval.
    """
    earned, *others_earned = (seat_games.scores(name, num_threads) for name in track((bidder, *others), EVALUATED))
    rows: list[JsonObject] = [{"bidder": bidder, "score": float(earned.mean())}]
    for other, scores in zip(others, others_earned, strict=True):
        gain = mean_of(earned - scores)
        rows.append(
            {"bidder": other, "score": float(scores.mean()), "gain": gain.value, "low": gain.low, "high": gain.high}
        )
    return rows
