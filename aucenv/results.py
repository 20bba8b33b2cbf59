"""A results folder: games.jsonl, run.json, table.md, table.json.

Only this process writes it. `games.jsonl` and `table.json` hold nothing that depends on time, host or the
number of workers: same seed, same bytes.
"""

from __future__ import annotations

import datetime
import json
import platform
import warnings
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from aucenv.core.jsonl import parse_object
from aucenv.records import GameRecord, to_pretty_json, write_atomically

FILES = ("games.jsonl", "run.json", "table.md", "table.json")


class ResultsFolder:
    """A folder that one run fills, and continues if it was cut off.

    `run.json` says which run, from the start; `finished` stays null until all of it is there. Games are appended
    and flushed as they end, and sorted by index once all have: a run that is killed loses at most the games in
    flight.

    Args:
        path: made if it does not exist.
        settings: what the games follow from; a folder of other settings is refused.
        must_exist: refuse a folder without a run to continue.

    Attributes:
        records: the games that were there already, by index.

    Raises:
        OSError: it cannot be written, or holds files that are no run's.
        ValueError: it holds a run of other settings or of another aucenv, or a line that is no record.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, must_exist: bool = False) -> None:
        self.path = Path(path)
        self._games = self.path / "games.jsonl"
        settings = json.loads(json.dumps(settings))
        self.records: dict[int, GameRecord] = {}
        taken = [name for name in FILES if (self.path / name).exists()]
        if must_exist and "run.json" not in taken:
            raise FileNotFoundError(f"{self.path}: expected a run to continue, but there is no run.json")
        if taken and "run.json" not in taken:
            raise FileExistsError(f"{self.path}: expected a new folder or a run's, but there is {', '.join(taken)}")
        self.path.mkdir(parents=True, exist_ok=True)
        self._run: dict[str, Any] = {
            "settings": settings,
            "versions": versions(),
            "host": platform.node(),
            "started": _now(),
        }
        if not taken:
            self._write_run(finished=None)
        self._file = self._games.open("a", encoding="utf-8")
        self._lock()
        for partial in self.path.glob(".*.partial"):
            partial.unlink()  # of a write that was cut off
        if taken:
            try:
                self._check_same_run(settings)
                self._read_games()
            except BaseException:
                self._file.close()
                raise

    def _lock(self) -> None:
        """Keep other processes out for as long as the file is open."""
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise BlockingIOError(f"{self.path}: another process is playing into this folder") from None
        except OSError:  # a file system without locks
            pass

    def _check_same_run(self, settings: Mapping[str, Any]) -> None:
        file = self.path / "run.json"
        self._run = parse_object(file.read_text(encoding="utf-8"), str(file))
        there = self._run.get("settings")
        made_by = (self._run.get("versions") or {}).get("aucenv")
        if made_by != versions()["aucenv"]:
            raise ValueError(
                f"{self.path}: expected a run of this aucenv, {versions()['aucenv']}; there is {made_by}'s"
            )
        if there != settings:
            there = there if isinstance(there, dict) else {}
            other = [name for name in {**there, **settings} if there.get(name) != settings.get(name)]
            shown = "; ".join(f"{name} {there.get(name)!r:.60}, not {settings.get(name)!r:.60}" for name in other)
            raise ValueError(f"{self.path}: expected a new folder or this run's; there is a run with {shown}")

    def _read_games(self) -> None:
        whole = 0
        lines = self._games.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            where = f"{self._games}:{number}"
            if not line.endswith(b"\n"):
                warnings.warn(f"{where}: cut off; dropped, and its game is played again", stacklevel=3)
                with self._games.open("r+b") as file:
                    file.truncate(whole)
                return
            whole += len(line)
            record = GameRecord.from_json(line.decode("utf-8", "replace"), where)
            self.records.setdefault(record.index, record)

    def append(self, record: GameRecord) -> None:
        """Keep a finished game."""
        self._file.write(record.to_json() + "\n")
        self._file.flush()
        self.records[record.index] = record

    def finish(self, table: list[dict[str, Any]], markdown: str) -> None:
        """Sort the games and write the table."""
        self._file.close()
        lines = (self.records[index].to_json() + "\n" for index in sorted(self.records))
        write_atomically(self._games, "".join(lines))
        write_atomically(self.path / "table.json", to_pretty_json(table))
        write_atomically(self.path / "table.md", markdown)
        self._write_run(finished=_now())

    def _write_run(self, finished: str | None) -> None:
        write_atomically(self.path / "run.json", to_pretty_json({**self._run, "finished": finished}))

    def close(self) -> None:
        """Let go of the file; what was appended stays."""
        self._file.close()


def versions() -> dict[str, str | None]:
    """The versions of what a run depends on; None where it is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in ("aucenv", "numpy", "numba", "pettingzoo", "gymnasium", "trueskill"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
