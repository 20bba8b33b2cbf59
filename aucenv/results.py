"""A results folder: games.jsonl, run.json, table.md, table.json.

Only this process writes it. `games.jsonl` and `table.json` hold nothing that depends on time, host or the
number of workers: same seed, same bytes.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from aucenv.records import GameRecord, to_pretty_json, write_atomically

FILES = ("games.jsonl", "run.json", "table.md", "table.json")


class ResultsFolder:
    """A folder that one run fills.

    `run.json` says which run, from the start; `finished` stays null until all of it is there. Games are appended
    and flushed as they end, and sorted by index once all have.

    Args:
        path: made if it does not exist.
        settings: what the games follow from.

    Raises:
        OSError: it cannot be written, or holds results already.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self._games = self.path / "games.jsonl"
        taken = [name for name in FILES if (self.path / name).exists()]
        if taken:
            raise FileExistsError(f"{self.path}: expected a folder without results, but there is {', '.join(taken)}")
        self._run = {"settings": dict(settings), "versions": versions(), "host": platform.node(), "started": _now()}
        self._write_run(finished=None)
        self._file = self._games.open("x", encoding="utf-8")

    def append(self, record: GameRecord) -> None:
        """Keep a finished game."""
        self._file.write(record.to_json() + "\n")
        self._file.flush()

    def finish(self, records: list[GameRecord], table: list[dict[str, Any]], markdown: str) -> None:
        """Sort the games and write the table."""
        self._file.close()
        write_atomically(self._games, "".join(record.to_json() + "\n" for record in records))
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
