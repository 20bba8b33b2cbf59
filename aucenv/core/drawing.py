"""Paper, ink and colours of the pictures of all games; Pillow is imported when something is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH, TOP, ROW = 760, 190, 46
LEFT, RIGHT = 30, WIDTH - 30
PAPER, INK, FAINT, LINE = (250, 249, 246), (34, 38, 46), (120, 126, 138), (216, 214, 206)
LEADS, IN, OUT, VALUE = (36, 120, 86), (66, 110, 180), (178, 178, 178), (190, 90, 40)

Colour = tuple[int, int, int]


class Sheet:
    """A sheet of paper with room for a row for each bidder.

    Raises:
        ImportError: Pillow is not installed.
    """

    def __init__(self, rows: int) -> None:
        try:
            from PIL import Image, ImageDraw
        except ImportError as error:
            raise ImportError("render_mode='rgb_array' needs Pillow: pip install 'aucenv[render]'") from error
        self._image = Image.new("RGB", (WIDTH, TOP + ROW * rows + 20), PAPER)
        self.draw: Any = ImageDraw.Draw(self._image)

    def write(self, x: float, y: float, words: str, size: int, colour: Colour = INK, anchor: str = "la") -> None:
        from PIL import ImageFont

        self.draw.text((x, y), words, fill=colour, font=ImageFont.load_default(size), anchor=anchor)

    def bar(self, left: float, right: float, y: float, height: float, share: float, colour: Colour) -> None:
        """A bar from `left` to `right`, filled up to a share of it."""
        self.draw.rounded_rectangle((left, y, right, y + height), 4, fill=LINE)
        if share > 0:
            end = max(left + (right - left) * min(share, 1.0), left + 6)
            self.draw.rounded_rectangle((left, y, end, y + height), 4, fill=colour)

    def mark(self, x: float, y: float, height: float, colour: Colour) -> None:
        self.draw.line((x, y, x, y + height), fill=colour, width=2)

    def begin_row(self, y: float, name: str, status: str, colour: Colour) -> None:
        """A bidder's row: a line above it, a dot, its name and its status."""
        self.draw.line((LEFT, y, RIGHT, y), fill=LINE)
        self.draw.ellipse((LEFT, y + 17, LEFT + 12, y + 29), fill=colour)
        self.write(LEFT + 24, y + 13, name[:18], 17)
        self.write(LEFT + 190, y + 15, status, 14, colour)

    def pixels(self) -> np.ndarray:
        """(height, width, 3) uint8."""
        return np.asarray(self._image, dtype=np.uint8)
