"""Game records: games as data, from which all figures and tables are computed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

from aucenv.core.checks import field, one_of
from aucenv.core.files import JsonObject, parse_object

VERSION = 1
"""The version of the record format; older versions can still be read."""


@dataclasses.dataclass(frozen=True)
class GameRecord:
    """A finished game. Amounts are dollars; the amount of a withdrawal is None.

    Attributes:
        game, env_version: Such as "english" and 0.
        scenario: The scenario as data, for the game's `Scenario.from_dict`.
        seed: The seed of all randomness in the game, as `numpy.random.SeedSequence` takes it.
        index: The number of the game in its run.
        seats: [{seat, name, bidder}], where bidder is the name of the policy. A seat has "notes" if its policy returned
            any at the end; their entry "forfeited" states where and why the calls of its model failed.
        deal: The values drawn at reset, including hidden ones.
        decisions: [{item, round, seat, action, amount, attempts [{action, refused, kind}], notes}] in order; the action
            is None if the seat exhausted its retries or forfeited.
        outcome: The result of the game; see the game's `report.outcome`.
    """

    game: str
    env_version: int
    scenario: JsonObject
    seed: list[int]
    index: int
    seats: list[JsonObject]
    deal: JsonObject
    decisions: list[JsonObject]
    outcome: JsonObject

    def to_json(self) -> str:
        """Return the record as one line of JSON; equal records give identical bytes."""
        data = {"version": VERSION, **{part.name: getattr(self, part.name) for part in _FIELDS}}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str, where: str = "record") -> GameRecord:
        """Parse a line that is a record.

        Raises:
            ValueError: The line is not a record, or its version is unknown; the message names `where`.
        """
        data = parse_object(line, where)
        version = data.pop("version", None)
        one_of(f"{where}: version", version, _READERS)
        data = _READERS[version](data)
        names = {part.name for part in _FIELDS}
        if set(data) != names:
            missing, unknown = sorted(names - set(data)), sorted(set(data) - names)
            raise ValueError(f"{where}: expected a game record; missing {missing}, unknown {unknown}")
        for part in _FIELDS:
            field(data, part.name, _KINDS.get(part.name, dict), where)
        results = field(data["outcome"], "seats", list, where)
        if not len(data["seats"]) == len(field(data["deal"], "seats", list, where)) == len(results) > 0:
            raise ValueError(f"{where}: expected as many seats in seats, deal and outcome")
        for decision in data["decisions"]:
            if not isinstance(decision, dict) or set(decision) != _DECISION:
                raise ValueError(f"{where}: decisions: expected the fields {sorted(_DECISION)}, got {decision!r:.80}")
        return cls(**data)


_KINDS = {"game": str, "env_version": int, "index": int, "seed": list, "seats": list, "decisions": list}
_DECISION = {"item", "round", "seat", "action", "amount", "attempts", "notes"}
_FIELDS = dataclasses.fields(GameRecord)

_READERS: dict[int, Callable[[JsonObject], JsonObject]] = {1: lambda data: data}
"""Functions by version that convert a record's data to the newest version."""
