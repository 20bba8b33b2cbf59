"""Repair a results folder with damaged files: copy it with all games and calls that are whole."""

from __future__ import annotations

import dataclasses
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aucenv.core.files import parse_object, read_all_lines, to_pretty_json
from aucenv.core.formats.folders import check_new_folder
from aucenv.runs.model_calls.calls import CALL
from aucenv.runs.records import RecordReader
from aucenv.runs.results import read_run

HEAD = re.compile(r'\{"game": ?(\d+), ?"seat": ?"(\w+)"')
"""The beginning of a line with a call: the game and the seat."""
TABLES = ("table.json", "table.md")
"""The files that a run without all of its games does not have."""


@dataclasses.dataclass(frozen=True)
class Repaired:
    """The contents of a repaired folder.

    Attributes:
        games, calls: The numbers of its games and of its calls.
        left_out: A sentence for each line that is left out.
        finished: Whether the run is finished.
    """

    games: int
    calls: int
    left_out: tuple[str, ...]
    finished: bool


def repair(folder: Path, out: Path) -> Repaired:
    """Copy a results folder into a new one, with all games and calls that are whole.

    Args:
        folder: The results folder, which is not changed.
        out: The new folder.

    Raises:
        OSError: `out` exists, the folder holds no run, or a folder cannot be read or written.
        ValueError: The `run.json` is damaged, too.
    """
    check_new_folder(out)
    if folder.resolve() in out.resolve().parents:
        raise FileExistsError(f"{out}: expected a folder outside of {folder}")
    run = read_run(folder)
    games = _Kept.of(_games(folder / "games.jsonl"))
    calls = {file.name: _Kept.of(_calls(file)) for file in sorted(folder.glob("*calls.jsonl"))}
    finished = run["finished"] is not None and not games.left_out
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        shutil.copytree(folder, partial, dirs_exist_ok=True)
        for name, kept in {"games.jsonl": games, **calls}.items():
            (partial / name).write_text("".join(kept.lines), encoding="utf-8")
        if not finished:
            (partial / "run.json").write_text(to_pretty_json({**run, "finished": None}), encoding="utf-8")
            for name in TABLES:
                (partial / name).unlink(missing_ok=True)
        partial.rename(out)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    left_out = [sentence for kept in (games, *calls.values()) for sentence in kept.left_out]
    return Repaired(len(games.lines), sum(len(kept.lines) for kept in calls.values()), tuple(left_out), finished)


@dataclasses.dataclass(frozen=True)
class _Kept:
    """The lines of a file that are kept, and a sentence for each of the others."""

    lines: list[str]
    left_out: list[str]

    @classmethod
    def of(cls, lines: Iterator[str | ValueError]) -> _Kept:
        every = list(lines)
        return cls(
            [f"{line}\n" for line in every if isinstance(line, str)],
            [str(line) for line in every if isinstance(line, ValueError)],
        )


def _games(file: Path) -> Iterator[str | ValueError]:
    """Yield each line that is a game of its own, with the error in place of one that is not."""
    reader, places = RecordReader(), dict[int, str]()
    for where, text in _texts(file):
        try:
            index = reader.parse(_checked(text), where).index
            if places.setdefault(index, where) != where:
                raise ValueError(f"{where}: game {index} again, as in {places[index]}")
            yield text
        except ValueError as error:
            yield error


def _calls(file: Path) -> Iterator[str | ValueError]:
    """Yield each line that is a call whose messages are known, with the error in place of one that is not.

    A call states how many of its messages are those of the seat's call before it, which may be damaged.
    """
    known: dict[tuple[str, str], int] = {}
    for where, text in _texts(file):
        try:
            call = CALL.check(parse_object(_checked(text), where), where)
            seat = str(call["game"]), call["seat"]
            if call["same"] > known.get(seat, 0):
                raise ValueError(f"{where}: begins with messages of a call that is left out")
        except ValueError as error:
            head = HEAD.match(str(text))
            if head is None:
                known.clear()
            else:
                known.pop((head[1], head[2]), None)
            yield error
            continue
        known[seat] = call["same"] + len(call["messages"])
        yield text


def _texts(file: Path) -> Iterator[tuple[str, str | ValueError]]:
    """Yield the lines of a file, without the zeros that the power's failure leaves, with their places.

    Lines that were appended after zeros begin behind these.
    """
    for where, line in read_all_lines(file, with_cut_off=True) if file.exists() else ():
        if isinstance(line, ValueError):
            yield where, line
            continue
        texts = [text for part in line.split("\0") if (text := part.strip())]
        yield from ((where, text) for text in texts)
        if not texts:
            yield where, ValueError(f"{where}: expected a line, got zeros")


def _checked(text: str | ValueError) -> str:
    """Return a line.

    Raises:
        ValueError: It cannot be read.
    """
    if isinstance(text, ValueError):
        raise text
    return text
