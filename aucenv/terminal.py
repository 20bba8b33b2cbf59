"""What the commands share on the terminal: tables, a progress bar, the end after Ctrl-C."""

from __future__ import annotations

import contextlib
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr; gives the function that tells it how many games of how many are done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("games", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def table_of(title: str, headings: Iterable[str], rows: Iterable[list[str]]) -> RichTable:
    """A table on the terminal: the bidder on the left, figures on the right; headings break before cells do."""
    table = RichTable(*(heading.replace(" ", "\n") for heading in headings), title=escape(title))
    for column in table.columns:
        column.justify = "left" if column.header == "bidder" else "right"
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


def stop(out: Path | None) -> NoReturn:
    """End after Ctrl-C, and say how to go on."""
    if out is not None:
        typer.echo(f"stopped; this goes on with it: {shlex.join(['aucenv', *sys.argv[1:]])}", err=True)
    else:
        typer.echo("stopped; with --out DIR the games that have ended would have been kept", err=True)
    raise typer.Exit(130)


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
