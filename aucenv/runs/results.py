"""A results folder: games.jsonl, calls.jsonl, run.json, table.md, table.json.

One process writes it at a time. `games.jsonl` and `table.json` do not depend on time, host or number of workers: equal
seeds give identical bytes.
"""

from __future__ import annotations

import datetime
import itertools
import json
import os
import platform
from collections.abc import Collection, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from aucenv.core.checks import inside
from aucenv.core.files import JsonMapping
from aucenv.core.words.phrases import listed

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from aucenv.core.files import (
    AppendedFile,
    JsonObject,
    drop_cut_off_line,
    read_object,
    to_pretty_json,
    write_atomically,
)
from aucenv.core.formats.folders import RESULTS, check_folder
from aucenv.core.formats.schema import ANY_JSON, NONEMPTY_TEXT, TEXT, ListOf, MapOf, Object, Optional, whole
from aucenv.core.records.record import GameRecord
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.records import read_records
from aucenv.runs.run_options import RunOptions

SETTINGS = Object(
    {},
    {"game": TEXT, "study": TEXT, "format": TEXT, "games": Optional(whole(1)), "seed": whole(0, 2**63), "shard": TEXT},
    rest=ANY_JSON,
)
RUN = Object(
    {
        "settings": SETTINGS,
        "versions": Object({"aucenv": Optional(TEXT)}, rest=Optional(TEXT)),
        "host": TEXT,
        "started": TEXT,
        "finished": Optional(TEXT),
    },
    {**{name: MapOf(Object({}, rest=ANY_JSON)) for name in ("models", "people")}, "cheats": ListOf(NONEMPTY_TEXT, 1)},
)
"""The contents of run.json."""
FILES = ("games.jsonl", "calls.jsonl", "run.json", "table.md", "table.json")


def read_run(folder: Path) -> JsonObject:
    """Return the contents of the `run.json` of a results folder.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not that of a run; the message names file and field.
    """
    file = folder / "run.json"
    return RUN.check(read_object(file), str(file))


def saved_salt(folder: Path | None) -> str:
    """Return the salt of the run in a results folder; "" if it has none."""
    if folder is None or not (folder / "run.json").exists():
        return ""
    salt: str = read_run(folder)["settings"].get("guests", {}).get("salt", "")
    return salt


class ResultsFolder:
    """A folder that holds one run, which can be resumed if it was interrupted.

    `run.json` identifies the run from the start; its `finished` is null until the run is complete. Games are appended
    and flushed when they are over, and sorted by index at the end of the run. A run that is killed loses at most the
    games that were being played.

    Args:
        path: the folder; created if it does not exist.
        settings: the settings that determine the games; a folder with other settings is refused.
        run_options: how the games are played; its token prices and cost limit apply to the journal.
        must_exist: whether a folder without a run to resume is refused.
        grows: whether a run whose settings differ only in a smaller number of `games` is extended.
        writes: other files that are written into the folder; a folder without a run that has one is refused.

    Attributes:
        records: the finished games by index, including those of the interrupted run.
        journal: the model calls, including those of the interrupted run.

    Raises:
        OSError: the folder cannot be written, belongs to another command, or holds files that belong to no run.
        ValueError: the folder holds a run with other settings or of another version of aucenv, or a line that is not a
            record.
    """

    def __init__(
        self,
        path: str | Path,
        settings: JsonMapping,
        run_options: RunOptions | None = None,
        *,
        must_exist: bool = False,
        grows: bool = False,
        writes: Collection[str] = (),
    ) -> None:
        self.path = Path(path)
        self._games = self.path / "games.jsonl"
        settings = json.loads(json.dumps(settings))
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(f"{self.path}: expected a folder for results, got a file")
        self.records: dict[int, GameRecord] = {}
        self._check_files(must_exist, writes)
        self.path.mkdir(parents=True, exist_ok=True)
        self._run: JsonObject = {
            "settings": settings,
            "versions": versions(),
            "host": platform.node(),
            "started": _now(),
        }
        is_new = not self._games.exists()
        self._file = AppendedFile(self._games)
        self._lock()
        for partial in self.path.glob(".*.partial"):
            partial.unlink()  # left by an interrupted write
        try:
            if (self.path / "run.json").exists():
                self._check_same_run(settings, grows)
                self._read_games()
            else:
                self._write_run(finished=None)
            self.journal = self._open_journal(run_options or RunOptions())
        except BaseException:
            self._file.close()
            if is_new:
                self._games.unlink(missing_ok=True)
            raise

    def _check_files(self, must_exist: bool, writes: Collection[str]) -> None:
        """Raise OSError if the folder holds files of another command or of no run, or, with `must_exist`, no run."""
        check_folder(self.path, *RESULTS)
        existing = [name for name in (*FILES, *writes) if (self.path / name).exists()]
        if must_exist and "run.json" not in existing:
            raise FileNotFoundError(f"{self.path}: expected a run to resume, but there is no run.json")
        is_new = existing == ["games.jsonl"] and not self._games.stat().st_size  # of a process that starts now
        if existing and "run.json" not in existing and not is_new:
            raise FileExistsError(
                f"{self.path}: expected a new folder or a results folder, but there is {', '.join(existing)}"
            )

    def _lock(self) -> None:
        """Lock the folder against other processes for as long as the file is open."""
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = os.path.samestat(os.fstat(self._file.fileno()), self._games.stat())  # else it was just replaced
        except BlockingIOError:
            locked = False
        except OSError:  # the file system has no locks
            return
        if not locked:
            self._file.close()
            raise BlockingIOError(f"{self.path}: another process is writing to this folder")

    def _check_same_run(self, settings: JsonMapping, grows: bool) -> None:
        self._run = read_run(self.path)
        recorded, recorded_version = self._run["settings"], self._run["versions"]["aucenv"]
        if recorded_version != versions()["aucenv"]:
            raise ValueError(
                f"{self.path}: expected a run of aucenv {versions()['aucenv']}, got one of aucenv {recorded_version}"
            )
        names = changed_names(recorded, settings)
        if names == ["games"] and grows and isinstance(recorded.get("games"), int):
            self._extend(settings, recorded["games"])
        elif names:
            changes = describe_changes(recorded, settings)
            raise ValueError(f"{self.path}: expected a new folder or one of this run: {changes}")

    def _extend(self, settings: JsonMapping, recorded: int) -> None:
        """Give the run more games.

        Raises:
            ValueError: The run has more games than that.
        """
        if settings["games"] < recorded:
            raise ValueError(
                f"games: expected at least {recorded}, the number of games of the run in {self.path}, "
                f"got {settings['games']} complete games of all seat rotations"
            )
        self._run["settings"] = dict(settings)
        self._write_run(finished=None)

    def _read_games(self) -> None:
        drop_cut_off_line(self._games, "its game is played again")
        for record in read_records(self._games):
            self.records[record.index] = record

    def _open_journal(self, run_options: RunOptions) -> CallJournal:
        file = self.path / "calls.jsonl"
        if file.exists():
            drop_cut_off_line(file, "its model is called again")
        return run_options.journal(file)

    def append(self, record: GameRecord) -> None:
        """Save a finished game."""
        self._file.append(record.to_json())
        self.records[record.index] = record

    def finish(
        self,
        table: list[JsonObject],
        markdown: str,
        models: JsonMapping | None = None,
        people: JsonMapping | None = None,
    ) -> None:
        """Sort the games and write the table; run.json lists the bidders that know what is hidden from their seats.

        Args:
            table: the rows of the table.
            markdown: the table in Markdown.
            models: each bidder's use of models, by its label; it depends on time, so it is saved in run.json.
            people: how each person decided, by its label, saved there too.
        """
        self.journal.close()
        write_atomically(self.path / "table.json", to_pretty_json(table))
        write_atomically(self.path / "table.md", markdown)
        figures = {"models": models, "people": people, "cheats": cheats_of(table)}
        self._run |= {name: value for name, value in figures.items() if value}
        self._write_run(finished=_now())
        lines = (self.records[index].to_json() + "\n" for index in sorted(self.records))
        write_atomically(self._games, "".join(lines))  # last, because the new file is not locked
        self.close()

    def _write_run(self, finished: str | None) -> None:
        write_atomically(self.path / "run.json", to_pretty_json({**self._run, "finished": finished}))

    def close(self) -> None:
        """Close the files; appended games are kept."""
        try:
            self.journal.close()
        finally:
            self._file.close()


def cheats_of(table: Iterable[JsonMapping]) -> list[str]:
    """Return the bidders of a table that know what is hidden from their seats."""
    return [row["bidder"] for row in table if row.get("cheats")]


_PACKAGES = (
    "aucenv", "numpy", "numba", "pettingzoo", "gymnasium", "trueskill", "openai", "torch", "transformers", "peft",
)  # fmt: skip


def versions() -> dict[str, str | None]:
    """Return the versions of the packages that a run depends on; None for those that are not installed."""
    installed: dict[str, str | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            installed[package] = None
    return installed


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


_FILE_SETTINGS = "bidder_files"
"""The setting that has digests of the files of bidders, by bidder."""
MOST = 5
"""The largest number of changes that a message names."""
LENGTH, BEFORE = 60, 20
"""The length of a value in a message, and how much of it precedes the first difference."""

_ABSENT = object()


def changed_names(recorded: JsonMapping, given: JsonMapping) -> list[str]:
    """Return the names of the settings that differ."""
    return [name for name in {**recorded, **given} if not _same(recorded.get(name, _ABSENT), given.get(name, _ABSENT))]


def describe_changes(recorded: JsonMapping, given: JsonMapping) -> str:
    """Return what differs, with both values: `got a run with seed 0, not 1`.

    Args:
        recorded: The settings of the run.
        given: The settings of the command.
    """
    names = changed_names(recorded, given)
    files = [name for name in recorded.get(_FILE_SETTINGS, {}) if name in given.get(_FILE_SETTINGS, {})]
    files = [name for name in files if recorded[_FILE_SETTINGS][name] != given[_FILE_SETTINGS][name]]
    if "bidders" in names or files:  # files of bidders that are in one of the runs alone are no further change
        names = [name for name in names if name != _FILE_SETTINGS]
    changes = [each for name in names for each in _changes(name, recorded.get(name, _ABSENT), given.get(name, _ABSENT))]
    if len(changes) > MOST:
        changes[MOST:] = [f"{len(changes) - MOST} more"]
    parts = [f"got a run with {'; '.join(changes)}"] if changes else []
    if files:
        parts.append(f"files of {listed([repr(name) for name in files])} have changed since that run started")
    return "; ".join(parts)


def _same(recorded: Any, given: Any) -> bool:
    if recorded is _ABSENT or given is _ABSENT:
        return recorded is given
    return json.dumps(recorded) == json.dumps(given)  # in Python, true equals 1


def _changes(path: str, recorded: Any, given: Any) -> Iterator[str]:
    """Yield the differences of a setting: the innermost values that differ, each with its path."""
    if _same(recorded, given):
        return
    if isinstance(recorded, dict) and isinstance(given, dict):
        for name in {**recorded, **given}:
            yield from _changes(inside(path, name), recorded.get(name, _ABSENT), given.get(name, _ABSENT))
    elif isinstance(recorded, list) and isinstance(given, list) and len(recorded) == len(given):
        for number, (before, now) in enumerate(zip(recorded, given, strict=True)):
            yield from _changes(inside(path, number), before, now)
    elif recorded is _ABSENT:
        yield f"no {path}, not {_excerpts(given)[0]}"
    elif given is _ABSENT:
        yield f"{path} {_excerpts(recorded)[0]}, not without it"
    else:
        yield f"{path} {', not '.join(_excerpts(recorded, given))}"


def _excerpts(*values: Any) -> list[str]:
    """Return values as texts of a limited length, which begin shortly before the first difference."""
    texts = [repr(value) for value in values]
    same = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    common = len(list(same)) if len(texts) > 1 else 0
    start = max(0, common - BEFORE) if max(map(len, texts)) > LENGTH else 0
    return [
        f"{'...' * (start > 0)}{text[start : start + LENGTH]}{'...' * (len(text) > start + LENGTH)}" for text in texts
    ]
