"""Read the games of a study from records, or from the published games of a paper."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path

from aucenv.core.files import JsonObject, parse_object, read_lines
from aucenv.core.notices import Notice
from aucenv.core.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.records import RecordReader, make_record, read_records


def read_games(path: Path, game: str | None) -> list[GameRecord]:
    """Return the records of a results folder or of a games.jsonl.

    Args:
        game: if given, the file may also hold published games of this game, as `aucenv replay` reads them. A warning
            names each of their bids that is rounded to whole cents.

    Raises:
        OSError: the path cannot be read.
        ValueError: a line is neither a record nor a published game, or the replay of a published game differs from it.
            The message names file and line.
    """
    logs = [] if game is None else list(getattr(find_family(game).game.replay, "read_logs", lambda path: [])(path))
    if logs and not (path / "games.jsonl").exists():
        return [_of_log(str(game), where, data, number) for number, (where, data) in enumerate(logs)]
    if game is None or path.is_dir() or not path.exists():
        return list(read_records(path))
    records: list[GameRecord] = []
    reader = RecordReader()
    for where, line in read_lines(path):
        data = parse_object(line, where)
        if "version" in data:
            records.append(reader.parse(line, where))
            continue
        replayed = find_family(game).game.replay.replay_game(data, where)
        if replayed.difference is not None:
            raise ValueError(f"{where}: {replayed.difference}")
        for note in replayed.rounded:
            warnings.warn(f"{where}: {note}", Notice, stacklevel=2)
        names = ["recorded"] * replayed.table.num_seats
        records.append(make_record(replayed.table, [], len(records), names))
    return records


def _of_log(game: str, where: str, data: JsonObject | ValueError, number: int) -> GameRecord:
    """Return the record of a published session, of which only bids and winners are taken.

    Where the recorded price or profits are not those of the rules, the rules count; `aucenv replay` shows both.
    Sessions may have the same values; each counts as a deal of its own, because its bids are another draw.
    """
    if isinstance(data, ValueError):
        raise data
    rounds = [{name: played[name] for name in ("values", "common", "bids", "winner")} for played in data["rounds"]]
    replayed = find_family(game).game.replay.replay_game({**data, "rounds": rounds}, where)
    record = make_record(replayed.table, [], number, [data["bidder"]] * replayed.table.num_seats)
    return dataclasses.replace(record, seed=[number])
