"""Mutants: plausible faults, one at a time in a copy of this checkout, each of which a test has to kill.

`python tests/mutants.py` tries the mutants of `mutants.toml`, without compiled kernels. For each it prints the room, the
name, the first test that fails and the seconds; it exits with 1 if a mutant survives, and with 2 if one cannot be tried:
its text is not in its file exactly once, or its tests fail without it, too. A mutant that survives shows what no test
proves, or changes nothing that anybody could notice: then another one has to take its place.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from paths import ROOT

MUTANTS = Path(__file__).with_suffix(".toml")
COPIED = ("aucenv", "baselines", "benchmarks", "training", "tests", "docs", "examples", "README.md", "pyproject.toml")
INSTALLED = ("baselines", "benchmarks", "training")
"""The folders that are installed inside the package."""
SECONDS = 600
"""After how long the tests of a mutant count as failed: the mutant never ends."""
NO_END = "no end"
ENVIRONMENT = {"NUMBA_DISABLE_JIT": "1", "HYPOTHESIS_PROFILE": "unshrunk", "COLUMNS": "200"}
PASSED, FAILED, INTERRUPTED = 0, 1, 2  # the exit codes of pytest; an error in an import is an interruption
FIRST_FAILURE = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


class MutantError(ValueError):
    """A mutant cannot be tried."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A fault.

    Attributes:
        room: What it is in: rules, views, text, records, runs or commands.
        name: What is wrong with it.
        file: The file, relative to the checkout.
        old, new: The text that it replaces, which stands in the file once, and what replaces it.
        tests: The files of the tests that have to kill it.
        select: Which of these tests, as pytest's option -k; "": all.
    """

    room: str
    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    select: str = ""

    def applied(self, root: Path) -> str:
        """Return the contents of the file with the fault.

        Raises:
            MutantError: The file is not there, or does not have the text exactly once.
        """
        path = root / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else None
        times = 0 if text is None else text.count(self.old)
        if text is None or times != 1:
            problem = "there is no such file" if text is None else f"it is there {times} times"
            raise MutantError(f"{self}: expected {self.old!r} once in {self.file}, but {problem}")
        missing = [test for test in self.tests if not (root / test).is_file()]
        if missing:
            raise MutantError(f"{self}: expected files of tests, but there is no {', '.join(missing)}")
        return text.replace(self.old, self.new)

    def __str__(self) -> str:
        return f"{self.room}, {self.name}"


@dataclasses.dataclass(frozen=True)
class Result:
    """What became of a mutant: the first test that failed, "" if none did, and how long it took."""

    mutant: Mutant
    killed_by: str
    seconds: float

    def __str__(self) -> str:
        test = self.killed_by or "SURVIVES"
        return f"{self.mutant.room:<9} {self.mutant.name:<77} {self.seconds:6.1f} s  {test}"


def load_mutants(path: Path = MUTANTS) -> list[Mutant]:
    """Return the mutants of a file, whose tables are rooms with the mutants by name."""
    rooms = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Mutant(room, name, **{**fields, "tests": tuple(fields["tests"])})
        for room, mutants in rooms.items()
        for name, fields in mutants.items()
    ]


class Copy:
    """A copy of the checkout, in which the package is laid out as it is installed, so that it is what tests import.

    It knows which tests pass in it.
    """

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.folder = folder
        for name in filter(lambda name: (root / name).exists(), COPIED):
            if (root / name).is_dir():
                shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(root / name, folder / name)
        for name in filter(lambda name: (folder / name).exists(), INSTALLED):
            (folder / "aucenv" / name).symlink_to(folder / name)
        self._sound = {"", NO_END}

    def try_out(self, mutant: Mutant) -> Result:
        """Return which test kills a mutant.

        Raises:
            MutantError: It cannot be tried, or that test fails without it, too.
        """
        path, fault = self.folder / mutant.file, mutant.applied(self.folder)
        text, started = path.read_text(encoding="utf-8"), time.monotonic()
        write_source(path, fault)
        try:
            failed = self._first_failure(mutant, [*mutant.tests, *(["-k", mutant.select] if mutant.select else [])])
        finally:
            write_source(path, text)
        seconds = time.monotonic() - started
        if failed not in self._sound:
            if self._first_failure(mutant, [failed]):
                raise MutantError(f"{mutant}: expected tests that pass without it, but {failed} fails")
            self._sound.add(failed)
        return Result(mutant, failed, seconds)

    def _first_failure(self, mutant: Mutant, arguments: Sequence[str]) -> str:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(self.folder), **ENVIRONMENT}
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return NO_END
        if done.returncode == PASSED:
            return ""
        match = FIRST_FAILURE.search(done.stdout)
        if done.returncode not in (FAILED, INTERRUPTED) or match is None:
            raise MutantError(
                f"{mutant}: pytest {' '.join(arguments)} ends with {done.returncode}:\n{done.stdout[-999:]}"
            )
        return match[1]


def write_source(path: Path, text: str) -> None:
    """Write a file without its bytecode, which Python would take for that of any text of this size and second."""
    path.write_text(text, encoding="utf-8")
    for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*"):
        bytecode.unlink()


def try_all(mutants: Sequence[Mutant], jobs: int = 1, root: Path = ROOT) -> Iterator[Result | MutantError]:
    """Yield what became of each mutant, in order, with this number of copies."""
    copies: SimpleQueue[Copy] = SimpleQueue()

    def try_out(mutant: Mutant) -> Result | MutantError:
        copy = copies.get()
        try:
            return copy.try_out(mutant)
        except MutantError as error:
            return error
        finally:
            copies.put(copy)

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as threads:
        for number in range(jobs):
            place = Path(folder) / str(number)
            place.mkdir()
            copies.put(Copy(place, root))
        yield from threads.map(try_out, mutants)


def chosen_mutants(rooms: Sequence[str], words: Sequence[str], path: Path = MUTANTS) -> list[Mutant]:
    """Return the mutants of these rooms whose names have one of these words; of all rooms, or with any name, if empty."""
    mutants = load_mutants(path)
    known = list(dict.fromkeys(mutant.room for mutant in mutants))
    for room in rooms:
        if room not in known:
            raise MutantError(f"--room: expected one of {', '.join(known)}, got {room!r}")
    chosen = [mutant for mutant in mutants if not rooms or mutant.room in rooms]
    chosen = [mutant for mutant in chosen if not words or any(word in mutant.name for word in words)]
    if not chosen:
        raise MutantError(f"--only: expected a part of a mutant's name, got {', '.join(words)!r}")
    return chosen


def main(arguments: Sequence[str] | None = None, path: Path = MUTANTS, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(description="Try whether the tests kill each mutant.")
    parser.add_argument("--room", action="append", default=[], help="only mutants of this room; repeatable")
    parser.add_argument("--only", action="append", default=[], help="only mutants with this in their name; repeatable")
    parser.add_argument("--jobs", type=int, default=1, help="how many at the same time")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args(arguments)
    results, errors = [], []
    try:
        chosen = chosen_mutants(options.room, options.only, path)
        for mutant in chosen:
            mutant.applied(root)  # all at once, before the first one takes its time
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2
    for result in try_all(chosen, options.jobs, root):
        (errors if isinstance(result, MutantError) else results).append(result)
        print(result, flush=True)
    survive = [result for result in results if not result.killed_by]
    print(f"{len(results) - len(survive)} of {len(chosen)} mutants are killed, {len(survive)} survive", flush=True)
    if options.json is not None:
        fields = [
            {**dataclasses.asdict(each.mutant), "killed_by": each.killed_by, "seconds": each.seconds}
            for each in results
        ]
        options.json.write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")
    return 2 if errors else 1 if survive else 0


if __name__ == "__main__":
    sys.exit(main())
