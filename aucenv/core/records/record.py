"""Game records: games as data, from which all figures and tables are computed."""

from __future__ import annotations

import dataclasses
import json
import operator
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from aucenv.core import hooks
from aucenv.core.checks import at, excerpt, field, one_of
from aucenv.core.files import JsonObject, parse_object
from aucenv.core.formats.schema import (
    ANY_JSON,
    BOOLEAN,
    MISFIT,
    NONEMPTY_TEXT,
    TEXT,
    ListOf,
    Object,
    Optional,
    Schema,
    Value,
    choice,
    whole,
)
from aucenv.core.state import STATUS_NAMES, TERMINATED, TRUNCATED, seat_names
from aucenv.core.words.money import ANY_DOLLARS
from aucenv.core.words.outside_text import shorten
from aucenv.core.words.phrases import count

VERSION = 1
"""The version of the record format; older versions can still be read."""

MISTAKES = ListOf(Object({"phase": TEXT, "kind": TEXT, "what": TEXT}))
NOTES = Object(
    {}, {"mistakes": MISTAKES, "rule": NONEMPTY_TEXT, "forfeited": NONEMPTY_TEXT, "cheats": BOOLEAN}, rest=ANY_JSON
)
"""Notes of a policy: those that tables of all games read, and any others."""
ATTEMPT = Object({"action": ANY_JSON, "refused": TEXT, "kind": NONEMPTY_TEXT})
DECISION = Object(
    {
        "item": whole(),
        "round": whole(),
        "seat": TEXT,
        "action": ANY_JSON,
        "amount": Optional(ANY_DOLLARS),
        "attempts": ListOf(ATTEMPT),
        "notes": NOTES,
    }
)
HEAD: dict[str, Schema] = {
    "version": whole(VERSION, VERSION),
    "game": NONEMPTY_TEXT,
    "env_version": whole(),
    "scenario": Object({"name": NONEMPTY_TEXT}, rest=ANY_JSON),
}
BODY: dict[str, Schema] = {
    "seed": ListOf(Value("a whole number of at least 0", int, least=0)),
    "index": whole(),
    "seats": ListOf(Object({"seat": TEXT, "name": NONEMPTY_TEXT, "bidder": NONEMPTY_TEXT}, {"notes": NOTES}), 1),
    "deal": Object({"seats": ListOf(ANY_JSON)}, rest=ANY_JSON),
    "decisions": ListOf(DECISION),
    "outcome": Object(
        {
            "status": choice(STATUS_NAMES[TERMINATED], STATUS_NAMES[TRUNCATED]),
            "rounds": whole(),
            "seats": ListOf(Object({}, rest=ANY_JSON)),
        },
        rest=ANY_JSON,
    ),
}
RECORD = Object({**HEAD, **BODY})
"""What all games' records have in common; a game's `record_format` describes its deal, outcome and notes."""


class UnreadDecisions(Schema):
    """Decisions that a command does not read: their fields are counted, but not checked."""

    def count_fields(self, values: Sequence[Any]) -> int:
        try:
            decisions = list(chain.from_iterable(values))
            nested = [one[name] for one in decisions for name in ("attempts", "notes") if one[name]]
            count = ANY_JSON.count_fields(nested)
            return MISFIT if count == MISFIT else count + sum(map(len, decisions))
        except (TypeError, KeyError):
            return MISFIT


@dataclasses.dataclass(frozen=True)
class GameRecord:
    """A finished game. Amounts are dollars; the amount of a withdrawal is None.

    Attributes:
        game, env_version: Such as "english" and 0.
        scenario: The scenario as data, for the game's `Scenario.from_dict`.
        seed: The seed of all randomness in the game, as `numpy.random.SeedSequence` takes it.
        index: The number of the game in its run.
        seats: [{seat, name, bidder}], where bidder is the name of the policy. A seat has "notes" if its policy returned
            any at the end; their entry "forfeited" states where and why the calls of its model failed, and "cheats"
            that its views hid nothing.
        deal: The values drawn at reset, including hidden ones.
        decisions: [{item, round, seat, action, amount, attempts [{action, refused, kind}], notes}] in order; the action
            is None if the seat exhausted its retries or forfeited.
        outcome: The result of the game; see the game's `record_format.OUTCOME`.
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

    def __repr__(self) -> str:
        scenario = self.scenario.get("name") if isinstance(self.scenario, dict) else self.scenario
        bidders = ", ".join(str(player.get("bidder")) for player in self.seats)
        parts = f"game {self.index} of {self.game}", f"scenario {scenario}", f"seed {self.seed}", f"bidders {bidders}"
        return f"<GameRecord: {shorten('; '.join(parts), 300)}; {count(len(self.decisions), 'decision')}>"

    def to_json(self) -> str:
        """Return the record as one line of JSON; equal records give identical bytes."""
        data = {"version": VERSION, **{part.name: getattr(self, part.name) for part in _FIELDS}}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    def _repr_html_(self) -> str:
        html: str = hooks.call("show", self)._repr_html_()
        return html

    @classmethod
    def from_json(cls, line: str, where: str = "record") -> GameRecord:
        """Parse a line that is a record, and check what all games' records have in common.

        `aucenv.runs.records.RecordReader` also checks the parts that depend on the game.

        Raises:
            ValueError: The line is not a record, or its version is unknown; the message names `where` and the field.
        """
        data = parse_object(line, where)
        one_of(f"{where}: version", data.get("version"), _READERS)
        data = _READERS[field(data, "version", int, where)](data)
        RECORD.check(data, where)
        return cls.from_data(data, where)

    @classmethod
    def from_data(cls, data: JsonObject, where: str, decisions: bool = True) -> GameRecord:
        """Return the record of data that fits RECORD, and check what follows from other fields in all games.

        Args:
            data: The fields of the record.
            where: The place of the record, for errors.
            decisions: Whether to check the decisions.

        Raises:
            ValueError: A value contradicts others; the message names `where` and the field.
        """
        _check_seats(data, where)
        if decisions:
            _check_decisions(data, where)
        return cls(**{part.name: data[part.name] for part in _FIELDS})


_FIELDS = dataclasses.fields(GameRecord)

_READERS: dict[int, Callable[[JsonObject], JsonObject]] = {1: lambda data: data}
"""Functions by version that convert a record's data to the newest version."""


def _check_seats(data: JsonObject, where: str) -> None:
    seats = data["seats"]
    for part in ("deal", "outcome"):
        if len(data[part]["seats"]) != len(seats):
            raise ValueError(
                f"{where}: {part}.seats: expected {len(seats)}, as in seats, got {len(data[part]['seats'])}"
            )
    for number, (player, name) in enumerate(zip(seats, seat_names(len(seats)), strict=True)):
        expect(player["seat"], name, where, f"seats[{number}].seat")


def _check_decisions(data: JsonObject, where: str) -> None:
    """Raise unless the decisions are of the record's seats and in order, one of each seat in each round."""
    decisions = data["decisions"]
    seats = {player["seat"]: number for number, player in enumerate(data["seats"])}
    rounds = list(map(operator.itemgetter("item", "round"), decisions))
    names = list(map(operator.itemgetter("seat"), decisions))
    places = list(zip(rounds, map(seats.get, names), strict=True))
    if not seats.keys() >= set(names) or not all(map(operator.lt, places, places[1:])):
        _raise_first_misplaced(decisions, seats, where)
    expect(data["outcome"]["rounds"], len(set(rounds)), where, "outcome.rounds", "from the decisions")
    for number in [j for j, one in enumerate(decisions) if one["action"] is None]:
        expect(decisions[number]["amount"], None, where, f"decisions[{number}].amount", "without an action")


def _raise_first_misplaced(decisions: Sequence[JsonObject], seats: dict[str, int], where: str) -> None:
    last = (-1, -1, -1)
    for number, one in enumerate(decisions):
        one_of(f"{where}: decisions[{number}].seat", one["seat"], seats)
        key = (one["item"], one["round"], seats[one["seat"]])
        if key <= last:
            previous, this = (f"item {item}, round {turn}, bidder_{seat}" for item, turn, seat in (last, key))
            raise ValueError(f"{where}: decisions[{number}]: expected a decision after {previous}, got {this}")
        last = key


def expect(value: object, expected: object, where: str, path: str, why: str = "") -> None:
    """Raise ValueError unless a value equals the one that follows from others.

    Args:
        value: The value in the data.
        expected: The value that follows.
        where, path: The place of the value.
        why: From what it follows, in words.
    """
    if value != expected or isinstance(value, bool) != isinstance(expected, bool):
        reason = f" {why}" if why else ""
        raise ValueError(f"{at(where, path)}: expected {excerpt(expected)}{reason}, got {excerpt(value)}")


def expect_fields(data: JsonObject, expected: JsonObject, where: str, path: str, why: str = "") -> None:
    """Raise ValueError, which names the field, unless these fields of an object equal those that follow from others."""
    for name, value in expected.items():
        expect(data[name], value, where, f"{path}.{name}", why)
