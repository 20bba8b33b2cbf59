"""Layout, colors and drawing functions of the pictures of all games; Pillow is imported on first use."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucenv.core.extras import missing_extra

WIDTH, TOP, ROW = 760, 190, 46
LEFT, RIGHT = 30, WIDTH - 30
PAPER, INK, FAINT, LINE = (250, 249, 246), (34, 38, 46), (120, 126, 138), (216, 214, 206)
LEADS, IN, OUT, VALUE = (36, 120, 86), (66, 110, 180), (178, 178, 178), (190, 90, 40)

Color = tuple[int, int, int]


class Sheet:
    """An image with space for one row per bidder.

    Args:
        rows: The number of bidders.

    Raises:
        ImportError: Pillow is not installed.
    """

    def __init__(self, rows: int) -> None:
        try:
            from PIL import Image, ImageDraw
        except ImportError as error:
            raise missing_extra("render_mode='rgb_array'", "render") from error
        self._image = Image.new("RGB", (WIDTH, TOP + ROW * rows + 20), PAPER)
        self.draw: Any = ImageDraw.Draw(self._image)

    def write(self, x: float, y: float, words: str, size: int, color: Color = INK, anchor: str = "la") -> None:
        """Write text at a position; `anchor` is Pillow's."""
        from PIL import ImageFont

        self.draw.text((x, y), words, fill=color, font=ImageFont.load_default(size), anchor=anchor)

    def bar(self, left: float, right: float, y: float, height: float, share: float, color: Color) -> None:
        """Draw a bar from `left` to `right` of which a share is filled."""
        self.draw.rounded_rectangle((left, y, right, y + height), 4, fill=LINE)
        if share > 0:
            end = max(left + (right - left) * min(share, 1.0), left + 6)
            self.draw.rounded_rectangle((left, y, end, y + height), 4, fill=color)

    def mark(self, x: float, y: float, height: float, color: Color) -> None:
        """Draw a vertical line."""
        self.draw.line((x, y, x, y + height), fill=color, width=2)

    def begin_row(self, y: float, name: str, status: str, color: Color) -> None:
        """Draw the start of a bidder's row: a line above it, a dot, its name and its status."""
        self.draw.line((LEFT, y, RIGHT, y), fill=LINE)
        self.draw.ellipse((LEFT, y + 17, LEFT + 12, y + 29), fill=color)
        self.write(LEFT + 24, y + 13, name[:18], 17)
        self.write(LEFT + 190, y + 15, status, 14, color)

    def pixels(self) -> np.ndarray:
        """Return the image, (height, width, 3) uint8."""
        return np.asarray(self._image, dtype=np.uint8)
