"""Boards: what one looks at of a game, as plain data from which text, images, SVG and pages are drawn.

A game's module `board.py` makes them: see `core.game_modules.BoardModule`.

Each part that not all seats may see has `only`. So the board of a seat follows from the board of a View that reveals
everything: `board(table.view(seat)) == board(table.view(seat, reveal=True)).for_seat(seat)`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

from aucenv.core.files import JsonObject
from aucenv.core.state import NOBODY
from aucenv.core.words.money import money

Tone = Literal["", "acting", "in", "leads", "out", "won"]
"""The meaning of a part, from which its color follows: nothing, a seat that has to decide, one that is in, one that
leads or an amount that does, one that is out, and one that has won."""
Unit = Literal["text", "money", "count"]
ItemState = Literal["closed", "now", "later"]


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A value that has a place on a board.

    Attributes:
        value: text, dollars or a number; None if there is none, or if it is hidden.
        only: the seat that alone may see it; NOBODY: no seat; None: everybody.
        tone: its meaning.
        mark: a second value, a mark on the bar of the first.
    """

    value: str | float | None
    only: int | None = None
    tone: Tone = ""
    mark: float | None = None


EMPTY = Cell(None)


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column of the rows of seats.

    Attributes:
        label: its heading.
        unit: how values are written.
        most: where bars end that show its values from 0; None: it has no bars.
    """

    label: str
    unit: Unit = "text"
    most: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A seat.

    Attributes:
        seat: its number.
        name: the name of its bidder.
        detail: more about it, such as its objective; "" = nothing.
        state: what it does now, in a word or two.
        cells: a cell for each column.
        note: words of the game's author that the seat alone may read, such as its persona: the board of the seat that
            looks shows them beside the board's note.
    """

    seat: int
    name: str
    detail: str
    state: Cell
    cells: tuple[Cell, ...]
    note: Cell = EMPTY


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """A labelled value.

    Attributes:
        label: what the value is.
        cell: the value.
        seat: the seat to which it belongs, if it is one's. Equal values of one label are shown once.
    """

    label: str
    cell: Cell
    seat: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """A scale with a bar from its low end to its first mark, if this one has a tone.

    Attributes:
        low, high: its ends; no high end: it follows from the marks that are not hidden.
        marks: what is marked.
        unit: how values are written.
    """

    low: float
    high: float | None
    marks: tuple[Mark, ...]
    unit: Unit = "money"

    @property
    def end(self) -> float:
        """The high end."""
        if self.high is not None:
            return self.high
        values = [mark.cell.value for mark in self.marks if isinstance(mark.cell.value, (int, float))]
        return round_up(1.02 * max(values, default=0))


@dataclasses.dataclass(frozen=True, slots=True)
class Item:
    """An item, round or day of the game.

    Attributes:
        name: its name.
        state: `closed`, `now` or `later`.
        winner: the seat that has won it.
        facts: labelled values of it, in order: amounts of money, or texts.
    """

    name: str
    state: ItemState
    winner: int | None = None
    facts: tuple[Mark, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Series:
    """A series of a chart.

    Attributes:
        label: its name in the legend.
        points: (x, y) each, or (x, y, False) for a point that did not count, which is drawn hollow.
        kind: a line, the marks of a seat, or both.
        seat: the seat to which it belongs; its marks and color are the seat's.
        only: see Cell; a hidden series has no points.
    """

    label: str
    points: tuple[tuple[Any, ...], ...]
    kind: Literal["line", "marks", "both"] = "line"
    seat: int | None = None
    only: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Chart:
    """A history as series over rounds, days or items.

    Attributes:
        title: what it shows.
        x: the label of the horizontal axis.
        low, high: the ends of the horizontal axis.
        series: the series.
        now: the place of the round that is open, at which pages draw decisions before it closes; None: there is none.
        has_levels: whether the marks of the board's scale, but for the first, are levels of the vertical axis.
        bottom, top: the ends of the vertical axis; None: those of the values.
        unit: how values of the vertical axis are written.
    """

    title: str
    x: str
    low: float
    high: float
    series: tuple[Series, ...]
    now: float | None = None
    has_levels: bool = False
    bottom: float | None = None
    top: float | None = None
    unit: Unit = "money"


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A table of what has been closed, in the order in which it was closed.

    Attributes:
        caption: what it lists.
        columns: its columns, without bars.
        entries: the cells of each of its rows.
    """

    caption: str
    columns: tuple[Column, ...]
    entries: tuple[tuple[Cell, ...], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Board:
    """What one looks at of a game.

    Attributes:
        title: where the game is, or how it ended.
        place: more about it, such as the kind of auction.
        lines: sentences on what counts now.
        rows, columns: a row for each seat, with its cells.
        heading: what a row is: a bidder, a resident.
        note: words of the game's author, such as an item's description.
        scale: prices or amounts on a scale.
        items: the items in order.
        charts, tables: what has been closed.
        seat: the seat that looks; NOBODY: what everybody may see; None: everything.
        sign: the sign of the currency.
    """

    title: str
    place: str
    lines: tuple[Cell, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    heading: str = "bidder"
    note: Cell = EMPTY
    scale: Scale | None = None
    items: tuple[Item, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    seat: int | None = None
    sign: str = "$"

    def for_seat(self, seat: int) -> Board:
        """Return what a seat sees of a board that shows everything; NOBODY: what all seats see."""
        board: Board = _without_hidden(self, seat)
        return dataclasses.replace(board, seat=seat)

    def is_hidden(self, part: Cell | Series) -> bool:
        """Return whether a part is hidden from the seat that looks."""
        return self.seat is not None and _hides(part.only, self.seat)

    def text(self, cell: Cell, unit: Unit) -> str:
        """Return the value of a cell in words; `hidden`, or a dash if there is none."""
        return "hidden" if self.is_hidden(cell) else written(cell.value, unit, self.sign)

    def shown(self, marks: Sequence[Mark]) -> list[tuple[str, Cell]]:
        """Return the values that are not hidden, each with its label: of several seats' values, with their names.

        Equal values of one label are shown once: `estimate` if all have the same, otherwise `estimate of Alex, Bob`.
        """
        values: dict[tuple[str, str | float], list[Mark]] = {}
        for mark in marks:
            if mark.cell.value is not None:
                values.setdefault((mark.label, mark.cell.value), []).append(mark)
        labels = [label for label, _ in values]
        shown = []
        for (label, _), of_value in values.items():
            names = [self.rows[mark.seat].name for mark in of_value if mark.seat is not None]
            shown.append((f"{label} of {', '.join(names)}" if labels.count(label) > 1 else label, of_value[0].cell))
        return shown

    def data(self) -> JsonObject:
        """Return the board as JSON data: an object with the names of the fields for each part."""
        data: JsonObject = _data(self)
        return data


@dataclasses.dataclass(frozen=True, slots=True)
class Said:
    """How decisions are said after the name of a bidder.

    Attributes:
        nothing: no bid.
        amount: an amount, for which `{}` stands.
        zero: $0, if that is said in another way.
        sign: the sign of the currency.
    """

    nothing: str
    amount: str
    zero: str | None = None
    sign: str = "$"

    def of(self, dollars: float | None) -> str:
        """Return a decision in words: `bids $1,200`."""
        if dollars is None:
            return self.nothing
        return (
            self.zero
            if dollars == 0 and self.zero is not None
            else self.amount.replace("{}", money(dollars, self.sign))
        )


BID_SAID = Said("makes no bid", "bids {}")
"""How decisions are said in most games."""


def written(value: str | float | None, unit: Unit, sign: str = "$") -> str:
    """Return a value in words: `$1,200`, `12`, or a dash for None."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return money(value, sign) if unit == "money" else f"{value:,}"


def round_up(amount: float) -> float:
    """Return the end of a scale that reaches `amount`: 1, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of 10."""
    power: float = 10 ** math.floor(math.log10(amount)) if amount > 0 else 1
    return next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= amount)


def visible(view: Any, seat: int, value: Any, tone: Tone = "", mark: float | None = None) -> Cell:
    """Return a cell that only one seat may see, for the board of a View."""
    return Cell(value, seat, tone, mark) if view.reveals or view.seat_number == seat else Cell(None, seat)


def hidden(view: Any, value: Any, tone: Tone = "") -> Cell:
    """Return a cell that no seat may see, for the board of a View."""
    return Cell(value, NOBODY, tone) if view.reveals else Cell(None, NOBODY)


def _hides(only: int | None, seat: int) -> bool:
    """Return whether what has `only` is hidden from a seat, or from NOBODY: from everybody."""
    return only is not None and (only != seat or seat == NOBODY)


def _without_hidden(part: Any, seat: int) -> Any:
    """Return a part without what a seat may not see."""
    if isinstance(part, tuple):
        return tuple(_without_hidden(each, seat) for each in part)
    if isinstance(part, Cell):
        return Cell(None, part.only) if _hides(part.only, seat) else part
    if isinstance(part, Series):
        return dataclasses.replace(part, points=()) if _hides(part.only, seat) else part
    names = PARTS.get(type(part), ())
    return (
        dataclasses.replace(part, **{name: _without_hidden(getattr(part, name), seat) for name in names})
        if names
        else part
    )


PARTS: dict[type, Sequence[str]] = {
    Row: ("state", "cells", "note"),
    Mark: ("cell",),
    Scale: ("marks",),
    Item: ("facts",),
    Chart: ("series",),
    Table: ("entries",),
    Board: ("lines", "rows", "note", "scale", "items", "charts", "tables"),
}
"""The fields of each part that may have something hidden."""


def _data(part: Any) -> Any:
    if isinstance(part, tuple):
        return [_data(each) for each in part]
    names = getattr(part, "__slots__", ())
    return {name: _data(getattr(part, name)) for name in names} if names else part
