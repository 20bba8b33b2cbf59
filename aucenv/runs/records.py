"""Create, read and replay game records."""

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
    """Create the record of the finished game at `table`.

    Args:
        table: the table after the game.
        seed: the seed of the game.
        index: the game's number in its run.
        bidders: the name of the policy in each seat.
        closing: the notes of each seat at the end of the game; an empty dict for none.
    """
    report = table.game.report
    full_view = table.view(0, reveal=True)
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
        deal=report.deal_data(full_view),
        decisions=[_decision(decision, seats) for decision in table.decisions],
        outcome=report.outcome(full_view),
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
    """Yield the records of a results folder or of a `games.jsonl`.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not a record; the message names file and line.
    """
    for where, line in read_lines(games_file(path)):
        yield GameRecord.from_json(line, where)


def games_file(path: str | Path) -> Path:
    """Return the file of records: the `games.jsonl` of a results folder, or the path itself."""
    path = Path(path)
    return path / "games.jsonl" if path.is_dir() else path


def replay(record: GameRecord) -> Table:
    """Replay a record's decisions, and check that they lead to its deal and outcome.

    Returns:
        The table after the game.

    Raises:
        ValueError: as in `retrace`, or the deal or outcome differs from the record's.
    """
    *_, (table, _) = retrace(record)
    for name, compute in (("deal", table.game.report.deal_data), ("outcome", table.game.report.outcome)):
        if compute(table.view(0, reveal=True)) != getattr(record, name):
            raise ValueError(f"game {record.index}: the replay leads to another {name}")
    return table


def retrace(record: GameRecord) -> Iterator[tuple[Table, JsonObject | None]]:
    """Replay a record step by step.

    Yields:
        The table before each decision, and this decision; finally the table after the game, and None.

    Raises:
        ValueError: the rules refuse a decision; the message names it.
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
            raise ValueError(f"{where}: expected a decision of one of {', '.join(_pending_seats(table))}")
        yield table, decision
        amount = -1 if decision["amount"] is None else decision["amount"]
        try:
            table.submit(numbers[decision["seat"]], amount)
        except (RuntimeError, ValueError) as error:
            raise ValueError(f"{where}: {error}") from None
    yield table, None


def _pending_seats(table: Table) -> list[str]:
    return [table.scenario_text.seats[seat] for seat in table.pending] or ["nobody: the game is over"]
