"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aucenv.core.records.figures import TextTable


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """Return a Markdown table with these headings and rows of cells, and a note below it unless it is empty."""
    lines = [headings, ["---"] * len(headings), *rows]
    text = "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
    return f"{text}\n{note}\n" if note else text


def from_text(shown: TextTable) -> str:
    """Return a table as Markdown, without its title."""
    return table(shown.headings, shown.lines, shown.note)
