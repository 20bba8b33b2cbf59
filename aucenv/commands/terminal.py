"""Terminal output of all commands: tables, a progress bar and how to resume a stopped run."""

from __future__ import annotations

import contextlib
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from unicodedata import category

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from aucenv.core.policy import ModelFailure, PolicyError
from aucenv.runs.journal import RunStopped


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar on stderr; yield its update: a function of (finished games, all games, status of calls)."""
    columns = (
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[calls]}"),
        TimeRemainingColumn(),
    )
    with contextlib.ExitStack() as stack:
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        task = progress.add_task("games", total=None, rate="", calls="")
        started: tuple[float, int] | None = None

        def advance(done: int, total: int, calls: str) -> None:
            nonlocal started
            if started is None:  # not with the context: preparations before the first game may show another bar
                stack.enter_context(progress)
                started = (time.monotonic(), done)  # the rate of a resumed run excludes its earlier games
            hours = (time.monotonic() - started[0]) / 3600
            rate = f"{(done - started[1]) / hours:,.0f}/h" if done > started[1] and hours > 0 else ""
            progress.update(task, completed=done, total=total, rate=rate, calls=calls)

        yield advance


def table_of(title: str, headings: Iterable[str], rows: Iterable[list[str]]) -> RichTable:
    """Return a terminal table; bidders are left-aligned, figures right-aligned, and headings wrap before cells do."""
    table = RichTable(*(escape(heading).replace(" ", "\n") for heading in headings), title=escape(title))
    for column in table.columns:
        column.justify = "left" if column.header == "bidder" else "right"
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


@contextlib.contextmanager
def resume_hint(out: Path | None) -> Iterator[None]:
    """Print to stderr how to resume a run in the folder `out` if it stops early; without `out`, that the run is lost.

    A run that is stopped by Ctrl-C exits with status 130, and one at its cost limit with 1. The error of a failed model
    is raised again.
    """
    try:
        yield
    except KeyboardInterrupt:
        _print_resume_command("stopped", out)
        raise typer.Exit(130) from None
    except RunStopped as stopped:
        _print_resume_command(str(stopped), out, " with a larger --max-cost" if "spent" in str(stopped) else "")
        raise typer.Exit(1) from None
    except PolicyError as error:
        if isinstance(error.__cause__, ModelFailure):
            _print_resume_command("a model cannot be called", out)
        raise


def _print_resume_command(why: str, out: Path | None, more: str = "") -> None:
    if out is not None:
        typer.echo(f"{why}; to resume{more}, run: {shlex.join(['aucenv', *sys.argv[1:]])}", err=True)
    else:
        typer.echo(f"{why}; finished games are lost, because only --out DIR saves them", err=True)


def print_safely(line: str) -> None:
    """Print text by models or users, with control characters escaped, so that they cannot affect the terminal."""
    typer.echo("".join(repr(c)[1:-1] if category(c) in CONTROL_CATEGORIES and c not in "\n\t" else c for c in line))


CONTROL_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")
"""Unicode categories of characters that are escaped."""


def check_writable(path: Path) -> None:
    """Raise OSError if a result could not be written to `path`; called before the work starts."""
    if path.is_dir() or not path.parent.is_dir():
        raise OSError(f"{path}: expected a file in an existing folder")
    if not path.exists() or path.is_file():
        try:
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass
        except OSError as error:
            raise OSError(f"{path}: cannot write to its folder: {error.strerror}") from None
