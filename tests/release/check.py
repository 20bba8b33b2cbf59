"""Build the release, and install it with each extra and each version of Python in a new environment.

`python tests/release/check.py [--python VERSION ...] [--extra EXTRA ...]` copies the files that git tracks, builds an
sdist, and from it a wheel, in a folder outside of the checkout. It checks both with twine, looks into them, and then
installs the wheel and runs a command that needs the extra. Extras with PyTorch are installed with the first version of
Python alone, because each other one would download a build of several gigabytes; uv resolves them. With all versions
and extras, the table is written to docs/about/versions.md. The exit status is 1 if anything fails.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from smoke import CORE, SMOKE, TORCH

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "about" / "versions.md"
VERSIONS = ("3.11", "3.12", "3.13")
LIMIT = 12_000_000
"""The largest size of a file of the release, in bytes."""
SECONDS = 3600
HEAD = """# Python versions and extras

`make release-check` builds the wheel, installs it in a new environment for each cell, with the versions of `constraints.txt`, and
runs a command that needs the extra. "Resolved": pip would find versions that fit together; PyTorch for these versions of
Python is several gigabytes, and was not installed.

"""


class Failure(Exception):
    """A step has failed; the message names it, and shows the end of its output."""


def run(command: list[str], cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a command, and return its output.

    Raises:
        Failure: it fails, or takes longer than SECONDS.
    """
    try:
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)[:100]}: not finished after {SECONDS} s") from None
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines()
        lines = [line for line in lines if line.startswith("ERROR")] or lines  # pip also prints warnings
        raise Failure(f"{' '.join(command)[:100]}: {' / '.join(lines[-4:])[:400]}")
    return done.stdout


@dataclass(frozen=True)
class Release:
    """The built files, and the tools that look at them.

    Attributes:
        folder: A temporary folder outside of the checkout.
    """

    folder: Path

    @property
    def wheel(self) -> Path:
        [wheel] = (self.folder / "dist").glob("*.whl")
        return wheel

    @property
    def sdist(self) -> Path:
        [sdist] = (self.folder / "dist").glob("*.tar.gz")
        return sdist

    @property
    def tools(self) -> Path:
        return self.folder / "tools" / "bin"

    def build(self) -> None:
        """Build the sdist, and the wheel from it, from the tracked files and no others."""
        source = self.folder / "source"
        for name in run(["git", "ls-files", "-z"], ROOT).split("\0"):
            if name and (ROOT / name).is_file():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, source / name)
        run([sys.executable, "-m", "venv", "--upgrade-deps", str(self.tools.parent)], self.folder)
        run([str(self.tools / "pip"), "install", "--quiet", "build", "twine", "uv"], self.folder)
        run(
            [str(self.tools / "python"), "-m", "build", "--outdir", str(self.folder / "dist"), str(source)], self.folder
        )

    def check(self) -> list[str]:
        """Return what is wrong with the files."""
        problems = []
        try:
            run([str(self.tools / "twine"), "check", "--strict", str(self.wheel), str(self.sdist)], self.folder)
        except Failure as failure:
            problems.append(str(failure))
        for file in (self.wheel, self.sdist):
            print(f"{file.name}: {file.stat().st_size:,} bytes", flush=True)
            if file.stat().st_size > LIMIT:
                problems.append(f"{file.name}: {file.stat().st_size:,} bytes, more than {LIMIT:,}")
        with zipfile.ZipFile(self.wheel) as archive:
            inside = set(archive.namelist())
        problems += [f"{self.wheel.name}: {name} is missing" for name in sorted(expected_files() - inside)]
        problems += [f"{self.wheel.name}: {name} does not belong in it" for name in sorted(inside) if not belongs(name)]
        with tarfile.open(self.sdist) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
        needed = ("pyproject.toml", "README.md", "LICENSE", "THIRD_PARTY.md", "aucenv/cli.py")
        problems += [f"{self.sdist.name}: {name} is missing" for name in needed if name not in names]
        return problems


FOLDERS = ("aucenv", "baselines", "benchmarks", "training")
"""Folders of the checkout that the package consists of; those other than aucenv are packages inside of it."""
DATA = re.compile(r"\.(py|pyi|typed|json|toml|yaml|md|txt|js|css|safetensors|jinja)$")
NOT_PACKAGED = ("benchmarks/SPEED.md",)


def expected_files() -> set[str]:
    """Return the files that the wheel must have: all tracked files of the package's folders."""
    names = [name for name in run(["git", "ls-files", *FOLDERS], ROOT).splitlines() if name not in NOT_PACKAGED]
    return {name if name.startswith("aucenv/") else f"aucenv/{name}" for name in names if DATA.search(name)}


def belongs(name: str) -> bool:
    """Return whether a file may be in the wheel."""
    own = name.startswith("aucenv/") and DATA.search(name) is not None and "__pycache__" not in name
    return own or re.match(r"aucenv-[^/]+\.dist-info/", name) is not None


OF_THIS_SHELL = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR")
"""Environment variables that are not set where the package is tried: kernels are cached where users find them."""


@dataclass(frozen=True)
class Cell:
    """An extra with a version of Python."""

    extra: str
    version: str
    release: Release

    @property
    def name(self) -> str:
        return f"extra {self.extra}, Python {self.version}"

    def result(self) -> tuple[bool, str]:
        """Return whether the extra works, and the entry of the table."""
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="aucenv-release-") as folder:
            try:
                if self.extra in TORCH and self.version != VERSIONS[0]:
                    self._resolve(Path(folder))
                    return True, "resolved"
                self._install(Path(folder))
            except Failure as failure:
                return False, f"fails: {failure}"
        return True, f"works ({time.perf_counter() - start:.0f} s)"

    @property
    def _requirement(self) -> str:
        extra = "" if self.extra == CORE else f"[{self.extra}]"
        return f"aucenv{extra} @ {self.release.wheel.as_uri()}"

    def _resolve(self, folder: Path) -> None:
        (folder / "requirements.in").write_text(self._requirement)
        uv = [str(self.release.tools / "uv"), "pip", "compile", "--quiet", "--python-version", self.version]
        run([*uv, "--constraint", str(ROOT / "constraints.txt"), "requirements.in"], folder)

    def _install(self, folder: Path) -> None:
        home = folder / "environment"
        run([interpreter(self.version), "-m", "venv", "--upgrade-deps", str(home)], folder)
        pip = [str(home / "bin" / "pip"), "--quiet"]
        run([*pip, "install", "--no-compile", "--constraint", str(ROOT / "constraints.txt"), self._requirement], folder)
        environment = {
            **{name: value for name, value in os.environ.items() if name not in OF_THIS_SHELL},
            "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "NUMBA_OPT": "1",
            "OMP_NUM_THREADS": "1",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        for command in SMOKE[self.extra]:
            run([str(home / "bin" / command[0]), *command[1:]], folder, environment)
        run([*pip, "uninstall", "--yes", "aucenv"], folder)
        for left in home.glob("lib/python*/site-packages/aucenv"):
            raise Failure(f"pip uninstall leaves {next((file for file in left.rglob('*.*') if file.is_file()), left)}")


def interpreter(version: str) -> str:
    """Return the path of a version of Python.

    Raises:
        Failure: it is not installed.
    """
    on_path = shutil.which(f"python{version}")
    candidates = [on_path] if on_path else []
    candidates += [str(path) for path in Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    for candidate in candidates:
        if subprocess.run([candidate, "-c", "import venv"], capture_output=True).returncode == 0:
            return candidate
    raise Failure(f"Python {version} is not installed: no python{version} on the path, and none of pyenv")


def extras() -> list[str]:
    """Return the core and all extras of pyproject.toml.

    Raises:
        Failure: there is no command that checks one of them.
    """
    with (ROOT / "pyproject.toml").open("rb") as file:
        names = [CORE, *tomllib.load(file)["project"]["optional-dependencies"]]
    if missing := set(names) - set(SMOKE):
        raise Failure(f"tests/release/check.py: expected a command in SMOKE for the extra {', '.join(sorted(missing))}")
    return names


def table(results: Mapping[tuple[str, str], str], names: Iterable[str], versions: Iterable[str]) -> str:
    """Return the results as a table in Markdown."""
    lines = [f"| extra | {' | '.join(f'Python {version}' for version in versions)} |"]
    lines.append("|---|" + "---|" * len(list(versions)))
    for name in names:
        cells = [results[name, version].replace("|", "&#124;") for version in versions]
        lines.append(f"| {name if name == CORE else f'`{name}`'} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Check the release."""
    names = extras()
    parser = argparse.ArgumentParser(description="Build the release, and install it with each extra and Python.")
    parser.add_argument("--python", action="append", choices=VERSIONS, help="only this version; repeat for several")
    parser.add_argument("--extra", action="append", choices=names, help="only this extra; repeat for several")
    parser.add_argument("--jobs", type=int, default=2, help="environments at a time")
    chosen = parser.parse_args()
    versions, some = chosen.python or VERSIONS, chosen.extra or names
    with tempfile.TemporaryDirectory(prefix="aucenv-release-") as folder:
        release = Release(Path(folder))
        release.build()
        problems = release.check()
        cells = [Cell(extra, version, release) for extra in some for version in versions]
        results = {}
        with ThreadPoolExecutor(chosen.jobs) as pool:
            for cell, (works, entry) in zip(cells, pool.map(Cell.result, cells), strict=True):
                print(f"{cell.name}: {entry}", flush=True)
                results[cell.extra, cell.version] = entry
                if not works:
                    problems.append(f"{cell.name}: {entry}")
    text = table(results, some, versions)
    print(text)
    if not chosen.python and not chosen.extra:
        PAGE.write_text(HEAD + text)
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
