"""Forms in CSV with which people rate residents: the empty form, the key to it, and filled forms."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from aucenv.benchmarks.studies.alympics.scales import HIGHEST, LOWEST, SCALES, describe_scales, scales_of
from aucenv.benchmarks.studies.alympics.subjects import Subject, describe, shuffled
from aucenv.benchmarks.studies.raters import Rating, files_of_form

from aucenv.core.checks import no_duplicates, suggestion
from aucenv.core.files import JsonMapping, read_text, write_atomically

NO_SCORE = "-"
"""The cell of a scale on which a resident is not rated."""
INTRODUCTION = f"""# Rating residents

Each row of the form is one resident in one game of a drought. Read its record, and write a whole number from
{LOWEST} to {HIGHEST} into the column of each scale, and if you like a reason beside it. `{NO_SCORE}` stands for no
rating: residents without a persona have none for `identity`. Leave `id` as it is. Delete rows that you do not rate.
"""


def write_form(path: Path, residents: Sequence[Subject]) -> list[Path]:
    """Write an empty form, in which residents are shuffled and no bidder is named.

    Args:
        path: the form, in CSV.
        residents: the residents.

    Returns:
        The form; the scales, NAME-scales.md beside it; and the key, NAME-key.csv, which names games and bidders.

    Raises:
        FileExistsError: one of the files exists: it may be filled in.
        ValueError: two residents have one id, because a game stands twice in the records.
    """
    no_duplicates("residents of the form", [subject.id for subject in residents])
    paths = files_of_form(path)
    lines, key = [], []
    for subject in shuffled(residents):
        rated = scales_of(subject.persona)
        cells = {name: "" if name in rated else NO_SCORE for name in SCALES}
        reasons = {f"{name}_reason": "" for name in SCALES}
        ordered = {column: {**cells, **reasons}[column] for name in SCALES for column in (name, f"{name}_reason")}
        lines.append({"id": subject.id, "persona": subject.persona, "record": describe(subject), **ordered})
        record = subject.record
        where = {"scenario": record.scenario["name"], "game": record.index, "seat": subject.seat}
        key.append({"id": subject.id, "bidder": subject.bidder, "resident": subject.name, **where})
    scales = "\n".join([INTRODUCTION, *describe_scales(tuple(SCALES)), ""])
    for file, text in zip(paths, (_to_csv(lines), scales, _to_csv(key)), strict=True):
        write_atomically(file, text)
    return paths


def _to_csv(lines: Sequence[JsonMapping]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(lines[0]) if lines else ["id"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return buffer.getvalue()


def read_form(path: Path, residents: Sequence[Subject]) -> list[Rating]:
    """Return the ratings of a filled form; the rater has the name of the file.

    Raises:
        OSError: the file cannot be read.
        ValueError: a column or a cell is missing, a cell is no score, or an id is unknown or stands twice; the message
            names file, line and column.
    """
    reader = csv.DictReader(io.StringIO(read_text(path, str(path)), newline=""), strict=True)
    known = {subject.id: subject for subject in residents}
    ratings: dict[str, Rating] = {}
    try:
        _check_columns(path, reader.fieldnames or ())
        line = reader.line_num + 1
        for row in reader:
            where = f"{path}:{line}"
            subject = known.get(row["id"] or "")
            if subject is None:
                hint = suggestion(row["id"], known)
                raise ValueError(f"{where}: id: expected the id of a resident in these games, got {row['id']!r}{hint}")
            if subject.id in ratings:
                raise ValueError(f"{where}: id: expected each resident once, got {subject.id!r} again")
            scores = {name: _score(f"{where}: {name}", row[name]) for name in scales_of(subject.persona)}
            readable = {name: score for name, score in scores.items() if score is not None}
            ratings[subject.id] = Rating(subject.id, path.stem, readable)
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path}:{reader.line_num}: expected CSV: {error}") from None
    return list(ratings.values())


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    for name in ("id", *SCALES):
        if name not in columns:
            raise ValueError(f"{path}:1: expected the column {name!r}, got {', '.join(columns) or 'an empty file'}")


def _score(where: str, cell: str | None) -> int | None:
    text = (cell or "").strip()
    if text == NO_SCORE:
        return None
    if not text.isascii() or not text.isdigit() or int(text) not in range(LOWEST, HIGHEST + 1):
        got = repr(text) if text else "an empty cell"
        raise ValueError(f"{where}: expected a whole number from {LOWEST} to {HIGHEST}, or {NO_SCORE}, got {got}")
    return int(text)
