"""Tables on a terminal, in which no name and no figure is ever cut.

Pipes and files get every column on lines of any length. On a terminal that is too narrow, first headings and sentences
wrap, then columns are left out with a note.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Literal, TextIO

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from aucenv.commands.console.terminal import terminal_width
from aucenv.core.records.figures import TextTable
from aucenv.core.words.outside_text import one_line

SENTENCE = 18
"""The least width of a column of sentences, which wrap at spaces."""
LONG_NAME = 30
"""Longer names, such as those of models with options, continue on a new line of their cell if space is short."""
LEAST_IMPORTANT = ("games", "shared deals")
"""Headings of the columns that are left out first; then columns are left out from the right."""
LEFT_OUT_TOGETHER = ("failed bids", "unreadable")
"""A table with all of these keeps them longer than others, because failed bids without unreadable ones mislead."""
_NUMBER = r"[+\-]?\$?\d[\d.,]*(?:e[+\-]?\d+)?[%=]?"
_FIGURE = re.compile(rf"[<>=~±]*(?:{_NUMBER}|-)(?:\s*(?:±|to|of|\(|/)\s*{_NUMBER}\)?)*\)?|unknown")


def print_tables(tables: Iterable[TextTable], *, wide: bool | None = None, stderr: bool = False) -> None:
    """Print tables, and below them how to get the columns that did not fit.

    Args:
        tables: The tables.
        wide: Print all columns, even on a terminal that is too narrow for them; None: the command has no such option.
        stderr: Print to standard error instead of standard output.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = None if wide else terminal_width(stream)
    omitted: list[str] = []
    for table in tables:
        narrowed = _print_table(table, width, stream)
        omitted += [heading for heading in table.headings if heading in narrowed and heading not in omitted]
    if omitted:
        names = ", ".join(one_line(f"'{name}'" if "," in name else name) for name in omitted)
        way_out = "" if wide is None else "--wide prints them; "
        note = f"{width} columns are too few for: {names}. {way_out}{'a' if way_out else 'A'} file or pipe gets all."
        stream.write("\n".join(wrap(note, max(width or 0, SENTENCE))) + "\n")


def _print_table(table: TextTable, width: int | None, stream: TextIO) -> list[str]:
    """Print a table; return the headings of the columns that are left out, in any order."""
    columns = [_Column(name, cells) for name, cells in zip(table.headings, _transposed(table), strict=True)]
    omitted = []
    if width is not None:
        while len(columns) > 2 and _table_width(column.least for column in columns) > width:
            worst = _least_important(columns[1:])
            columns.remove(worst)
            omitted.append(worst.name)
    wrapped = width is not None and _table_width(column.most for column in columns) > width
    grid = RichTable(title=Text(one_line(table.title)))
    spare = 0 if width is None else width - _table_width(column.least for column in columns)
    for column in columns:
        exact = column.width(spare) if wrapped else column.most
        heading = column.wrapped_heading if wrapped else column.heading
        justify: Literal["left", "right"] = "right" if column.is_figure else "left"
        grid.add_column(Text(heading), justify=justify, width=exact, overflow="fold")
        if wrapped and column.is_sentence:
            spare -= exact - column.least
    for cells in zip(*(column.cells for column in columns), strict=True):
        grid.add_row(*map(Text, cells))
    total = _table_width(column.most for column in columns)
    Console(file=stream, width=max(total, width or 0)).print(grid, crop=False)
    if table.note:
        stream.write("\n".join([table.note] if width is None else wrap(table.note, max(width, SENTENCE))) + "\n")
    return omitted


def _least_important(columns: Sequence[_Column]) -> _Column:
    """Return the column to leave out first."""
    kept = LEFT_OUT_TOGETHER if {column.name for column in columns}.issuperset(LEFT_OUT_TOGETHER) else ()
    others = [column for column in columns if column.name not in kept]
    return next((column for column in others if column.name in LEAST_IMPORTANT), (others or columns)[-1])


def _transposed(table: TextTable) -> list[list[str]]:
    return [[one_line(line[place].replace("\t", " ")) for line in table.lines] for place in range(len(table.headings))]


def _table_width(widths: Iterable[int]) -> int:
    """Return the width of a table whose columns have these widths, with its borders."""
    return sum(width + 3 for width in widths) + 1


class _Column:
    """A column and the widths that it can have, in characters of the terminal.

    Attributes:
        name: the heading.
        heading: the heading as it is printed.
        cells: the cells as they are printed.
        is_figure: whether all cells are figures, which are right-aligned.
        is_sentence: whether the cells wrap at spaces.
        least: the least width at which no name and no figure is cut.
        most: the width at which nothing wraps.
    """

    def __init__(self, heading: str, cells: Sequence[str]) -> None:
        self.name = heading
        self.heading = one_line(heading)
        self.cells = cells
        filled = [cell for cell in cells if cell]
        self.is_figure = bool(filled) and heading != "bidder" and all(_FIGURE.fullmatch(cell) for cell in filled)
        lines = [line for cell in cells for line in cell.split("\n")]
        longest = max((_width(line) for line in lines), default=0)
        has_sentences = longest > SENTENCE and any(line.count(" ") > 2 for line in lines)
        self.is_sentence = not self.is_figure and (has_sentences or longest > LONG_NAME)
        words = [_width(word) for word in _words(self.heading)]
        word = max((min(_width(word), LONG_NAME) for line in lines for word in line.split()), default=0)
        self.least = max([*words, max(word, SENTENCE) if self.is_sentence else longest])
        self.most = max(_width(self.heading), longest)

    def width(self, spare: int) -> int:
        """Return the width in a table with wrapped headings and this many spare characters."""
        return min(self.most, self.least + max(spare, 0)) if self.is_sentence else self.least

    @property
    def wrapped_heading(self) -> str:
        lines: list[str] = []
        for word in _words(self.heading):
            if lines and _width(f"{lines[-1]} {word}") <= self.least:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return "\n".join(lines)


def _words(heading: str) -> list[str]:
    """Return the parts between which a heading may wrap; a unit and a slash stay with their word."""
    words = (word.replace("\0", " ") for word in heading.replace(", ", ",\0").replace(" / ", "\0/ ").split())
    parts = [word[start : start + LONG_NAME] for word in words for start in range(0, len(word), LONG_NAME)]
    return parts or [""]


def _width(text: str) -> int:
    return Text(text).cell_len
