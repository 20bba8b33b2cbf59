"""Processes for code of tests that start at once: copies of a process that has imported the package already."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

SERVER = """
import json, os, sys, types

for module in sys.argv[1:]:
    __import__(module)
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
for number, file in enumerate(job["files"]):
    os.dup2(os.open(file, os.O_RDWR), number)
sys.stdin = open(0)
os.chdir(job["folder"])
os.environ.update(job["variables"])
sys.argv = ["-c", *job["args"]]
main = sys.modules["__main__"] = types.ModuleType("__main__")
exec(compile(job["code"], "<string>", "exec"), main.__dict__)
"""
"""A program that imports modules, and then runs each job that it reads in a copy of its process, one after another."""

PACKAGES = ("gymnasium", "numba", "pettingzoo", "rich.table", "trueskill", "typer")
"""Packages of others that most programs import."""
PLAYING = ("aucenv.play", "aucenv.cli", "aucenv.benchmarks.rankings.leaderboard", "aucenv.baselines.scripted.rollout")
"""Modules of aucenv that most programs import."""


class Forks:
    """Runs code as `python -c` does, in copies of a process that has imported modules, which saves seconds for each.

    What depends on how a process starts (what it imports, warnings of imports, signals) needs a process of its own.

    Args:
        folder: where the files of standard input, output and error are kept.
        modules: what all copies have imported.
        variables: the environment of the process, where modules read it when they are imported.
        flags: of Python's command line.
    """

    def __init__(
        self,
        folder: Path,
        modules: Iterable[str] = PLAYING,
        variables: Mapping[str, str] | None = None,
        flags: Iterable[str] = (),
    ) -> None:
        self._files = [folder / name for name in ("typed", "printed", "errors")]
        self._process = subprocess.Popen(
            [sys.executable, *flags, "-c", SERVER, *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder, env=variables,
        )  # fmt: skip

    def __enter__(self) -> Forks:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._process.communicate()

    def run(
        self, code: str, *args: str, folder: Path, typed: str = "", variables: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run code with these arguments in a folder, and return its exit status and what it prints."""
        for file, text in zip(self._files, (typed, "", ""), strict=True):
            file.write_text(text)
        files = [str(file) for file in self._files]
        job = {"code": code, "args": args, "folder": str(folder), "files": files, "variables": dict(variables or {})}
        print(json.dumps(job), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        _, printed, errors = (file.read_text() for file in self._files)
        return subprocess.CompletedProcess((code, *args), status, printed, errors)
