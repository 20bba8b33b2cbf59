"""Read the games of a study from records, or from the published games of a paper."""

from __future__ import annotations

import warnings
from pathlib import Path

from aucenv.core.files import parse_object, read_lines
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
    if game is None or path.is_dir():
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
