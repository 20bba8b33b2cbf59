"""Replay the games of a file: those of a results folder, or games that were recorded elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from aucenv.core.files import JsonMapping, JsonObject, parse_object, read_all_lines
from aucenv.core.records.record import GameRecord
from aucenv.core.records.replay_result import ReplayResult
from aucenv.registration import find_family
from aucenv.runs.records import RecordReader, records_file, replay


def replay_file(path: Path, game: str) -> Iterator[ReplayResult]:
    """Replay every game of a file or a results folder. A line that is not a recorded game gives a result with an error.

    Args:
        path: the file or the folder.
        game: the game of games that were recorded elsewhere; records of aucenv state theirs.

    Raises:
        OSError: the path cannot be read.
        ValueError: the file has no games.
    """
    module = find_family(game).game.files
    replay_game, empty = module.replay_game, True
    read_logs: Callable[[Path], Iterable[tuple[str, JsonMapping | ValueError]]]
    read_logs = getattr(module, "read_logs", lambda path: ())
    logs = () if (path / "games.jsonl").exists() else read_logs(path)
    for where, data in logs:
        yield _replayed(data, where, replay_game)
        empty = False
    if not empty:
        return
    file = records_file(path)
    reader = RecordReader()
    for where, line in read_all_lines(file):
        yield _replay_line(line, where, reader, replay_game)
        empty = False
    if empty:
        raise ValueError(f"{file}: expected a recorded game on each line, got an empty file")


def _replayed(
    data: JsonMapping | ValueError, where: str, replay_game: Callable[[JsonMapping, str], ReplayResult]
) -> ReplayResult:
    """Return the result of a recorded game of a published log."""
    try:
        if isinstance(data, ValueError):
            raise data
        return replay_game(data, where)
    except ValueError as error:
        return ReplayResult(Path(where).stem, None, None, False, None, error=str(error))


def _replay_line(
    line: str | ValueError, where: str, reader: RecordReader, replay_game: Callable[[JsonMapping, str], ReplayResult]
) -> ReplayResult:
    """Return the result of one line.

    Args:
        line: the line, or why it cannot be read.
    """
    data: JsonMapping = {}
    try:
        if isinstance(line, ValueError):
            raise line
        data = parse_object(line, where)
        return _replay_record(reader.parse(line, where), where) if "version" in data else replay_game(data, where)
    except ValueError as error:
        number = data.get("index" if "version" in data else "id")
        known = isinstance(number, (int, str)) and not isinstance(number, bool)
        return ReplayResult(number if known else None, None, None, False, None, error=str(error))


def _replay_record(record: GameRecord, where: str) -> ReplayResult:
    try:
        table = replay(record, where)
    except ValueError as error:
        return ReplayResult(record.index, None, str(error), True, None)
    return ReplayResult(record.index, {"outcome": record.outcome}, None, True, table)


def output_line(result: ReplayResult) -> JsonObject:
    """Return a game's line in the file of `aucenv replay --out`."""
    line: JsonObject = {"id": result.id, **(result.output or {"outcome": None})}
    if result.rounded:
        line["rounded"] = list(result.rounded)
    if result.error is not None:
        line["error"] = result.error
    return line
