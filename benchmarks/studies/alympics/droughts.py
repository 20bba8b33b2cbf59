"""Functions shared by the studies of Alympics: its six settings, and records by setting and bidder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.benchmarks.studies.cells import bidders_of, group_by, same_in_all_seats

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.envs.water_allocation.game import PUBLISHED, SUPPLIES
from aucenv.envs.water_allocation.game import SETTINGS as SCENARIOS
from aucenv.envs.water_allocation.personas import NEUTRAL_PERSONAS
from aucenv.policy.registry import scripted_bidders
from aucenv.runs.play import Match

GAME = "water_allocation"
BIDDERS = ("thirst", "planner")
SETTINGS = {
    (scenario.supply_range, any(resident.persona for resident in scenario.residents)): name
    for name, scenario in SCENARIOS.items()
}
"""(range of the supply, whether residents have personas) -> the published setting, in the paper's order."""
NUMBERS = {name: number for number, name in enumerate(SETTINGS.values(), start=1)}
NAMES = tuple(name for name, _, _ in PUBLISHED)


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of all six settings, in each of which one bidder plays all seats."""
    return list(same_in_all_seats([(GAME, scenario) for scenario in SCENARIOS.values()], bidders, games, seed))


def setting_of(record: GameRecord) -> str | None:
    """Return the published setting of a game, or None if it has no published setting or is not over."""
    if record.game != GAME or record.outcome["status"] != "terminated":
        return None
    personas = {resident["persona"] for resident in record.scenario["residents"]} - {""}
    if personas & set(NEUTRAL_PERSONAS.values()):
        return None
    setting = SETTINGS.get((tuple(record.scenario["supply_range"]), bool(personas)))
    if setting is None or _rules(record.scenario) != _rules(SCENARIOS[setting].to_dict()):
        return None
    return setting


def _rules(scenario: JsonMapping) -> list[Any]:
    """Return the fields of a scenario that are equal in all published settings."""
    residents = [(resident["name"], resident["need"], resident["salary"]) for resident in scenario["residents"]]
    constants = ("days", "start_health", "health_cap", "over_balance", "supply_endpoint", "reframe")
    return [residents, *(scenario[name] for name in constants)]


def by_setting(records: Sequence[GameRecord]) -> dict[tuple[str, str], list[GameRecord]]:
    """Group the games of published settings by setting and bidder, with the settings in the paper's order."""
    published = [record for record in records if setting_of(record) is not None]
    cells = group_by(published, lambda record: (setting_of(record), bidders_of(record)))
    return dict(sorted(cells.items(), key=lambda cell: NUMBERS[cell[0][0]]))


def leading_columns(
    setting: str, bidder: str, played: Sequence[GameRecord] = (), games: int | None = None
) -> JsonObject:
    """Return the first columns of a row.

    Args:
        played: the games of the row; rule bidders play them as those of the same supply without personas.
        games: the number of games to state; None is that of `played`.
    """
    number, unlike = NUMBERS[setting], len(SUPPLIES)
    personas = "none" if number <= unlike else f"ignored, repeats {number - unlike}" if _by_rules(played) else "shown"
    return {
        "number": number,
        "setting": setting,
        "bidder": bidder,
        "personas": personas,
        "games": len(played) if games is None else games,
    }


def _by_rules(played: Sequence[GameRecord]) -> bool:
    """Return whether rule bidders alone have played these games."""
    rules = scripted_bidders(GAME)
    try:
        return bool(played) and all(parse_bidder(player["bidder"]).kind in rules for player in played[0].seats)
    except ValueError:  # not the name of a built-in bidder
        return False


HEAD = {
    "number setting": ("setting", "{} {}"),
    "bidder": ("bidder", "{}"),
    "personas": ("personas", "{}"),
    "games": ("games", "{}"),
}


def quarters(days: Sequence[Sequence[float]]) -> dict[str, float | None]:
    """Return the mean of all values in each quarter of the days, as quarter_1 to quarter_4; None without values.

    Args:
        days: the values of each day.
    """
    means = {}
    for quarter in range(4):
        ends = [len(days) * part // 4 for part in (quarter, quarter + 1)]
        values = [value for day in days[ends[0] : ends[1]] for value in day]
        means[f"quarter_{quarter + 1}"] = round(sum(values) / len(values), 6) if values else None
    return means
