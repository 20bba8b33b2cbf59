"""Records made, read and replayed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from aucenv.core.decisions import Decision
from aucenv.core.files import JsonObject, read_lines
from aucenv.core.money import to_dollars
from aucenv.core.record import GameRecord
from aucenv.core.table import Table
from aucenv.registration import find_family


def make_record(
    table: Table, seed: list[int], index: int, bidders: list[str], closing: Sequence[JsonObject] = ()
) -> GameRecord:
    """The record of the game that has ended at `table`.

    Args:
        closing: what each bidder noted at the end.
    """
    report = table.game.report
    everything = table.view(0, reveal=True)
    seats = table.scenario_text.seats
    return GameRecord(
        game=table.game.name,
        env_version=table.game.version,
        scenario=table.scenario.to_dict(),
        seed=seed,
        index=index,
        seats=[
            {"seat": seat, "name": name, "bidder": bidder} | ({"notes": notes} if notes else {})
            for seat, name, bidder, notes in zip(
                seats, table.scenario_text.names, bidders, closing or [{}] * len(seats), strict=True
            )
        ],
        deal=report.deal_data(everything),
        decisions=[_decision(decision, seats) for decision in table.decisions],
        outcome=report.outcome(everything),
    )


def _decision(decision: Decision, seats: tuple[str, ...]) -> JsonObject:
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
    for name, again in (("deal", table.game.report.deal_data), ("outcome", table.game.report.outcome)):
        if again(table.view(0, reveal=True)) != getattr(record, name):
            raise ValueError(f"game {record.index}: replaying it gives another {name}")
    return table


def retrace(record: GameRecord) -> Iterator[tuple[Table, JsonObject | None]]:
    """A record's game again: the table before each of its decisions, with it; at the end with None.

    Raises:
        ValueError: the rules refuse a decision; names it.
    """
    game = find_family(record.game).game
    scenario = game.load_scenario(record.scenario)
    table = Table(game, scenario, ["amount"] * len(scenario.bidders), illegal="raise")
    truncated_after = record.outcome["rounds"] if record.outcome["status"] == "truncated" else 0
    table.reset(record.seed, truncated_after)
    numbers = {seat: number for number, seat in enumerate(table.scenario_text.seats)}
    for decision in record.decisions:
        where = f"game {record.index}, item {decision['item']}, round {decision['round']}, {decision['seat']}"
        if decision["seat"] not in numbers or not table.is_pending(numbers[decision["seat"]]):
            raise ValueError(f"{where}: expected a decision of one of {', '.join(_pending(table))}")
        yield table, decision
        amount = -1 if decision["amount"] is None else decision["amount"]
        try:
            table.submit(numbers[decision["seat"]], amount)
        except (RuntimeError, ValueError) as error:
            raise ValueError(f"{where}: {error}") from None
    yield table, None


def _pending(table: Table) -> list[str]:
    return [table.scenario_text.seats[seat] for seat in table.pending] or ["nobody: the game is over"]
