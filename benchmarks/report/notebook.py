"""Replays and reports in notebooks, inline."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from aucenv.benchmarks.report.page import record_page, report

from aucenv.core.checks import excerpt
from aucenv.core.records.record import GameRecord
from aucenv.core.words.phrases import count

HEIGHT = 760
"""The height of a page in a notebook, in pixels."""


class Shown:
    """A page that notebooks show inline, in a frame that may not reach the notebook.

    Attributes:
        page: The page, in HTML.
    """

    def __init__(self, page: str) -> None:
        self.page = page

    def _repr_html_(self) -> str:
        content = html.escape(self.page, quote=True)
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{content}"></iframe>'


def show(what: GameRecord | str | os.PathLike[str]) -> Shown:
    """Return the replay of a game, or the report of a results folder, which notebooks show inline.

    Args:
        what: A record, or the path of a results folder.

    Raises:
        TypeError: It is neither.
        OSError, ValueError: As in `aucenv.benchmarks.report.page.report`.

    Example:
        >>> import aucenv  # after: aucenv leaderboard --bidder llm:scripted --bidder rule --games 3 --out run
        >>> shown = aucenv.show("run")  # as the last line of a notebook's cell, it shows the report
        >>> len(shown._repr_html_()) > 10_000
        True
    """
    if isinstance(what, GameRecord):
        return Shown(record_page(what))
    if not isinstance(what, (str, os.PathLike)):
        is_list = isinstance(what, Sequence) and len(what) and isinstance(what[0], GameRecord)
        way_out = "; show one of them, such as show(records[0])" if is_list else ""
        got = count(len(what), "record") if is_list else excerpt(what)
        raise TypeError(f"show: expected the record of a game, or the path of a results folder, got {got}{way_out}")
    return Shown(report([Path(what)]))


def tables_html(markdown: str) -> str:
    """Return the tables and titles of a result's Markdown as HTML, in which all text is escaped."""
    return "\n".join(_blocks(markdown.splitlines()))


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    rows: list[list[str]] = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if not all(set(cell) <= set("-: ") and cell for cell in cells):
                rows.append(cells)
            continue
        if rows:
            yield _table(rows)
            rows = []
        if line.strip():
            yield f"<p>{html.escape(line.strip().strip('*'))}</p>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = [
        "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
        for tag, row in zip(["th", *["td"] * len(rows)], rows, strict=False)
    ]
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in body)}</table>"
