"""What HARBOR's studies share: a Master and its rivals, personas rotated among them, figures by role.

Source: HARBOR, arXiv 2502.12149: personas are rotated round-robin, so each of a set of personas sits in each seat, with
the same houses; the first seat is the Master's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.reproduce.cells import estimates

from aucenv.core.record import GameRecord
from aucenv.envs.harbor.figures import SeatFigures, seat_figures
from aucenv.envs.harbor.houses import Listing, standing_houses
from aucenv.envs.harbor.named_scenarios import DEFAULT_SCENARIO, SCENARIOS
from aucenv.envs.harbor.personas import PERSONAS
from aucenv.envs.harbor.scenario import Scenario
from aucenv.runs.play import Match

GAME = "harbor"
GAMES = 15
"""Of each condition, as published: 5 runs x 3 rotations of the personas."""
MASTER = 0
ROLES = ("master", "rival 1", "rival 2")

Figure = Callable[[SeatFigures], tuple[float, float]]
PERCENT: dict[str, Figure] = {"profit": lambda s: (0, 0) if s.profit_ratio is None else (100 * s.profit_ratio, 1)}
"""The profit ratio, in percent."""


def rotations(games: int, number: int, seed: int, mix: int = 1) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """For each game the seed of its deal, and an entry for each of so many seats: a persona, or a mix of several.

    Each drawn set of entries is dealt to the seats in all its rotations, one game after another.
    """
    for game in range(games):
        deal, turn = divmod(game, number)
        drawn = np.random.default_rng([seed, deal]).choice(len(PERSONAS), (number, mix), replace=False)
        entries = ["+".join(PERSONAS[k] for k in of_seat) for of_seat in drawn]
        yield (seed, deal), (*entries[-turn:], *entries[:-turn]) if turn else tuple(entries)


def houses_for(ids: Sequence[str], deal: tuple[int, int], each: int, number: int) -> dict[str, tuple[Listing, ...]]:
    """Evaluation houses of a deal: `each` for each of these personas, by persona; under "" others, `number` in all.

    They are the same for the same personas in any order.
    """
    rng = np.random.default_rng([*deal, 1])  # `rotations` draws from the deal's own
    pool = standing_houses("evaluation")
    kinds: dict[str, list[Listing]] = {name: [x for x in pool if x.persona == name] for name in sorted(ids)}
    kinds[""] = [x for x in pool if x.persona not in ids]
    wanted = {name: each if name else number - each * len(ids) for name in kinds}
    return {
        name: tuple(listings[int(k)] for k in rng.choice(len(listings), wanted[name], replace=False))
        for name, listings in kinds.items()
    }


def condition(name: str, entries: Sequence[str], **changes: Any) -> Scenario:
    """The evaluation scenario with these personas, one entry for each bidder, named after the condition."""
    chosen = SCENARIOS[DEFAULT_SCENARIO].changed(num_bidders=len(entries), personas=entries)
    return dataclasses.replace(chosen, name=name, **changes)


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
    """The Master's profit ratio in percent, of each game in order: the rotations of a deal follow each other."""
    profits = []
    for record in records:
        ratio = seat_figures(record)[MASTER].profit_ratio
        assert ratio is not None  # the studies' houses are worth more than their starting prices
        profits.append(round(100 * ratio, 6))
    return profits
