"""The core install of aucenv, without a package of any extra, made of links to what is installed here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from paths import ROOT

PARTS = ("baselines", "benchmarks", "training")
"""Folders of the checkout that are packages inside of aucenv."""
SERVER = """
import json, os, signal, sys, time
import aucenv.cli, aucenv.benchmarks.studies.registry
for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.chdir(order["folder"])
        for number in (1, 2):
            os.dup2(os.open(order["printed"], os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["aucenv", *order["words"]]
        aucenv.cli.main(order["words"])
    started, pid = time.monotonic(), 0
    while not pid:
        pid, ended = os.waitpid(child, os.WNOHANG)
        took = time.monotonic() - started
        if not pid and took > order["seconds"] and (took > 120 or " needs the extra " in open(order["printed"]).readline()):
            os.killpg(child, signal.SIGKILL)
            pid, ended = os.waitpid(child, 0)
        time.sleep(0.01)
    print(os.waitstatus_to_exitcode(ended), flush=True)
"""
"""A process that runs each command line of its standard input in a child, after what they import is imported once."""


@dataclass(frozen=True)
class Ended:
    """How a command has ended.

    Attributes:
        status: The exit status; a negative number: it was stopped.
        printed: The standard output and error.
    """

    status: int
    printed: str


class CoreInstall:
    """An environment with the core, in which commands run.

    Args:
        folder: The folder of the environment.
    """

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        [site] = folder.glob("lib/python3*/site-packages")
        for name in core_packages():
            _link(name, site)
        (site / "aucenv").mkdir()
        for part in [*(ROOT / "aucenv").iterdir(), *(ROOT / name for name in PARTS)]:
            if part.name != "__pycache__":
                (site / "aucenv" / part.name).symlink_to(part)
        self.python = folder / "bin" / "python"
        self._server = subprocess.Popen(
            [self.python, "-c", SERVER],
            cwd=folder,  # not the checkout, from which Python would import aucenv
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )

    def run(self, words: list[str], folder: Path, seconds: float) -> Ended:
        """Run a command line in a folder.

        Args:
            words: The words after `aucenv`.
            folder: The folder.
            seconds: The time after which a command is stopped that has named an extra first; others have 2 minutes.
        """
        printed = folder / f"printed-{time.monotonic_ns()}.txt"
        order = {"words": words, "folder": str(folder), "printed": str(printed), "seconds": seconds}
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        status = int(self._server.stdout.readline())
        text = printed.read_text()
        printed.unlink()
        return Ended(status, text)

    def close(self) -> None:
        """End the process."""
        self._server.communicate()


def core_packages() -> Iterator[str]:
    """Yield the names of aucenv and of all packages that the core needs, in their turn."""
    waiting, known = ["aucenv"], set[str]()
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        yield name
        for text in metadata.requires(name) or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(re.sub(r"[-_.]+", "-", requirement.name).lower())


def extra_packages() -> set[str]:
    """Return the names of the packages of all extras that the core does not need."""
    named = {Requirement(text).name for text in metadata.requires("aucenv") or [] if "extra ==" in text}
    return {re.sub(r"[-_.]+", "-", name).lower() for name in named} - {*core_packages()}


def _link(name: str, site: Path) -> None:
    """Link the files of a package into a folder; of aucenv only its metadata, because its files are a checkout."""
    distribution = metadata.distribution(name)
    tops = {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}
    for top in tops:
        if name != "aucenv" or top.endswith("-info"):
            (site / top).symlink_to(Path(str(distribution.locate_file(top))).resolve())
