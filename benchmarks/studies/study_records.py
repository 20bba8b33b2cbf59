"""Read the games of a study from records, or from the published games of a paper."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from aucenv.core.files import JsonObject, parse_object, read_lines
from aucenv.core.notices import Notice
from aucenv.core.records.record import GameRecord
from aucenv.core.records.replay_result import ReplayResult
from aucenv.core.words.phrases import count
from aucenv.envs.single_item.files import EXPERIMENTS, has_experiments
from aucenv.registration import find_family
from aucenv.runs.records import RecordReader, make_record, read_records


def read_games(path: Path, games: Sequence[str] = ()) -> list[GameRecord]:
    """Return the records of a results folder or of a games.jsonl.

    Args:
        games: Games whose published games the path may hold instead, as `aucenv replay` reads them; a file of JSON
            lines holds those of the first one. A warning names each of their bids that is rounded to whole cents, and
            the number of those without values, which are left out.

    Raises:
        OSError: The path cannot be read.
        ValueError: A line is neither a record nor a published game, or the replay of a published game differs from it.
            The message names file and line.
    """
    if not (path / "games.jsonl").exists() and (logs := list(_logs(path, games))):
        return _with_values(path, [_of_log(*log, number) for number, log in enumerate(logs)])
    if not games or path.is_dir() or not path.exists():
        return list(read_records(path))
    read: list[tuple[GameRecord, bool]] = []
    reader = RecordReader()
    for where, line in read_lines(path):
        data = parse_object(line, where)
        if "version" in data:
            read.append((reader.parse(line, where), True))
            continue
        replayed = find_family(games[0]).game.files.replay_game(data, where)
        if replayed.difference is not None:
            raise ValueError(f"{where}: {replayed.difference}")
        for note in replayed.rounded:
            warnings.warn(f"{where}: {note}", Notice, stacklevel=2)
        read.append(_record(replayed, len(read), "recorded"))
    return _with_values(path, read)


def read_logs(path: Path, games: Sequence[str]) -> list[GameRecord]:
    """Return the records of the games' published logs in a folder; there may be none.

    Raises:
        OSError: A file cannot be read.
        ValueError: The folder has no experiment of any game, or as in `read_games`.
    """
    if not has_experiments(path):
        raise ValueError(f"--set logs={path}: expected folders of experiments such as private_first_price, got none")
    return _with_values(path, [_of_log(*log, number) for number, log in enumerate(_logs(path, games))])


def _logs(path: Path, games: Sequence[str]) -> Iterator[tuple[str, str, JsonObject | ValueError]]:
    """Yield the game, the place and the recorded game of each published log; of an experiment's folder, its game's."""
    folder = (path.parent if path.is_file() else path).resolve().name
    of_folder = [game for game in games if folder in EXPERIMENTS.get(game, ())]
    for game in of_folder or games:
        read_logs = getattr(find_family(game).game.files, "read_logs", lambda path: ())
        yield from ((game, where, data) for where, data in read_logs(path))


def _of_log(game: str, where: str, data: JsonObject | ValueError, number: int) -> tuple[GameRecord, bool]:
    """Return the record of a published session, and whether it has values.

    Where the price or the profits of a round are not those of the rules, the rules count; `aucenv replay` shows both.
    Sessions may have the same values; each counts as a deal of its own, because its bids are another draw.
    """
    if isinstance(data, ValueError):
        raise data
    if "rounds" in data:
        kept = ("values", "common", "bids", "winner")
        data = {**data, "rounds": [{name: played[name] for name in kept} for played in data["rounds"]]}
    replayed = find_family(game).game.files.replay_game(data, where)
    if not replayed.table.over:
        raise ValueError(f"{where}: {replayed.difference}")
    record, has_values = _record(replayed, number, data["bidder"])
    return dataclasses.replace(record, seed=[number]), has_values


def _record(replayed: ReplayResult, number: int, bidder: str) -> tuple[GameRecord, bool]:
    record = make_record(replayed.table, [], number, [bidder] * replayed.table.num_seats)
    return record, replayed.has_values


def _with_values(path: Path, read: Sequence[tuple[GameRecord, bool]]) -> list[GameRecord]:
    """Return the records of games whose values are recorded.

    Raises:
        ValueError: No game has values.
    """
    records = [record for record, has_values in read if has_values]
    if read and not records:
        raise ValueError(
            f"{path}: expected games with the values of their bidders, got {count(len(read), 'game')} without"
        )
    if len(records) < len(read):
        missing = f"{len(read) - len(records)} of {count(len(read), 'game')}"
        warnings.warn(f"{path}: {missing} have no values, and are left out", Notice, stacklevel=3)
    return records
