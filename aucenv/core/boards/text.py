"""A Board as text: what it says in sentences, and a table with a line for each seat."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from aucenv.core.boards.board import Board, Item, Tone
from aucenv.core.words.outside_text import one_line

SIGNS = str.maketrans({"\u20ac": "EUR ", "\u20bd": "RUB ", "\u20b9": "INR ", "\u00a5": "JPY "})
"""Codes of the currencies whose signs ASCII and Pillow's font lack."""
ANSI: dict[Tone, str] = {"acting": "33", "in": "34", "leads": "1;32", "out": "2", "won": "1;32"}
"""The codes of the colors of terminals, by tone."""
INDENT, GAP, LEAST_WIDTH = 2, 2, 20


def to_text(board: Board, width: int | None = None, color: bool = False, ascii: bool = False) -> str:  # noqa: A002
    """Return a board as lines of text.

    Args:
        width: the most columns of a terminal that a line takes, at least 20: longer sentences break, and columns of the
            table that do not fit follow in another table, or below each name. None: no limit.
        color: whether tones are colors, as codes for terminals.
        ascii: whether only ASCII characters are used: letters lose their accents, and signs of currencies become codes.

    Raises:
        ValueError: The width is too small.
    """
    if width is not None and width < LEAST_WIDTH:
        raise ValueError(f"expected a width of at least {LEAST_WIDTH}, got {width}")
    return "".join(f"{line}\n" for line in _Text(width, color, ascii).lines(board))


def plain(words: str) -> str:
    """Return a text with currencies as codes and letters without accents."""
    letters = unicodedata.normalize("NFKD", words.translate(SIGNS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def previous_item(board: Board) -> str | None:
    """Return what became of the item that closed last: `Previous item: Gadget B, sold to Alex for $2,000`."""
    closed = [item for item in board.items if item.state == "closed"]
    if not closed or not (sale := _sale(board, closed[-1])):
        return None
    which = "Previous item" if any(item.state == "now" for item in board.items) else "Last item"
    return f"{which}: {closed[-1].name}, {sale}"


def _sale(board: Board, item: Item) -> str | None:
    """Return what became of a closed item; None if it has several winners, or none and no starting price."""
    facts = {fact.label: fact.cell for fact in item.facts if fact.cell.value is not None}
    if item.winner is None:
        return "not sold" if "start" in facts else None
    name = next(row.name for row in board.rows if row.seat == item.winner)
    return f"sold to {name} for {board.text(facts['price'], 'money')}" if "price" in facts else f"won by {name}"


def said_lines(board: Board) -> list[tuple[str, Tone]]:
    """Return the lines of a board that the seat that looks may see, each with its tone."""
    return [(str(cell.value), cell.tone) for cell in board.lines if cell.value is not None]


def shown_columns(board: Board) -> list[int]:
    """Return the numbers of the columns of which not everything is hidden."""
    numbers = range(len(board.columns))
    return [k for k in numbers if not board.rows or not all(board.is_hidden(row.cells[k]) for row in board.rows)]


def state_text(board: Board, number: int) -> str:
    """Return what the seat of a row does; nothing if it does nothing."""
    state = board.rows[number].state
    return "" if state.value is None and not board.is_hidden(state) else board.text(state, "text")


class _Text:
    """The writer of the lines of one text; its arguments are those of `to_text`."""

    def __init__(self, width: int | None, color: bool, ascii_only: bool) -> None:
        self._width, self._color, self._ascii = width or 1 << 30, color, ascii_only

    def lines(self, board: Board) -> Iterator[str]:
        place = f" ({board.place})" if board.place else ""
        yield from self._wrapped(f"{board.title}{place}")
        if previous := previous_item(board):
            yield from self._wrapped(f"{previous}.")
        for words, tone in said_lines(board):
            yield from self._wrapped(words, tone)
        if board.scale:
            marks, unit = board.shown(board.scale.marks), board.scale.unit
            yield from self._wrapped(", ".join(f"{label} {board.text(cell, unit)}" for label, cell in marks))
        yield from self._table(board) if board.rows else ()

    def _table(self, board: Board) -> Iterator[str]:
        """Yield the table, in as many blocks as its columns need, or its cells below each name if some do not fit."""
        names = _TextColumn([self._clean(name) for name in (board.heading, *(row.name for row in board.rows))])
        columns, most = list(self._columns(board)), self._width - INDENT
        if any(names.width + GAP + column.width > most for column in columns):
            yield from self._stacked(names.texts, columns, most)
            return
        blocks, room = [[names]], most - names.width
        for column in columns:
            if room < GAP + column.width:
                blocks.append([names])
                room = most - names.width
            blocks[-1].append(column)
            room -= GAP + column.width
        for number, block in enumerate(blocks):
            yield from [""] if number else []
            for k in range(len(names.texts)):
                yield " " * INDENT + (" " * GAP).join(self._cell(column, k) for column in block).rstrip()

    def _stacked(self, names: Sequence[str], columns: Sequence[_TextColumn], most: int) -> Iterator[str]:
        for k, name in enumerate(names[1:], 1):
            yield " " * INDENT + shortened(name, most)
            cells = (
                ": ".join(filter(None, (column.texts[0], column.texts[k]))) for column in columns if column.texts[k]
            )
            yield from self._wrapped("; ".join(cells), indent=2 * INDENT)

    def _columns(self, board: Board) -> Iterator[_TextColumn]:
        """Yield the columns after the names: the state, those of the game and the details; none that is empty."""
        rows = board.rows
        states, details = [state_text(board, k) for k in range(len(rows))], [row.detail for row in rows]
        if any(states):
            yield self._column("state", states, [row.state.tone for row in rows])
        for k in shown_columns(board):
            unit, cells = board.columns[k].unit, [row.cells[k] for row in rows]
            tones = [cell.tone for cell in cells]
            yield self._column(
                board.columns[k].label, [board.text(cell, unit) for cell in cells], tones, unit != "text"
            )
        if any(details):
            yield self._column("", details, [])

    def _column(self, label: str, texts: Sequence[str], tones: Sequence[Tone], is_number: bool = False) -> _TextColumn:
        return _TextColumn([self._clean(text) for text in (label, *texts)], ["", *tones], is_number)

    def _cell(self, column: _TextColumn, k: int) -> str:
        text, tone = column.texts[k], column.tones[k] if k < len(column.tones) else ""
        space = " " * (column.width - cells_of(text))
        return space + self._paint(text, tone) if column.is_number else self._paint(text, tone) + space

    def _clean(self, words: str) -> str:
        shown = one_line(words)
        return plain(shown).encode("ascii", "backslashreplace").decode() if self._ascii else shown

    def _paint(self, words: str, tone: Tone) -> str:
        return f"\x1b[{ANSI[tone]}m{words}\x1b[0m" if self._color and words and tone else words

    def _wrapped(self, words: str, tone: Tone = "", indent: int = 0) -> Iterator[str]:
        """Yield a text in lines of the width, broken between words, or inside of those that are longer than a line."""
        most, line = self._width - indent, ""
        for word in self._clean(words).split():
            if line and cells_of(line) + 1 + cells_of(word) > most:
                yield " " * indent + self._paint(line, tone)
                line = ""
            line = f"{line} {word}" if line else word
            while cells_of(line) > most:
                part = _beginning(line, most)
                yield " " * indent + self._paint(part, tone)
                line = line[len(part) :]
        if line:
            yield " " * indent + self._paint(line, tone)


class _TextColumn:
    """A column of a table: the texts of its cells, the heading first, and their tones."""

    def __init__(self, texts: list[str], tones: Sequence[Tone] = (), is_number: bool = False) -> None:
        self.texts, self.tones, self.is_number = texts, tones, is_number
        self.width = max(map(cells_of, texts))


def cells_of(words: str) -> int:
    """Return how many columns of a terminal a text takes: wide characters two, and combining ones none."""
    return len(words) if words.isascii() else sum(map(_cells, words))


def _cells(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def shortened(words: str, most: int) -> str:
    """Return a text of at most this many columns of a terminal, with `...` at its end if it is cut."""
    return words if cells_of(words) <= most else f"{_beginning(words, most - 3)}..."


def _beginning(words: str, most: int) -> str:
    """Return as much of a text as fits in this many columns of a terminal."""
    taken = 0
    for number, letter in enumerate(words):
        taken += _cells(letter)
        if taken > most:
            return words[:number]
    return words
