"""A results folder: games.jsonl, calls.jsonl, run.json, table.md, table.json.

Only this process writes it. `games.jsonl` and `table.json` hold nothing that depends on time, host or the
number of workers: same seed, same bytes.
"""

from __future__ import annotations

import datetime
import json
import platform
from importlib import metadata
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from aucenv.core.files import (
    JsonMapping,
    JsonObject,
    drop_cut_off_line,
    parse_object,
    read_lines,
    to_pretty_json,
    write_atomically,
)
from aucenv.core.record import GameRecord
from aucenv.runs.journal import CallJournal
from aucenv.runs.run_options import RunOptions

FILES = ("games.jsonl", "calls.jsonl", "run.json", "table.md", "table.json")


class ResultsFolder:
    """A folder that one run fills, and continues if it was cut off.

    `run.json` says which run, from the start; `finished` stays null until all of it is there. Games are appended
    and flushed as they end, and sorted by index once all have: a run that is killed loses at most the games in
    flight.

    Args:
        path: made if it does not exist.
        settings: what the games follow from; a folder of other settings is refused.
        run_options: how its games are played: what models' calls cost, and may cost.
        must_exist: refuse a folder without a run to continue.

    Attributes:
        records: the games that were there already, by index.
        journal: the calls of models, those that were there already too.

    Raises:
        OSError: it cannot be written, or holds files that are no run's.
        ValueError: it holds a run of other settings or of another aucenv, or a line that is no record.
    """

    def __init__(
        self,
        path: str | Path,
        settings: JsonMapping,
        run_options: RunOptions | None = None,
        *,
        must_exist: bool = False,
    ) -> None:
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
        self._run: JsonObject = {
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
        try:
            if taken:
                self._check_same_run(settings)
                self._read_games()
            self.journal = self._open_journal(run_options or RunOptions())
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

    def _check_same_run(self, settings: JsonMapping) -> None:
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
        drop_cut_off_line(self._games, "its game is played again")
        for where, line in read_lines(self._games):
            record = GameRecord.from_json(line, where)
            self.records.setdefault(record.index, record)

    def _open_journal(self, run_options: RunOptions) -> CallJournal:
        file = self.path / "calls.jsonl"
        if file.exists():
            drop_cut_off_line(file, "its model is asked again")
        return run_options.journal(file)

    def append(self, record: GameRecord) -> None:
        """Keep a finished game."""
        self._file.write(record.to_json() + "\n")
        self._file.flush()
        self.records[record.index] = record

    def finish(self, table: list[JsonObject], markdown: str, models: JsonMapping | None = None) -> None:
        """Sort the games and write the table.

        Args:
            models: what bidders asked of models, by their label; it depends on time, so it goes to run.json.
        """
        self.close()
        lines = (self.records[index].to_json() + "\n" for index in sorted(self.records))
        write_atomically(self._games, "".join(lines))
        write_atomically(self.path / "table.json", to_pretty_json(table))
        write_atomically(self.path / "table.md", markdown)
        if models:
            self._run["models"] = models
        self._write_run(finished=_now())

    def _write_run(self, finished: str | None) -> None:
        write_atomically(self.path / "run.json", to_pretty_json({**self._run, "finished": finished}))

    def close(self) -> None:
        """Let go of the files; what was appended stays."""
        try:
            self.journal.close()
        finally:
            self._file.close()


_PACKAGES = (
    "aucenv", "numpy", "numba", "pettingzoo", "gymnasium", "trueskill", "openai", "torch", "transformers", "peft",
)  # fmt: skip


def versions() -> dict[str, str | None]:
    """The versions of what a run depends on; None where it is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
