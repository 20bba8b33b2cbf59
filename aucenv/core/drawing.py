"""Layout, colors and drawing functions of the pictures of all games; Pillow is imported on first use.

Nothing is cut off: the column of names grows with the names, and text that has only limited room gets smaller.
"""

from __future__ import annotations

import functools
import math
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from aucenv.core.extras import missing_extra

WIDTH, TOP, ROW = 760, 206, 46
LEFT, RIGHT = 30, WIDTH - 30
NAMES = LEFT + 24
NAME_ROOM = 140
"""The least width of the column of names."""
PAPER, INK, FAINT, LINE = (250, 249, 246), (34, 38, 46), (90, 96, 107), (216, 214, 206)
LEADS, IN, OUT, VALUE = (29, 107, 75), (31, 95, 168), (178, 178, 178), (168, 86, 11)
"""The colors of the pages of reports, in `aucenv/web/page.css`."""
SMOOTH = 4
"""Shapes are drawn this many times larger and scaled down, so that their edges are smooth."""
GAP = 12
"""The least space between two labels of a scale."""
SIGNS = str.maketrans({"\u20ac": "EUR ", "\u20bd": "RUB ", "\u20b9": "INR ", "\u00a5": "JPY "})
"""Codes of the currencies whose signs Pillow's font lacks."""

Color = tuple[int, int, int]
Label = tuple[float, str, Color]
"""The place of a label on a scale in pixels, its text and its color."""


def drawable(words: str) -> str:
    """Return a text in characters of Pillow's font: currencies as codes, letters without accents."""
    letters = unicodedata.normalize("NFKD", words.translate(SIGNS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def text_width(words: str, size: float) -> float:
    """Return the width of a text in pixels."""
    return _font(size).getlength(drawable(words))


def round_up(amount: float) -> float:
    """Return the end of a scale that reaches `amount`: 1, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of 10."""
    power = 10 ** math.floor(math.log10(amount))
    return next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= amount)


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


@functools.cache
def _font(size: float) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


class Sheet:
    """An image with space for one row per bidder.

    Args:
        rows: The number of bidders.
        width: The width in pixels.

    Attributes:
        shift: The pixels that long names add before all other columns.
        right: The right end of the last column.

    Raises:
        ImportError: Pillow is not installed.
    """

    def __init__(self, rows: int, width: int = WIDTH) -> None:
        try:
            from PIL import Image, ImageDraw
        except ImportError as error:
            raise missing_extra("render_mode='rgb_array'", "render") from error
        self.shift = 0
        self.width, self.right = width, width - WIDTH + RIGHT
        self._image = Image.new("RGB", (width, TOP + ROW * rows + 20), PAPER)
        self._draw = ImageDraw.Draw(self._image)

    @classmethod
    def for_names(cls, names: Sequence[str], details: Sequence[str] = (), right: float = RIGHT) -> Sheet:
        """Return a sheet in which all names, and the smaller details below them, have enough room.

        Args:
            right: The end of the last column, without the shift.

        Raises:
            ImportError: Pillow is not installed.
        """
        sheet = cls(len(names), math.ceil(right) + WIDTH - RIGHT)
        widths = [*(text_width(name, 17) for name in names), *(text_width(detail, 12) for detail in details)]
        shift = math.ceil(max(NAME_ROOM, *widths) - NAME_ROOM)
        if shift:
            sheet = cls(len(names), sheet.width + shift)
            sheet.shift = shift
        return sheet

    def write(
        self, x: float, y: float, words: str, size: float, color: Color = INK, anchor: str = "la", room: float = 0
    ) -> None:
        """Write text at a position.

        Args:
            anchor: Pillow's.
            room: The width in pixels; a text that needs more gets smaller. 0: no limit.
        """
        shown = drawable(words)
        while room and size > 5 and text_width(shown, size) > room:
            size -= 0.5
        self._draw.text((x, y), shown, fill=color, font=_font(size), anchor=anchor)

    def title(self, words: str, place: str) -> None:
        """Write the title, and at the right end of its line a smaller text."""
        self.write(self.right, 28, place, 16, FAINT, anchor="ra")
        self.write(LEFT, 20, words, 26, room=self.right - LEFT - text_width(place, 16) - 24)

    def subtitle(self, words: str, color: Color = INK) -> None:
        """Write a line below the title."""
        self.write(LEFT, 54, words, 15, color, room=self.right - LEFT)

    def labels(self, y: float, labels: Sequence[Label]) -> None:
        """Write labels below or above a scale over the whole width, near their places and without overlaps."""
        ordered = sorted(labels, key=lambda label: label[0])
        widths = [text_width(words, 13) for _, words, _ in ordered]
        starts = spread([x for x, _, _ in ordered], widths, LEFT, self.right)
        for start, (_, words, color) in zip(starts, ordered, strict=True):
            self.write(start, y, words, 13, color)

    def heading(self, x: float, words: str, color: Color = FAINT, anchor: str = "la", line: int = 1) -> None:
        """Write the heading of a column on one of two lines; `x` is a position without the shift."""
        self.write(x + self.shift, TOP - 62 + 18 * line, words, 13, color, anchor)

    def scale_ends(self, left: float, right: float, least: str, most: str) -> None:
        """Write the ends of the scale of the bars in a column above the rows."""
        self.write(left + self.shift, TOP - 22, least, 11, FAINT)
        self.write(right + self.shift, TOP - 22, most, 11, FAINT, anchor="ra")

    def profit(self, x: float, y: float, cents: int, words: str, room: float) -> None:
        """Write a profit, which ends at `x`, in the row at `y`, in the color of gains or losses."""
        self.cell(x, y, words, LEADS if cents > 0 else VALUE if cents < 0 else INK, room)

    def cell(self, x: float, y: float, words: str, color: Color = INK, room: float = 0) -> None:
        """Write a number that ends at `x`, a position without the shift, in the row at `y`."""
        self.write(x + self.shift, y + 15, words, 14, color, anchor="ra", room=room)

    def bar(self, left: float, right: float, y: float, height: float, share: float, color: Color) -> None:
        """Draw a bar from `left` to `right` of which a share is filled."""
        self._shape((left, y, right, y + height), 4, LINE)
        if share > 0:
            self._shape((left, y, max(left + (right - left) * min(share, 1.0), left + 6), y + height), 4, color)

    def row_bar(self, left: float, right: float, y: float, share: float, color: Color = IN) -> None:
        """Draw a bar in the row at `y`; `left` and `right` are positions without the shift."""
        self.bar(left + self.shift, right + self.shift, y + 17, 12, share, color)

    def mark(self, x: float, y: float, height: float, color: Color) -> None:
        """Draw a vertical line."""
        self._draw.line((x, y, x, y + height), fill=color, width=2)

    def begin_row(self, y: float, name: str, status: str, color: Color, detail: str = "") -> None:
        """Draw the start of a bidder's row: a line above it, a dot, its name with a detail below it, and its status."""
        self._draw.line((LEFT, y, self.right, y), fill=LINE)
        self._shape((LEFT, y + 17, LEFT + 12, y + 29), 6, color)
        self.write(NAMES, y + (5 if detail else 13), name, 17)
        self.write(NAMES, y + 26, detail, 12, FAINT)
        self.write(NAMES + NAME_ROOM + 16 + self.shift, y + 15, status, 14, color, room=76)

    def _shape(self, box: tuple[float, float, float, float], radius: float, color: Color) -> None:
        """Draw a rectangle with round corners and smooth edges."""
        from PIL import Image, ImageDraw

        left, top = math.floor(box[0]), math.floor(box[1])
        size = math.ceil(box[2]) - left + 1, math.ceil(box[3]) - top + 1
        mask = Image.new("L", (size[0] * SMOOTH, size[1] * SMOOTH))
        corners = [(end - start) * SMOOTH for end, start in zip(box, (left, top, left, top), strict=True)]
        edges = (corners[0], corners[1], max(corners[0], corners[2] - 1), max(corners[1], corners[3] - 1))
        ImageDraw.Draw(mask).rounded_rectangle(edges, radius * SMOOTH, fill=255)
        self._image.paste(color, (left, top), mask.resize(size, Image.Resampling.BOX))

    def pixels(self) -> np.ndarray:
        """Return the image, (height, width, 3) uint8."""
        return np.asarray(self._image, dtype=np.uint8)
