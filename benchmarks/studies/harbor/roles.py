"""Functions shared by HARBOR's studies: a Master and its rivals, rotated personas, and figures by role.

Source: HARBOR, arXiv 2502.12149. Personas are rotated round-robin, so that each persona of a set plays in each seat
with the same houses. The first seat is the Master's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.studies.cells import estimates

from aucenv.core.records.record import GameRecord
from aucenv.envs.harbor.figures import SeatFigures, seat_figures
from aucenv.envs.harbor.game import DEFAULT_SCENARIO, SCENARIOS, HarborScenario
from aucenv.envs.harbor.houses.house import Listing, fixed_houses
from aucenv.envs.harbor.houses.personas import PERSONAS
from aucenv.runs.play import Match

GAME = "harbor"
GAMES = 15
"""Games of each condition, as published: 5 runs x 3 rotations of the personas."""
MASTER = 0
ROLES = ("master", "rival 1", "rival 2")

Figure = Callable[[SeatFigures], tuple[float, float]]
PERCENT: dict[str, Figure] = {"profit": lambda s: (0, 0) if s.profit_ratio is None else (100 * s.profit_ratio, 1)}
"""The profit ratio, in percent, as numerator and denominator."""


def rotations(games: int, number: int, seed: int, mix: int = 1) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """Yield for each game the seed of its deal, and a persona, or a mix of personas, for each seat.

    Each drawn set of personas is assigned to the seats in all rotations, in consecutive games of one deal.

    Args:
        number: the number of seats.
        mix: the number of personas of each seat, joined by `+`.
    """
    for game in range(games):
        deal, turn = divmod(game, number)
        drawn = np.random.default_rng([seed, deal]).choice(len(PERSONAS), (number, mix), replace=False)
        entries = ["+".join(PERSONAS[k] for k in personas) for personas in drawn]
        yield (seed, deal), (*entries[-turn:], *entries[:-turn]) if turn else tuple(entries)


def houses_for(ids: Sequence[str], deal: tuple[int, int], each: int, number: int) -> dict[str, tuple[Listing, ...]]:
    """Return the evaluation houses of a deal by persona; "" has the houses that match none of the personas.

    They do not depend on the order of the personas.

    Args:
        ids: the personas.
        each: the number of houses for each persona.
        number: the total number of houses.
    """
    rng = np.random.default_rng([*deal, 1])  # `rotations` draws from `deal`
    pool = fixed_houses("evaluation")
    kinds: dict[str, list[Listing]] = {name: [x for x in pool if x.persona == name] for name in sorted(ids)}
    kinds[""] = [x for x in pool if x.persona not in ids]
    counts = {name: each if name else number - each * len(ids) for name in kinds}
    return {
        name: tuple(listings[int(k)] for k in rng.choice(len(listings), counts[name], replace=False))
        for name, listings in kinds.items()
    }


def condition(name: str, entries: Sequence[str], **changes: Any) -> HarborScenario:
    """Return the evaluation scenario with these personas, one entry for each bidder, named after the condition."""
    chosen = SCENARIOS[DEFAULT_SCENARIO].changed(num_bidders=len(entries), personas=entries)
    return dataclasses.replace(chosen, name=name, **changes)


def condition_of(study: str) -> Callable[[GameRecord], str | None]:
    """Return a function that returns the condition of a game of the study, or None for other games."""

    def find(record: GameRecord) -> str | None:
        name = record.scenario["name"]
        return name.removeprefix(f"{study}: ") if record.game == GAME and name.startswith(f"{study}: ") else None

    return find


def study_records(records: Sequence[GameRecord], study: str) -> list[GameRecord]:
    return [record for record in records if condition_of(study)(record) is not None]


def number_matches(matches: Iterator[tuple[HarborScenario, Sequence[str], tuple[int, int]]]) -> list[Match]:
    """Return the matches of (scenario, bidders, seed), with their indices in order."""
    return [
        Match(GAME, scenario, tuple(bidders), seed, index) for index, (scenario, bidders, seed) in enumerate(matches)
    ]


def figures_by_role(records: Sequence[GameRecord], figures: Mapping[str, Figure]) -> dict[str, float | None]:
    """Return each figure of each role with its interval, under the keys `profit_0`, `profit_0_low`, ..."""
    by_role: dict[str, float | None] = {}
    for seat in range(len(ROLES)):
        intervals = estimates(records, {f"{name}_{seat}": figure for name, figure in figures.items()}, seat)
        by_role.update(intervals)
    return by_role


def master_profits(records: Sequence[GameRecord]) -> list[float]:
    """Return the Master's profit ratio in percent, for each game in order; rotations of one deal are consecutive."""
    profits = []
    for record in records:
        ratio = seat_figures(record)[MASTER].profit_ratio
        assert ratio is not None  # the values of the studies' houses exceed their starting prices
        profits.append(round(100 * ratio, 6))
    return profits
