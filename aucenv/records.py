"""What happened in a game, as data: everything reported anywhere is computed from records."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aucenv.core.checks import field, one_of
from aucenv.core.decisions import Decision
from aucenv.core.jsonl import parse_object, read_lines
from aucenv.core.money import to_dollars
from aucenv.core.table import Table
from aucenv.registration import find_family

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
    scenario: dict[str, Any]
    seed: list[int]
    index: int
    seats: list[dict[str, Any]]
    deal: dict[str, Any]
    decisions: list[dict[str, Any]]
    outcome: dict[str, Any]

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

_READERS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: lambda data: data}
"""By version: turns a record's data into the newest version's."""


def make_record(
    table: Table, seed: list[int], index: int, bidders: list[str], closing: Sequence[dict[str, Any]] = ()
) -> GameRecord:
    """The record of the game that has ended at `table`.

    Args:
        closing: what each bidder noted at the end.
    """
    report = table.game.report
    everything = table.view(0, reveal=True)
    seats = table.catalogue.seats
    return GameRecord(
        game=table.game.name,
        env_version=table.game.version,
        scenario=table.scenario.to_dict(),
        seed=seed,
        index=index,
        seats=[
            {"seat": seat, "name": name, "bidder": bidder} | ({"notes": notes} if notes else {})
            for seat, name, bidder, notes in zip(
                seats, table.catalogue.names, bidders, closing or [{}] * len(seats), strict=True
            )
        ],
        deal=report.dealt(everything),
        decisions=[_decision(decision, seats) for decision in table.decisions],
        outcome=report.outcome(everything),
    )


def _decision(decision: Decision, seats: tuple[str, ...]) -> dict[str, Any]:
    return {
        "item": decision.item,
        "round": decision.round,
        "seat": seats[decision.seat],
        "action": decision.action,
        "amount": to_dollars(decision.amount) if decision.amount >= 0 else None,
        "attempts": [dataclasses.asdict(attempt) for attempt in decision.attempts],
        "notes": decision.notes,
    }


def read_records(path: str | Path) -> Iterator[GameRecord]:
    """The records of a results folder, or of one of its `games.jsonl`.

    Raises:
        OSError: it cannot be read.
        ValueError: a line is not a record; names file and line.
    """
    path = Path(path)
    file = path / "games.jsonl" if path.is_dir() else path
    for where, line in read_lines(file):
        yield GameRecord.from_json(line, where)


def replay(record: GameRecord) -> Table:
    """Feed a record's decisions to the rules again.

    Returns:
        The table after the game.

    Raises:
        ValueError: as `retrace`, or it ends with another deal or outcome.
    """
    *_, (table, _) = retrace(record)
    for name, again in (("deal", table.game.report.dealt), ("outcome", table.game.report.outcome)):
        if again(table.view(0, reveal=True)) != getattr(record, name):
            raise ValueError(f"game {record.index}: replaying it gives another {name}")
    return table


def retrace(record: GameRecord) -> Iterator[tuple[Table, dict[str, Any] | None]]:
    """A record's game again: the table before each of its decisions, with it; at the end with None.

    Raises:
        ValueError: the rules refuse a decision; names it.
    """
    game = find_family(record.game).game
    scenario = game.load_scenario(record.scenario)
    table = Table(game, scenario, ["amount"] * len(scenario.bidders), illegal="raise")
    truncated_after = record.outcome["rounds"] if record.outcome["status"] == "truncated" else 0
    table.reset(record.seed, truncated_after)
    numbers = {seat: number for number, seat in enumerate(table.catalogue.seats)}
    for decision in record.decisions:
        where = f"game {record.index}, item {decision['item']}, round {decision['round']}, {decision['seat']}"
        if decision["seat"] not in numbers or not table.owes(numbers[decision["seat"]]):
            raise ValueError(f"{where}: expected a decision of one of {', '.join(_owing(table))}")
        yield table, decision
        amount = -1 if decision["amount"] is None else decision["amount"]
        try:
            table.submit(numbers[decision["seat"]], amount)
        except (RuntimeError, ValueError) as error:
            raise ValueError(f"{where}: {error}") from None
    yield table, None


def _owing(table: Table) -> list[str]:
    return [table.catalogue.seats[seat] for seat in table.owing] or ["nobody: the game is over"]


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as a whole: a reader, or a crash, sees the old one or the new one.

    What is no regular file (a pipe, /dev/stdout) is written to as it is.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def to_pretty_json(data: Mapping[str, Any] | list[Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
