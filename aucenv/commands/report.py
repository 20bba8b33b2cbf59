"""The command `aucenv report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.options import MOST_GAMES
from aucenv.commands.parsers import whole
from aucenv.commands.terminal import check_writable, print_safely

OUT = Path("report.html")


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR [DIR]", help="A results folder or a games.jsonl; two of them are compared."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page to write.")] = OUT,
    calls: Annotated[
        int,
        typer.Option(
            parser=whole(0, MOST_GAMES),
            metavar="N",
            help="The page has the prompts and replies of models in the first N games of each folder.",
        ),
    ] = 50,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help="Leave out all words and names: those of bidders, models, items and personas. Amounts remain.",
        ),
    ] = False,
) -> None:
    """Write one page with the ranking, all tables, and a replay of every game. It opens without a network."""
    if len(folders) > 2:
        raise ValueError(f"report: expected one results folder or two, got {len(folders)}")
    check_writable(out, "--out")
    from aucenv.benchmarks.report.page import report as page_of
    from aucenv.core.files import write_atomically

    page = page_of(folders, calls, redact)
    write_atomically(out, page)
    print_safely(f"{out}: {len(page.encode()) / 1e6:.2f} MB")
