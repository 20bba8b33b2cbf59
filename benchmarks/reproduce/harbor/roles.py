"""What HARBOR's studies share: a Master and its rivals, personas rotated among them, figures by role.

Source: HARBOR, arXiv 2502.12149: personas are rotated round-robin, so each of a set of personas sits in each seat with
the same houses; the first seat is the Master's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.reproduce.cells import estimates

from aucenv.analysis.harbor_figures import SeatFigures, seat_figures
from aucenv.envs.harbor.personas import PERSONAS
from aucenv.envs.harbor.scenario import DEFAULT_SCENARIO, SCENARIOS, Scenario
from aucenv.play import Match
from aucenv.records import GameRecord

GAME = "harbor"
GAMES = 15
"""Of each condition, as published: 5 runs x 3 rotations of the personas."""
MASTER = 0
ROLES = ("master", "rival 1", "rival 2")

Figure = Callable[[SeatFigures], tuple[float, float]]
PERCENT: dict[str, Figure] = {"profit": lambda s: (0, 0) if s.profit_ratio is None else (100 * s.profit_ratio, 1)}
"""The profit ratio, in percent."""


def rotations(games: int, number: int, seed: int) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """For each game the seed of its deal, and so many personas: each drawn set in all its rotations, in turn."""
    for game in range(games):
        deal, turn = divmod(game, number)
        drawn = np.random.default_rng([seed, deal]).choice(len(PERSONAS), number, replace=False)
        ids = [PERSONAS[k] for k in np.roll(drawn, turn)]
        yield (seed, deal), tuple(ids)


def condition(name: str, entries: Sequence[str], **changes: Any) -> Scenario:
    """The evaluation scenario with these personas, one entry for each bidder, named after the condition."""
    chosen = SCENARIOS[DEFAULT_SCENARIO].changed(num_bidders=len(entries), personas=entries, **changes)
    return dataclasses.replace(chosen, name=name)


def condition_of(study: str) -> Callable[[GameRecord], str | None]:
    """What gives the condition of a study's game, without the study's name; None of other games."""

    def find(record: GameRecord) -> str | None:
        name = record.scenario["name"]
        return name.removeprefix(f"{study}: ") if record.game == GAME and name.startswith(f"{study}: ") else None

    return find


def of_study(records: Sequence[GameRecord], study: str) -> list[GameRecord]:
    return [record for record in records if condition_of(study)(record) is not None]


def numbered(matches: Iterator[tuple[Scenario, Sequence[str], tuple[int, int]]]) -> list[Match]:
    """Matches of (scenario, bidders, seed), in order."""
    return [Match(GAME, scenario, tuple(who), seed, index) for index, (scenario, who, seed) in enumerate(matches)]


def by_role(records: Sequence[GameRecord], figures: Mapping[str, Figure]) -> dict[str, float | None]:
    """Each figure of each of ROLES, as `profit_0`, `profit_0_low`, ..."""
    found: dict[str, float | None] = {}
    for seat in range(len(ROLES)):
        of_seat = estimates(records, {f"{name}_{seat}": figure for name, figure in figures.items()}, seat)
        found.update(of_seat)
    return found


def master_profits(records: Sequence[GameRecord]) -> list[float]:
    """The Master's profit ratio of each game, in percent."""
    ratios = (seat_figures(record)[MASTER].profit_ratio for record in records)
    return [round(100 * ratio, 6) for ratio in ratios if ratio is not None]
