"""Terminal output of all commands: the games of a run, how to resume a stopped run, and text from outside."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

import typer

from aucenv.core.notices import Notice, informed_by
from aucenv.core.policy import ModelFailure, PolicyError
from aucenv.core.progress import Task, doing
from aucenv.core.words.bidder_name import parse_bidder, public_name
from aucenv.core.words.outside_text import escape_controls, one_line
from aucenv.core.words.phrases import listed
from aucenv.runs.model_calls.cost_limit import DROP_LIMIT, RAISE_LIMIT
from aucenv.runs.model_calls.journal import RunStopped

LOG_SECONDS = 10.0
"""The most seconds between two lines about the progress of a command, if stderr is no terminal."""


@contextlib.contextmanager
def running(
    out: Path | None, unit: str = "games", also_kept: Callable[[], Sequence[str]] = tuple
) -> Iterator[Callable[[int, int, str], None]]:
    """Show the progress of a run, and if it stops early, how many games are kept and how to resume it.

    A run that is stopped by Ctrl-C exits with status 130, and one at its cost limit with 1. The error of a failed
    model, or of a full disk, is raised again.

    Args:
        out: The results folder; without one, the games of a stopped run are lost.
        unit: What the run counts.
        also_kept: Returns what the folder keeps besides games, such as "137 calls".

    Yields:
        A function of the number of finished games, the number of all games and the status of calls.
    """
    games = (0, 0)
    with contextlib.ExitStack() as stack:
        started: Task | None = None

        def advance(done: int, total: int, calls: str) -> None:
            nonlocal started, games
            games = (done, total)
            if started is None:  # not with the context: preparations before the first game may show another task
                started = stack.enter_context(doing(unit, total, done))
            started.update(done, total, calls)

        try:
            yield advance
        except BaseException as error:
            stack.close()  # the message follows the bar
            _explain_stop(error, out, *games, unit, also_kept())
            raise


def _explain_stop(
    error: BaseException, out: Path | None, done: int, total: int, unit: str, also_kept: Sequence[str]
) -> None:
    """Print why a run stopped and how to resume it; raise the exit status if the error needs no further message."""
    if isinstance(error, KeyboardInterrupt):
        why, way_out, status = "stopped", "", 130
    elif isinstance(error, RunStopped):
        why, way_out, status = str(error), error.way_out, 1
    elif isinstance(error, PolicyError) and isinstance(error.__cause__, ModelFailure):
        why, way_out, status = "a model cannot be called", "", None
    elif isinstance(error, OSError) and error.strerror and total:
        why, way_out, status = error.strerror.lower(), "", None
    else:
        return
    games = f"{done} of {total} {unit}" if total else f"all {unit} so far"
    if out is None and not total:
        print_safely(f"{why}; nothing is kept, because only --out DIR keeps {unit}", err=True)
    elif out is None and not done:
        print_safely(f"{why}; no {unit.removesuffix('s')} is finished", err=True)
    elif out is None:
        print_safely(f"{why}; {games} are lost, because only --out DIR keeps them", err=True)
    else:
        kept = listed([games, *also_kept])
        print_safely(f"{why}; {kept} are kept in {out}; to resume{_how_to_resume(way_out)}", err=True)
    if status is not None:
        raise typer.Exit(status) from None


def _how_to_resume(way_out: str) -> str:
    """Return the command that resumes a run, as the end of "to resume"."""
    arguments = [public_name(argument) for argument in sys.argv[1:]]
    if way_out in (RAISE_LIMIT, DROP_LIMIT):
        arguments = _without_option(arguments, "--max-cost")
    before = f" {way_out}, " if way_out else ", "
    if way_out == RAISE_LIMIT:
        arguments += ["--max-cost", "DOLLARS"]
        before += "put a number in place of DOLLARS and "
    return f"{before}run: {shlex.join(['aucenv', *arguments])}"


def _without_option(arguments: Sequence[str], option: str) -> list[str]:
    """Return the arguments of a command without an option that has a value."""
    left = iter(arguments)
    kept = []
    for argument in left:
        if argument == option:
            next(left, None)
        elif not argument.startswith(f"{option}="):
            kept.append(argument)
    return kept


COMPUTING = {"judge-greedy", "llm", "py", "rlact", "rlact-smollm2"}
"""Kinds of bidders that may play thousands of games for a decision, in compiled code."""


def computes(bidders: Iterable[str]) -> bool:
    """Return whether one of these bidders may need compiled code."""
    return any(parse_bidder(name).kind in COMPUTING for name in bidders)


def run_uncompiled() -> None:
    """Run kernels as Python code in this process: slower games, but the first one starts at once.

    It has no effect after the first import of numba.
    """
    if "numba" not in sys.modules:
        os.environ["NUMBA_DISABLE_JIT"] = "1"


def terminal_width(stream: TextIO) -> int | None:
    """Return the number of columns of the terminal that `stream` writes to; None for a file or a pipe."""
    if not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    except OSError:
        return DEFAULT_WIDTH


def print_safely(line: str, err: bool = False) -> None:
    """Print a line with text from outside, in which invisible characters are escaped; tabs remain."""
    typer.echo(escape_controls(line).replace("\n", "\\n"), err=err)


MOST_LINES = 20
"""The largest number of lines that `print_first` prints."""


def print_first(lines: Sequence[str], err: bool) -> None:
    """Print the first lines, as `print_safely` does, and how many more there are."""
    for line in lines[:MOST_LINES]:
        print_safely(line, err=err)
    if len(lines) > MOST_LINES:
        print_safely(f"and {len(lines) - MOST_LINES:,} more", err=err)


@contextlib.contextmanager
def one_line_notices() -> Iterator[None]:
    """Print each `Notice`, and what `inform` says, as one line in this context.

    A notice is without the place in the code that other warnings name, and no error where all warnings are errors.
    """
    format_warning = warnings.formatwarning

    def format_notice(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
    ) -> str:
        if issubclass(category, Notice):
            return f"aucenv: {one_line(str(message))}\n"
        return format_warning(message, category, filename, lineno, line)

    with warnings.catch_warnings(), informed_by(lambda line: print_safely(f"aucenv: {line}", err=True)):
        warnings.simplefilter("default", Notice)
        warnings.formatwarning = format_notice
        try:
            yield
        finally:
            warnings.formatwarning = format_warning


DEFAULT_WIDTH = 80
"""Number of columns of a terminal that does not report it."""


RECORDED = ("games.jsonl", "calls.jsonl", "run.json")
"""Names of files that only a run writes."""


JSON_ROWS = re.compile(rb'\[\]|\[\n  \{\n    "|\{\n  "')
CSV_ROWS = re.compile(rb"\w[^\n]*,")
IMAGE = re.compile(rb"\x89PNG|\xff\xd8|RIFF|II\*|MM|%PDF|%!PS|<\?xml|<svg")
PAGE = re.compile(rb"<!doctype html>", re.IGNORECASE)
"""The beginnings of the files that a command may write again: those of --json, of --csv, figures and pages."""


def check_writable(path: Path, option: str = "--out", again: re.Pattern[bytes] | None = None) -> None:
    """Raise OSError if a result could not be written to `path`; called before the work starts.

    Args:
        path: The file.
        option: The option that names it, for the error.
        again: The beginning of existing files that are replaced, because the command has written them; None replaces
            no file. A file behind a link is always replaced.
    """
    if path.name in RECORDED and path.exists():
        raise FileExistsError(f"{option}: expected a file other than the records of a run, got {str(path)!r}")
    if path.is_dir() or not path.parent.is_dir():
        raise OSError(f"{option}: expected a file in an existing folder, got {str(path)!r}")
    if not path.exists() or path.is_file():
        try:
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass
        except OSError as error:
            raise OSError(f"{option}: cannot write {str(path)!r}: {error.strerror}") from None
    if path.is_file() and not path.is_symlink() and path.stat().st_size:  # who makes a link means its file
        with path.open("rb") as file:
            begins = file.read(1000)
        if again is None or not again.match(begins):
            expected = "a new file" if again is None else "a new file, or one that this command has written"
            raise FileExistsError(f"{option}: expected {expected}, got {str(path)!r}")
