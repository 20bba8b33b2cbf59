"""What the commands share on the terminal: tables, a progress bar, the end after Ctrl-C."""

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
    """A bar on stderr; gives the function that tells it: games done, games in all, what models were asked."""
    columns = (
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[asked]}"),
        TimeRemainingColumn(),
    )
    with contextlib.ExitStack() as shown:
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        task = progress.add_task("games", total=None, rate="", asked="")
        started: tuple[float, int] | None = None

        def advance(done: int, total: int, asked: str) -> None:
            nonlocal started
            if started is None:  # what is made ready before the first game may show a bar of its own
                shown.enter_context(progress)
                started = (time.monotonic(), done)  # of a run that goes on, not what was done before
            hours = (time.monotonic() - started[0]) / 3600
            rate = f"{(done - started[1]) / hours:,.0f}/h" if done > started[1] and hours > 0 else ""
            progress.update(task, completed=done, total=total, rate=rate, asked=asked)

        yield advance


def table_of(title: str, headings: Iterable[str], rows: Iterable[list[str]]) -> RichTable:
    """A table on the terminal: the bidder on the left, figures on the right; headings break before cells do."""
    table = RichTable(*(escape(heading).replace(" ", "\n") for heading in headings), title=escape(title))
    for column in table.columns:
        column.justify = "left" if column.header == "bidder" else "right"
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


@contextlib.contextmanager
def going_on_later(out: Path | None) -> Iterator[None]:
    """Where a run ends before its end, by Ctrl-C, its limit of cost or a model's failure: say how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        _how_to_go_on("stopped", out)
        raise typer.Exit(130) from None
    except RunStopped as end:
        _how_to_go_on(str(end), out, ", with a larger --max-cost" if "spent" in str(end) else "")
        raise typer.Exit(1) from None
    except PolicyError as error:
        if isinstance(error.__cause__, ModelFailure):
            _how_to_go_on("a model cannot be asked", out)
        raise


def _how_to_go_on(why: str, out: Path | None, more: str = "") -> None:
    if out is not None:
        typer.echo(f"{why}; this goes on with it{more}: {shlex.join(['aucenv', *sys.argv[1:]])}", err=True)
    else:
        typer.echo(f"{why}; with --out DIR the games that have ended would have been kept", err=True)


def say(line: str) -> None:
    """Print what models and people wrote: without the control characters that a terminal would obey."""
    typer.echo("".join(repr(c)[1:-1] if category(c) in OBEYED and c not in "\n\t" else c for c in line))


OBEYED = ("Cc", "Cs", "Zl", "Zp")


def check_writable(path: Path) -> None:
    """Fail before the work, not after it, where a result could not be written."""
    if path.is_dir() or not path.parent.is_dir():
        raise OSError(f"{path}: expected a file in an existing folder")
    if not path.exists() or path.is_file():
        try:
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass
        except OSError as error:
            raise OSError(f"{path}: its folder cannot be written: {error.strerror}") from None
