"""What boards are drawn on: images, for which Pillow is imported on first use, and SVG."""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections.abc import Sequence
from html import escape
from typing import Any, Literal

from aucenv.core.boards.colors import DARK, LIGHT, RADIUS, SHAPES
from aucenv.core.boards.text import plain
from aucenv.core.extras import missing_extra
from aucenv.core.words.outside_text import one_line

Anchor = Literal["start", "middle", "end"]
Points = Sequence[tuple[float, float]]
SMOOTH = 4
"""Shapes of images are drawn this many times larger and scaled down, so that their edges are smooth."""
_RTL = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
_RTL_WORDS = re.compile(f"{_RTL}(?:[\\s'\"-]+{_RTL})*")
_NO_XML = str.maketrans({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


class ImageCanvas:
    """An image.

    Raises:
        ImportError: Pillow is not installed.
    """

    def __init__(self, width: int, height: int) -> None:
        Image, ImageDraw = _pillow()  # noqa: N806  (modules)
        self._colors = {name: _rgb(color) for name, color in LIGHT.items()}
        self.image = Image.new("RGB", (width, height), self._colors["paper"])
        self._draw = ImageDraw.Draw(self.image)

    @staticmethod
    def width_of(words: str, size: float) -> float:
        """Return the width of a text in pixels."""
        return _image_width(words, size)

    def text(self, x: float, y: float, words: str, size: float, color: str, anchor: Anchor = "start") -> None:
        mask, left, top = _text(words, size, _ANCHORS[anchor])
        self.image.paste(self._colors[color], (round(x) + left, round(y) + top), mask)

    def bar(self, x: float, y: float, width: float, height: float, color: str) -> None:
        """Draw a bar with round ends."""
        mask = _bar(max(round(width), 8), round(height))
        self.image.paste(self._colors[color], (round(x), round(y)), mask)

    def line(self, points: Points, color: str, width: float = 1, dash: Sequence[float] = ()) -> None:
        """Draw a line through points; only horizontal lines may be dashed."""
        fill, (xs, ys) = self._colors[color], zip(*points, strict=True)
        left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
        if len(points) == 2 and (left == right or top == bottom):
            x, y, end, below = (round(place) for place in (left, top, right, bottom))
            on, off = dash or (max(end - x, 1), 0)
            for start in range(x, max(end, x + 1), round(on + off)):
                self._draw.line((start, y, min(start + on, end), below), fill, round(width))
            return
        x, y, thick = math.floor(left - width), math.floor(top - width), round(width * SMOOTH)
        corners = [((a - x) * SMOOTH, (b - y) * SMOOTH) for a, b in points]
        size = math.ceil(right + width) - x, math.ceil(bottom + width) - y
        self.image.paste(fill, (x, y), _smooth(size, lambda draw: draw.line(corners, 255, thick, joint="curve")))

    def mark(self, seat: int, x: float, y: float, color: str, hollow: bool = False) -> None:
        """Draw the shape of a seat."""
        for fill, scale in ((color, 1.0), ("paper", 0.55))[: 1 + hollow]:
            mask = _shape(seat % len(SHAPES), scale)
            place = round(x) - mask.width // 2, round(y) - mask.height // 2
            self.image.paste(self._colors[fill], place, mask)


class SvgCanvas:
    """An SVG, whose `elements` are drawn in order."""

    def __init__(self, dark: bool = False) -> None:
        self._colors = DARK if dark else LIGHT
        self.elements = [f'<rect width="100%" height="100%" fill="{self._colors["paper"]}"/>']

    @staticmethod
    def width_of(words: str, size: float) -> float:
        """Return about the width of a text in pixels, in the widest of common fonts."""
        return size * _ems(words)

    def text(self, x: float, y: float, words: str, size: float, color: str, anchor: Anchor = "start") -> None:
        at = f' text-anchor="{anchor}"' if anchor != "start" else ""
        style = f'font-size="{_n(size)}" fill="{self._colors[color]}"{at}'
        self.elements.append(f'<text x="{_n(x)}" y="{_n(y)}" {style}>{svg_words(words)}</text>')

    def bar(self, x: float, y: float, width: float, height: float, color: str) -> None:
        """Draw a bar with round ends."""
        size = f'width="{_n(max(width, 8))}" height="{_n(height)}" rx="4"'
        self.elements.append(f'<rect x="{_n(x)}" y="{_n(y)}" {size} fill="{self._colors[color]}"/>')

    def line(self, points: Points, color: str, width: float = 1, dash: Sequence[float] = ()) -> None:
        """Draw a line through points."""
        dashes = f' stroke-dasharray="{" ".join(map(_n, dash))}"' if dash else ""
        places = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        style = f'fill="none" stroke="{self._colors[color]}" stroke-width="{_n(width)}"'
        self.elements.append(f'<polyline points="{places}" {style}{dashes}/>')

    def mark(self, seat: int, x: float, y: float, color: str, hollow: bool = False) -> None:
        """Draw the shape of a seat."""
        fill, shape = self._colors["paper" if hollow else color], SHAPES[seat % len(SHAPES)]
        style = f'fill="{fill}" stroke="{self._colors[color]}" stroke-width="{2 if hollow else 1}"'
        if not shape:
            self.elements.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(RADIUS)}" {style}/>')
            return
        corners = " ".join(f"{_n(x + a)},{_n(y + b)}" for a, b in shape)
        self.elements.append(f'<polygon points="{corners}" {style}/>')


Canvas = ImageCanvas | SvgCanvas


def svg_words(words: str) -> str:
    """Return a text for SVG: escaped, and with words that are written from right to left isolated from others."""
    return escape(_RTL_WORDS.sub(lambda match: f"\u2068{match[0]}\u2069", one_line(words).translate(_NO_XML)))


def _n(number: float) -> str:
    """Return a number with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")


@functools.lru_cache(4096)
def _ems(words: str) -> float:
    """Return about the width of a text in units of its size."""
    return sum(map(_em, one_line(words).translate(_NO_XML)))


def _em(letter: str) -> float:
    if letter in "iljI.,:;'|! ()[]":
        return 0.38
    if unicodedata.combining(letter):
        return 0.0
    if letter in "mwMW@%" or unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.72 if letter.isupper() else 0.63


def _pillow() -> tuple[Any, Any]:
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise missing_extra("render_mode='rgb_array'", "render") from error
    return Image, ImageDraw


@functools.cache
def _rgb(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color[1:]))


@functools.cache
def _font(size: float) -> Any:
    _pillow()
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _drawable(words: str) -> str:
    """Return a text in characters of Pillow's font, as far as it has them."""
    return plain(one_line(words))


@functools.lru_cache(4096)
def _image_width(words: str, size: float) -> float:
    width: float = _font(size).getlength(_drawable(words))
    return width


@functools.lru_cache(512)
def _text(words: str, size: float, anchor: str) -> tuple[Any, int, int]:
    """Return the mask of a text, and where its left and top ends are from its place."""
    Image, ImageDraw = _pillow()  # noqa: N806
    shown, font = _drawable(words), _font(size)
    left, top, right, bottom = (round(end) for end in font.getbbox(shown, anchor=anchor))
    mask = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(mask).text((-left, -top), shown, 255, font, anchor)
    return mask, left, top


def _smooth(size: tuple[int, int], draw: Any) -> Any:
    """Return a mask of this size with what `draw` draws, SMOOTH times larger, on an ImageDraw."""
    Image, ImageDraw = _pillow()  # noqa: N806
    mask = Image.new("L", (size[0] * SMOOTH, size[1] * SMOOTH))
    draw(ImageDraw.Draw(mask))
    return mask.resize(size, Image.Resampling.BOX)


@functools.lru_cache(256)
def _bar(width: int, height: int) -> Any:
    """Return the mask of a bar with round ends."""
    end = width * SMOOTH - 1, height * SMOOTH - 1
    return _smooth((width, height), lambda draw: draw.rounded_rectangle((0, 0, *end), 4 * SMOOTH, fill=255))


@functools.cache
def _shape(number: int, scale: float) -> Any:
    """Return the mask of a shape."""
    middle, radius = 7.5 * SMOOTH, RADIUS * scale * SMOOTH

    def draw(onto: Any) -> None:
        corners = [(middle + x * scale * SMOOTH, middle + y * scale * SMOOTH) for x, y in SHAPES[number]]
        if corners:
            onto.polygon(corners, fill=255)
        else:
            onto.ellipse((middle - radius, middle - radius, middle + radius, middle + radius), fill=255)

    return _smooth((15, 15), draw)
