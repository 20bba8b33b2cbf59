"""What happened in a game, as data: everything reported anywhere is computed from records."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

from aucenv.core.checks import field, one_of
from aucenv.core.files import JsonObject, parse_object

VERSION = 1
"""Of the record format; a reader exists for every older one."""


@dataclasses.dataclass(frozen=True)
class GameRecord:
    """One finished game. Amounts are dollars; a None amount is a withdrawal.

    Attributes:
        game, env_version: "english", 0.
        scenario: from which the game's `Scenario.from_dict` makes the scenario again.
        seed: of the deal and all later chance, as `numpy.random.SeedSequence` takes it.
        index: the game's number in its run.
        seats: [{seat, name, bidder}]; bidder is the policy's name; with what it noted at the end, notes, and there
            "forfeited": where and why its model could not be asked any more.
        deal: what chance and the scenario gave, hidden values included.
        decisions: [{item, round, seat, action, amount, attempts [{action, refused, kind}], notes}] in order; action is
            None where the seat ran out of tries, or forfeited.
        outcome: who got what; see the game's `report.outcome`.
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
        """One line; the same record gives the same bytes."""
        data = {"version": VERSION, **{part.name: getattr(self, part.name) for part in _FIELDS}}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str, where: str = "record") -> GameRecord:
        """The record that a line holds.

        Raises:
            ValueError: not a record, or of a version that this aucenv does not know; names `where`.
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
        seated = field(data["outcome"], "seats", list, where)
        if not len(data["seats"]) == len(field(data["deal"], "seats", list, where)) == len(seated) > 0:
            raise ValueError(f"{where}: expected as many seats in seats, deal and outcome")
        for decision in data["decisions"]:
            if not isinstance(decision, dict) or set(decision) != _DECISION:
                raise ValueError(f"{where}: decisions: expected the fields {sorted(_DECISION)}, got {decision!r:.80}")
        return cls(**data)


_KINDS = {"game": str, "env_version": int, "index": int, "seed": list, "seats": list, "decisions": list}
_DECISION = {"item", "round", "seat", "action", "amount", "attempts", "notes"}
_FIELDS = dataclasses.fields(GameRecord)

_READERS: dict[int, Callable[[JsonObject], JsonObject]] = {1: lambda data: data}
"""By version: turns a record's data into the newest version's."""
