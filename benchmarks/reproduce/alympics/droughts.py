"""What the studies of Alympics share: its six settings, and records by setting and bidder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.benchmarks.reproduce.cells import grouped, lineup_of, same_in_all_seats

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.scenario import PUBLISHED, SCENARIOS
from aucenv.runs.play import Match

GAME = "water_allocation"
BIDDERS = ("thirst", "planner")
SETTINGS = {
    (scenario.supply_range, any(resident.persona for resident in scenario.residents)): name
    for name, scenario in SCENARIOS.items()
}
"""The published settings by supply and whether residents have personas; in the paper's order, from 1."""
NUMBERS = {name: number for number, name in enumerate(SETTINGS.values(), start=1)}
NAMES = tuple(name for name, _, _ in PUBLISHED)


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Games of all six settings, all seats by the same bidder."""
    return list(same_in_all_seats([(GAME, scenario) for scenario in SCENARIOS.values()], bidders, games, seed))


def setting_of(record: GameRecord) -> str | None:
    """The published setting that a game is of; None where it is of none."""
    if record.game != GAME or record.outcome["status"] != "terminated":
        return None
    personas = any(resident["persona"] for resident in record.scenario["residents"])
    setting = SETTINGS.get((tuple(record.scenario["supply_range"]), personas))
    if setting is None or _rules(record.scenario) != _rules(SCENARIOS[setting].to_dict()):
        return None
    return setting


def _rules(scenario: JsonMapping) -> list[Any]:
    """What all settings have in common."""
    who = [(resident["name"], resident["need"], resident["salary"]) for resident in scenario["residents"]]
    return [who, *(scenario[name] for name in ("days", "start_health", "health_cap", "over_balance"))]


def by_setting(records: Sequence[GameRecord]) -> dict[tuple[str, str], list[GameRecord]]:
    """The games of each setting and bidder, settings in the paper's order."""
    ours = [record for record in records if setting_of(record) is not None]
    cells = grouped(ours, lambda record: (setting_of(record), lineup_of(record)))
    return dict(sorted(cells.items(), key=lambda cell: NUMBERS[cell[0][0]]))


def head(setting: str, bidder: str, games: int) -> JsonObject:
    """What every row begins with."""
    return {"number": NUMBERS[setting], "setting": setting, "bidder": bidder, "games": games}


HEAD = {
    "number setting": ("setting", "{} {}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
}


def quarters(days: Sequence[Sequence[float]]) -> dict[str, float | None]:
    """The mean of each quarter of the days, as quarter_1 ...: of all values of its days; None where there is none."""
    means = {}
    for quarter in range(4):
        ends = [len(days) * part // 4 for part in (quarter, quarter + 1)]
        values = [value for day in days[ends[0] : ends[1]] for value in day]
        means[f"quarter_{quarter + 1}"] = round(sum(values) / len(values), 6) if values else None
    return means
