"""Boards as images and as SVG, which have one layout.

Columns are as wide as what they contain, long names widen the sheet, and text that has limited room gets smaller.
"""

from __future__ import annotations

import dataclasses
import io
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from aucenv.core.boards.board import Board, Cell, Chart, Column, Series, Unit, written
from aucenv.core.boards.canvas import Anchor, Canvas, ImageCanvas, SvgCanvas, svg_words
from aucenv.core.boards.colors import TONES, seat_color
from aucenv.core.boards.text import previous_item, said_lines, shown_columns, state_text, to_text

WIDTH, MARGIN, TOP, ROW = 760, 30, 244, 46
"""The least width, the margin, the top of the first row, and the height of a row."""
SCALE = 144
"""The top of the bar of the scale."""
NAME_ROOM, STATE_ROOM, TEXT_ROOM = 120, 84, 84
"""The least widths of the column of names, of states, and of other columns of text."""
BAR, MOST_BAR = 110, 180
"""The least and the greatest width of the bars of a column."""
GAP = 14
"""The least space between columns, and between labels of a scale."""
CHART, LEGEND, AXIS = 280, 200, 76
"""The least height of a chart, and the widths of its legend and of the labels of its vertical axis."""
LEAST_SIZE = 6.0
"""The smallest text; one that would be smaller is cut."""
COLORS = ("faint", "seat-1", "seat-5", "seat-6")
DASHES: tuple[tuple[float, ...], ...] = ((2, 6), (2, 3), (7, 4), (12, 4))
"""The colors of what belongs to no seat, and the dashes of levels, by label; then they repeat."""

WidthOf = Callable[[str, float], float]
"""Returns the width of a text of a size."""


def to_image(board: Board, chart: bool = False) -> np.ndarray:
    """Return an image of a board, (height, width, 3) uint8; all images of a game have one size.

    Args:
        chart: whether there is room for the first chart, also if the board lacks one.

    Raises:
        ImportError: Pillow is not installed.
    """
    canvas = draw_image(board, Sheet.of([board], ImageCanvas.width_of, chart))
    return np.asarray(canvas.image, dtype=np.uint8)


def to_png(board: Board) -> bytes:
    """Return a board as a PNG file, with its first chart if it has one.

    Raises:
        ImportError: Pillow is not installed.
    """
    sheet = Sheet.of([board], ImageCanvas.width_of, has_history(board), is_steady=False)
    file = io.BytesIO()
    draw_image(board, sheet).image.save(file, "PNG")
    return file.getvalue()


def to_svg(board: Board, dark: bool = False) -> str:
    """Return a board as SVG, with its first chart if it has one."""
    sheet, canvas = Sheet.of([board], SvgCanvas.width_of, has_history(board), is_steady=False), SvgCanvas(dark)
    draw(board, sheet, canvas)
    return svg_document(sheet, board, canvas.elements)


def svg_document(sheet: Sheet, board: Board, elements: Sequence[str]) -> str:
    """Return an SVG of this size, with a board in words for those who do not see it."""
    size = f'width="{sheet.width}" height="{sheet.height}" viewBox="0 0 {sheet.width} {sheet.height}"'
    text = "\n".join(map(svg_words, to_text(board).splitlines()))
    words = f"<title>{svg_words(board.title)}</title>\n<desc>{text}</desc>"
    start = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="system-ui, sans-serif">'
    return "\n".join([start, words, *elements, "</svg>\n"])


def draw_image(board: Board, sheet: Sheet) -> ImageCanvas:
    """Return a canvas with an image of a board."""
    canvas = ImageCanvas(sheet.width, sheet.height)
    draw(board, sheet, canvas)
    return canvas


def draw(board: Board, sheet: Sheet, canvas: Canvas) -> None:
    """Draw a board on a canvas."""
    drawing = _Drawing(board, sheet, canvas)
    drawing.draw_head()
    drawing.draw_scale()
    drawing.draw_columns()
    if sheet.chart and has_history(board):
        drawing.draw_chart(board.charts[0])


def has_history(board: Board) -> bool:
    """Return whether the first chart of a board has anything to show."""
    charts = board.charts[:1]
    return any((chart.has_levels and board.scale) or any(each.points for each in chart.series) for chart in charts)


@dataclasses.dataclass(frozen=True)
class Sheet:
    """The size of a drawing, and the widths of its columns.

    Attributes:
        names: the width of the column of names.
        rooms: the widths of the column of states, and of those of the game.
        chart: the height of the chart; 0: none.
    """

    width: int
    height: int
    names: float
    rooms: tuple[float, ...]
    chart: int

    @classmethod
    def of(cls, boards: Sequence[Board], width_of: WidthOf, chart: bool, is_steady: bool = True) -> Sheet:
        """Return the sheet of boards of one game.

        Args:
            width_of: the width of a text.
            chart: whether there is room for a chart.
            is_steady: whether other boards of the game have the same size.
        """
        rows = [row for board in boards for row in board.rows]
        names = max([NAME_ROOM, *(width_of(name, 17) for name in {row.name for row in rows})])
        names = max([names, *(width_of(detail, 12) for detail in {row.detail for row in rows})])
        pairs = [_rooms(boards, k, width_of) for k in range(-1, max(len(board.columns) for board in boards))]
        least, more = [pair[0] for pair in pairs], [pair[1] - pair[0] for pair in pairs]
        fixed = 2 * MARGIN + 24 + names + GAP * len(pairs) + sum(least)
        width = math.ceil(max(WIDTH, fixed + (0 if is_steady else sum(more))))
        share = min(1.0, (width - fixed) / (sum(more) or 1))
        rooms = tuple(room + share * extra for room, extra in zip(least, more, strict=True))
        seats = len(boards[0].rows)
        height = max(CHART, 20 * (seats + 6)) if chart else 0
        return cls(width, TOP + ROW * seats + 20 + height, names, rooms, height)


def _rooms(boards: Sequence[Board], k: int, width_of: WidthOf) -> tuple[float, float]:
    """Return the least width of a column, -1 for the states (the same in a whole game), and the one it needs."""
    if k < 0:
        states = {state_text(board, row) for board in boards for row in range(len(board.rows))}
        return STATE_ROOM, max([STATE_ROOM, *(16 + width_of(state, 14) for state in states)])
    least = most = 0.0
    for board in boards:
        if k < len(board.columns):
            column = board.columns[k]
            bar, heading = (BAR + GAP, 0.0) if column.most is not None else (0, _heading_room(column, width_of))
            room = max(heading, _number_room(board, column, width_of))
            texts = {board.text(row.cells[k], column.unit) for row in board.rows}
            least = max(least, room + bar)
            most = max([most, least, *(width_of(text, 14) + bar for text in texts)])
    return least, most


def _heading_room(column: Column, width_of: WidthOf) -> float:
    return max(width_of(part, 13) for part in _best_split(column.label))


def _best_split(words: str) -> tuple[str, str]:
    """Return a text in two lines that are about equally long."""
    parts = words.split()
    splits = [(" ".join(parts[:k]), " ".join(parts[k:])) for k in range(len(parts) or 1)]
    return min(splits, key=lambda both: max(map(len, both)))


def _number_room(board: Board, column: Column, width_of: WidthOf) -> float:
    """Return the width of a number of a column, as large as the largest one that has a bar; of others it is a guess."""
    if column.unit == "text":
        return TEXT_ROOM
    mosts = [each.most for each in board.columns if each.most is not None and each.unit == column.unit]
    number = max(10_000 if column.unit == "money" else 100, *(math.ceil(most) for most in mosts), 0)
    return width_of(f"-{written(number, column.unit, board.sign)}", 14)


def spread(centers: Sequence[float], widths: Sequence[float], left: float, right: float) -> list[float]:
    """Return the left ends of labels, as near to their centers as possible, in order and without overlaps."""
    starts: list[float] = []
    for center, width in zip(centers, widths, strict=True):
        least = starts[-1] + widths[len(starts) - 1] + GAP if starts else left
        starts.append(max(least, center - width / 2))
    end = right
    for number in reversed(range(len(starts))):
        starts[number] = min(starts[number], end - widths[number])
        end = starts[number] - GAP
    return starts


def ticks(low: float, high: float, most: int = 5, is_whole: bool = False) -> list[float]:
    """Return round numbers from `low` to `high`, at most `most` and one more; only whole ones if `is_whole`."""
    span = (high - low) or 1
    power = max(10.0 ** math.floor(math.log10(span / most)), 1.0 if is_whole else 0.0)
    sizes = [factor * power for factor in (1, 2, 2.5, 5, 10, 20, 50, 100)]
    step = next(size for size in sizes if span / size <= most and not (is_whole and size % 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


@dataclasses.dataclass(frozen=True)
class _Level:
    """A value of the scale: what it is, its kind, and how it is drawn."""

    words: str
    kind: str
    value: float
    color: str
    dash: tuple[float, ...] = ()


class _Drawing:
    def __init__(self, board: Board, sheet: Sheet, canvas: Canvas) -> None:
        self._board, self._sheet, self._canvas = board, sheet, canvas
        self._right = sheet.width - MARGIN
        self._room = float(self._right - MARGIN)
        self._unit: Unit = board.scale.unit if board.scale else "money"

    def _write(
        self, x: float, y: float, words: str, size: float, color: str = "ink", anchor: Anchor = "start", room: float = 0
    ) -> None:
        """Write text, smaller if it is wider than its room, and cut if it would be too small; room 0: no limit."""
        width = self._canvas.width_of(words, size)
        if room and width > room:
            size = math.ceil(2 * size * room / width) / 2
            while size > LEAST_SIZE and self._canvas.width_of(words, size) > room:
                size -= 0.5
            size = max(size, LEAST_SIZE)
            if (width := self._canvas.width_of(words, size)) > room:
                words = f"{words[: max(1, math.floor(len(words) * 0.95 * room / width) - 3)]}..."
        if words:
            self._canvas.text(x, y, words, size, color, anchor)

    def _words(self, value: float, unit: Unit | None = None) -> str:
        """Return a value of the scale, or of this unit, in words."""
        return written(int(value) if value == int(value) else value, unit or self._unit, self._board.sign)

    def draw_head(self) -> None:
        """Draw the title, the place, the sentence on the last item, and the lines: larger ones if there is no scale."""
        board = self._board
        place = min(self._canvas.width_of(board.place, 16), self._room / 2)
        self._write(self._right, 43, board.place, 16, "faint", "end", self._room / 2)
        self._write(MARGIN, 45, board.title, 26, room=self._room - place - 24)
        self._write(MARGIN, 69, previous_item(board) or "", 15, "faint", room=self._room)
        lines, (size, most) = said_lines(board), (15, 2) if board.scale else (18, 5)
        if len(lines) > most:
            lines[most - 1 :] = [(" ".join(words for words, _ in lines[most - 1 :]), lines[most - 1][1])]
        for number, (words, tone) in enumerate(lines, 1):
            self._write(MARGIN, 70 + (size + 4) * number, words, size, TONES[tone], room=self._room)

    def draw_scale(self) -> None:
        """Draw the bar of the scale and its marks, with the label of the first one below the bar."""
        scale = self._board.scale
        if scale is None:
            return
        below, above = list(self._levels(0, 1)), list(self._levels(1))
        is_bar = below and scale.marks[0].cell.tone
        share, color = (self._share(below[0].value), below[0].color) if is_bar else (0.0, "line")
        self._bar(MARGIN, SCALE, self._room, 18, share, color)
        for level in (*above, *below):
            x = MARGIN + self._room * self._share(level.value)
            self._canvas.line([(x, SCALE - 9), (x, SCALE + 26)], level.color, 2)
        ends = [_Level("", "", end, "faint") for end in (scale.low, scale.end)]
        self._labels(SCALE - 15, above)
        self._labels(SCALE + 40, [*ends, *below])

    def _levels(self, first: int, last: int | None = None) -> Iterator[_Level]:
        """Yield the values of the marks of the scale from `first`: a kind, or a seat of several, has its own color."""
        marks = self._board.scale.marks[first:last] if self._board.scale else ()
        for number, kind in enumerate(dict.fromkeys(mark.label for mark in marks)):
            of_kind = [mark for mark in marks if mark.label == kind]
            shown = self._board.shown(of_kind)
            for words, cell in shown:
                seats = [mark.seat for mark in of_kind if mark.cell.value == cell.value]
                color = TONES[cell.tone] if cell.tone or first == 0 else COLORS[number % len(COLORS)]
                if len(shown) > 1 and len(seats) == 1 and seats[0] is not None:
                    color = seat_color(seats[0])
                assert isinstance(cell.value, (int, float))
                yield _Level(words, kind, cell.value, color, DASHES[number % len(DASHES)])

    def _share(self, value: float) -> float:
        """Return where on the scale a value is."""
        scale = self._board.scale
        return (value - scale.low) / ((scale.end - scale.low) or 1) if scale else 0.0

    def _labels(self, y: float, levels: Sequence[_Level]) -> None:
        """Write the labels of values of the scale near their places, without overlaps, and smaller if they need it.

        Values of one kind have one label if there is no room for all of them: `estimate $500 to $900`.
        """
        labels = [(level.value, f"{level.words} {self._words(level.value)}".strip(), level.color) for level in levels]
        if sum(self._canvas.width_of(words, 13) + GAP for _, words, _ in labels) > self._room:
            labels = []
            for kind, group in groupby(levels, key=lambda level: level.kind):
                of_kind = list(group)
                low, high = min(level.value for level in of_kind), max(level.value for level in of_kind)
                ends = " to ".join(dict.fromkeys(map(self._words, (low, high))))
                labels.append(
                    ((low + high) / 2, f"{kind} {ends}".strip(), of_kind[0].color if low == high else "faint")
                )
        labels.sort(key=lambda label: label[0])
        widths = [self._canvas.width_of(words, 13) for _, words, _ in labels]
        smaller = min(1.0, (self._room - GAP * len(widths)) / (sum(widths) or 1))
        widths = [smaller * width for width in widths]
        centers = [MARGIN + self._room * self._share(value) for value, _, _ in labels]
        starts = spread(centers, widths, MARGIN, self._right)
        for start, width, (_, words, color) in zip(starts, widths, labels, strict=True):
            self._write(start, y, words, 13, color, room=width + 0.01)

    def _bar(self, x: float, y: float, width: float, height: float, share: float, color: str) -> None:
        """Draw a bar of which a share is full."""
        self._canvas.bar(x, y, width, height, "line")
        if share > 0:
            self._canvas.bar(x, y, max(width * min(share, 1), 8), height, color)

    def draw_columns(self) -> None:
        """Draw the row of each seat: its mark, name, detail, state and cells, each below its heading."""
        board, sheet = self._board, self._sheet
        shown = shown_columns(board)
        bars = sum(board.columns[k].most is not None for k in shown)
        names_end = MARGIN + 24 + sheet.names
        taken = sheet.rooms[0] + sum(sheet.rooms[k + 1] for k in shown) + GAP * (len(shown) + 1)
        spare = self._right - names_end - taken
        more = min(MOST_BAR - BAR, spare / bars) if bars else 0
        gap = GAP + (spare - more * bars) / (len(shown) or 1)
        for number, row in enumerate(board.rows):
            y = TOP + ROW * number
            self._canvas.line([(MARGIN, y), (self._right, y)], "line")
            self._canvas.mark(row.seat, MARGIN + 7, y + 23, seat_color(row.seat))
            self._write(MARGIN + 24, y + (20 if row.detail else 29), row.name, 17, room=sheet.names + 1)
            self._write(MARGIN + 24, y + 37, row.detail, 12, "faint", room=sheet.names + 1)
            if state := state_text(board, number):
                self._canvas.mark(0, names_end + GAP + 5, y + 23, TONES[row.state.tone])
                self._write_cell(names_end + GAP + 16, y, state, TONES[row.state.tone], "start", sheet.rooms[0] - 15)
        left = names_end + GAP + sheet.rooms[0]
        for k in shown:
            left += gap
            right = left + sheet.rooms[k + 1] + (more if board.columns[k].most is not None else 0)
            self._column(k, left, right, BAR + more)
            left = right

    def _column(self, k: int, left: float, right: float, bar: float) -> None:
        column, board = self._board.columns[k], self._board
        self._heading(column, left, right, bar)
        start = left if column.most is None else left + bar + GAP
        x, anchor = self._side(column, left, right)
        for number, row in enumerate(board.rows):
            cell, y = row.cells[k], TOP + ROW * number
            if column.most is not None and not board.is_hidden(cell):
                values = (value if isinstance(value, (int, float)) else 0 for value in (cell.value, cell.mark))
                share, mark = (value / (column.most or 1) for value in values)
                self._bar(left, y + 17, bar, 12, share, TONES[cell.tone] if cell.tone else "accent")
                if cell.mark is not None:
                    end = left + bar * min(1, max(0, mark))
                    self._canvas.line([(end, y + 12), (end, y + 34)], "ink", 2)
            words, color = board.text(cell, column.unit), self._color(column, cell)
            self._write_cell(x, y, words, color, anchor, right - start + 1)

    def _side(self, column: Column, left: float, right: float) -> tuple[float, Anchor]:
        """Return where texts of a column begin, or numbers end."""
        return (left, "start") if column.unit == "text" else (right, "end")

    def _color(self, column: Column, cell: Cell) -> str:
        """Return the color of the value of a cell: that of its tone, or of gains and losses."""
        if self._board.is_hidden(cell) or cell.value is None:
            return "faint"
        if column.label != "profit" or cell.tone or isinstance(cell.value, str):
            return TONES[cell.tone]
        return "good" if cell.value > 0 else "seat-1" if cell.value < 0 else "ink"

    def _write_cell(self, x: float, y: float, words: str, color: str, anchor: Anchor, room: float) -> None:
        """Write the text of a cell in the row at `y`: one that is wide on two lines."""
        if self._canvas.width_of(words, 14) <= room or " " not in words:
            self._write(x, y + 28, words, 14, color, anchor, room)
            return
        for below, part in zip((20, 36), _best_split(words), strict=True):
            self._write(x, y + below, part, 12, color, anchor, room)

    def _heading(self, column: Column, left: float, right: float, bar: float) -> None:
        """Write the heading of a column, on two lines if it is wide, or with the ends of its bars below."""
        if column.most is not None:
            self._write(left, TOP - 27, column.label, 13, "accent", room=right - left)
            self._write(left, TOP - 9, self._words(0, column.unit), 11, "faint")
            self._write(left + bar, TOP - 9, self._words(column.most, column.unit), 11, "faint", "end", bar - 30)
            return
        (x, anchor), room, parts = self._side(column, left, right), right - left + 1, ("", column.label)
        if self._canvas.width_of(column.label, 13) > room:
            parts = _best_split(column.label)
        for y, part in zip((TOP - 27, TOP - 9), parts, strict=True):
            self._write(x, y, part, 13, "faint", anchor, room)

    def draw_chart(self, chart: Chart) -> None:
        """Draw a chart below the rows: its axes and grid, levels, series, and a legend to its right."""
        top, bottom = TOP + ROW * len(self._board.rows) + 44, self._sheet.height - 52
        left, right = MARGIN + AXIS, self._right - max(LEGEND, self._room / 4)
        series = [each for each in chart.series if not self._board.is_hidden(each)]
        levels = list(self._levels(1)) if chart.has_levels else []
        values = [*(point[1] for each in series for point in each.points), *(level.value for level in levels)]
        low, high = _range(chart, values)

        def place(x: float, y: float) -> tuple[float, float]:
            across = (x - chart.low) / ((chart.high - chart.low) or 1)
            up = (min(max(y, low), high) - low) / (high - low)
            return left + (right - left) * across, bottom - (bottom - top) * up

        self._write(MARGIN, top - 20, chart.title, 14, room=self._room)
        for y in ticks(low, high):
            self._canvas.line([place(chart.low, y), place(chart.high, y)], "line")
            self._write(left - 8, place(0, y)[1] + 4, self._words(y, chart.unit), 12, "faint", "end", AXIS - 8)
        for x in ticks(chart.low, chart.high, 8, is_whole=True):
            self._write(place(x, low)[0], bottom + 18, f"{x:,.0f}", 12, "faint", "middle")
        self._write((left + right) / 2, bottom + 38, chart.x, 12, "faint", "middle", right - left)
        for level in levels:
            y = level.value
            self._canvas.line([place(chart.low, y), place(chart.high, y)], level.color, 1.5, level.dash)
        self._series(series, place)
        self._legend(series, levels, right + 24, top, bottom)

    def _series(self, series: Sequence[Series], place: Callable[[float, float], tuple[float, float]]) -> None:
        """Draw series as lines and marks; marks at one place are drawn side by side."""
        marks = Counter(point[:2] for each in series if each.kind != "line" for point in each.points)
        drawn = Counter[Any]()
        for each, color in zip(series, _colors(series), strict=True):
            if each.kind != "marks" and each.points:
                self._canvas.line([place(*point[:2]) for point in each.points], color, 1.5)
            for point in each.points if each.kind != "line" else ():
                x, y = place(*point[:2])
                shift = 8 * (drawn[point[:2]] - (marks[point[:2]] - 1) / 2)
                drawn[point[:2]] += 1
                self._canvas.mark(each.seat or 0, x + shift, y, color, hollow=point[2:] == (False,))

    def _legend(self, series: Sequence[Series], levels: Sequence[_Level], x: float, top: float, bottom: float) -> None:
        """Write what each series and kind of level is beside its mark or line."""
        kinds = {level.kind: [each for each in levels if each.kind == level.kind] for level in levels}
        step, y = min(20, (bottom - top) / (len(series) + len(kinds) or 1)), top + 6.0
        for each, color in zip(series, _colors(series), strict=True):
            if each.kind != "marks":
                self._canvas.line([(x - 8, y), (x + 8, y)], color, 1.5)
            if each.kind != "line":
                self._canvas.mark(each.seat or 0, x, y, color)
            self._write(x + 14, y + 4, each.label, 12, room=self._right - x - 14)
            y += step
        for kind, (level, *others) in kinds.items():
            self._canvas.line([(x - 8, y), (x + 8, y)], "faint" if others else level.color, 1.5, level.dash)
            words = kind if others else f"{kind} {self._words(level.value)}"
            self._write(x + 14, y + 4, words, 12, room=self._right - x - 14)
            y += step


def _colors(series: Sequence[Series]) -> list[str]:
    """Return the color of each series: that of its seat, if it has one."""
    others = [each for each in series if each.seat is None]
    return [COLORS[others.index(each) % len(COLORS)] if each.seat is None else seat_color(each.seat) for each in series]


def _range(chart: Chart, values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the vertical axis of a chart with these values."""
    low, high = min(values, default=0), max(values, default=1)
    margin = 0.06 * ((high - low) or abs(high) or 1)
    low = low - margin if chart.bottom is None else chart.bottom
    high = high + margin if chart.top is None else chart.top
    return (low, high) if low < high else (low - 1, low + 1)
