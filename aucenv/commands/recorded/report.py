"""The command `aucenv report`."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.console.terminal import PAGE, check_writable, print_safely
from aucenv.commands.options.options import MOST_GAMES
from aucenv.commands.options.parsers import flag, text_option, whole_option
from aucenv.core.extras import missing_extra
from aucenv.core.formats.folders import check_new_folder

OUT = Path("report.html")


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR [DIR]", help="A results folder or a games.jsonl; two of them are compared."),
    ],
    out: Annotated[
        Path | None,
        text_option(
            f"The page to write or replace.  [default: {OUT}]\n\nThe default is replaced only if it is a report of a "
            "run with the same name.",
            "FILE",
            "--out",
        ),
    ] = None,
    calls: Annotated[
        int,
        whole_option(
            "Games with prompts and replies.\n\nThe page has those of models in the first N games of each folder.",
            0,
            MOST_GAMES,
            "--calls",
        ),
    ] = 50,
    figures: Annotated[
        Path | None,
        text_option(
            "Also write figures into a new folder.\n\nThe ranking, scores, wins and prices of the games, as SVG, PNG "
            "and CSV. It needs the extra `plot`.",
            "DIR",
            "--figures",
        ),
    ] = None,
    redact: Annotated[
        bool,
        flag(
            "Leave out all words and names.\n\nThose of bidders, models, items and personas. Amounts remain.",
            "--redact",
        ),
    ] = False,
) -> None:
    """Write a page with all tables and a replay of every game. It opens without a network."""
    if len(folders) > 2:
        raise ValueError(f"report: expected one results folder or two, got {len(folders)}")
    check_writable(out or OUT, again=PAGE)
    if figures is not None:
        _check_figures(figures, redact)
    from aucenv.benchmarks.report.page import report as page_of
    from aucenv.core.files import write_atomically

    page = page_of(folders, calls, redact)
    if out is None:
        _check_replaced(page)
    write_atomically(out or OUT, page)
    said = [f"{out or OUT}: {len(page.encode()) / 1e6:.2f} MB"]
    if figures is not None:
        from aucenv.benchmarks.report.run_figures import write_figures
        from aucenv.runs.records import read_records

        for number, folder in enumerate(folders, start=1):
            target = figures if len(folders) == 1 else figures / f"{number}-{folder.resolve().name}"
            files = write_figures(list(read_records(folder)), target)
            said.append(f"{target}: {', '.join(path.name for path in files)}")
    for line in said:
        print_safely(line)


def _check_figures(folder: Path, is_redacted: bool) -> None:
    """Raise if no figures can be written to a folder."""
    if is_redacted:
        raise ValueError("--figures: expected no --redact beside it, because figures name bidders")
    check_new_folder(folder)
    if find_spec("matplotlib") is None:
        raise missing_extra("--figures", "plot")


def _check_replaced(page: str) -> None:
    """Raise FileExistsError if the default file is no report with the title of this page."""
    if OUT.exists() and _title(OUT.read_text(encoding="utf-8", errors="replace")) != _title(page):
        raise FileExistsError(f"--out: expected a name, because {OUT} is another page; --out {OUT} replaces it")


def _title(page: str) -> str:
    """Return the element with the title of a page; "" if it has none."""
    match = re.search("<title>.*?</title>", page, re.DOTALL)
    return match[0] if match else ""
