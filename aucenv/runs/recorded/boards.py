"""Boards of recorded games."""

from __future__ import annotations

from collections.abc import Iterator

from aucenv.core.boards.board import Board
from aucenv.core.play.table import Table
from aucenv.core.records.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.records import replay, retrace


def boards_of(record: GameRecord, seat: int | None = None) -> Iterator[Board]:
    """Yield the board before each round of a recorded game, and that of its end.

    Args:
        record: The game.
        seat: The seat that looks; None: everything.

    Raises:
        ValueError: The record contradicts the rules.
    """
    draw = find_family(record.game).game.board.board
    for table in rounds_of(record):
        yield draw(table.view(seat or 0, reveal=seat is None))


def rounds_of(record: GameRecord) -> Iterator[Table]:
    """Yield the table before each round of a recorded game, and after the game.

    Raises:
        ValueError: The record contradicts the rules.
    """
    last = None
    for table, decision in retrace(record):
        place = None if decision is None else (decision["item"], decision["round"])
        if place is None or place != last:
            yield table
        last = place


def prices_of(record: GameRecord) -> list[float | None]:
    """Return the price of each closed item in the order of sale; None for one that is not sold."""
    board = find_family(record.game).game.board.board(replay(record).view(0, reveal=True))
    if board.items:
        facts = [{fact.label: fact.cell.value for fact in item.facts} for item in board.items if item.state == "closed"]
        return [_number(each.get("price")) for each in facts]
    tables = [table for table in board.tables if any(column.label == "price" for column in table.columns)]
    if not tables:
        return []
    place = [column.label for column in tables[0].columns].index("price")
    return [_number(entry[place].value) for entry in tables[0].entries]


def _number(value: str | float | None) -> float | None:
    return None if isinstance(value, str) else value
