"""Say in words which games a study gets in place of its games."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.outside_text import one_line
from aucenv.registration import find_family
from aucenv.runs.play import Match

MOST = 6
"""The largest number of scenarios that are listed."""


def other_games(records: Sequence[GameRecord], expected: Iterable[Match]) -> str:
    """Return which scenarios some games have, and which ones a study expects.

    Args:
        records: the games, none of which is one of the study's.
        expected: games of the study.
    """
    scenarios: dict[str, list[JsonObject]] = {}
    for match in expected:
        scenario = find_family(match.game).game.load_scenario(match.scenario)
        scenarios.setdefault(f"{match.game}, {scenario.name}", []).append(json.loads(json.dumps(scenario.to_dict())))
    played = (_described(record, scenarios) for record in records)
    return f"{_listed(played)}. Its games have the scenarios: {_listed(scenarios)}"


def _described(record: GameRecord, scenarios: JsonMapping) -> str:
    """Return the game and scenario of a record, and the fields in which it differs from the scenario of this name."""
    name = f"{record.game}, {one_line(str(record.scenario.get('name')))}"
    known = scenarios.get(name, [])
    if not known or record.scenario in known:
        return name
    changed = [field for field in known[0] if record.scenario.get(field) != known[0][field]]
    return f"{name} with other {' and '.join(changed)}"


def _listed(names: Iterable[str]) -> str:
    different = list(dict.fromkeys(names))
    more = f"; and {len(different) - MOST} more" if len(different) > MOST else ""
    return "; ".join(different[:MOST]) + more
