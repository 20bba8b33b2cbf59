"""Games as animations: the boards of a game one after the other, as a GIF or as an SVG."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from aucenv.core.boards.board import Board
from aucenv.core.boards.canvas import ImageCanvas, SvgCanvas
from aucenv.core.boards.colors import LIGHT, mixed
from aucenv.core.boards.drawing import Sheet, draw, draw_image, has_history, svg_document

LAST = 4
"""How many times longer than the others the last board is shown."""
SHADES = 9
"""How many shades of each color an animated image has, between the color and that of the paper."""


def to_gif(boards: Sequence[Board], file: str | Path | BinaryIO, seconds: float = 1) -> None:
    """Write boards of one game as a GIF that repeats.

    Args:
        seconds: how long a board is shown; the last one is shown four times longer.

    Raises:
        ImportError: Pillow is not installed.
    """
    sheet = _sheet(boards, ImageCanvas)
    images = [draw_image(board, sheet).image for board in boards]
    palette = images[0].resize((1, 1)).convert("P")
    colors = [color for name, color in LIGHT.items() if name not in ("paper", "card", "shade")]
    shades = {mixed(color, LIGHT["paper"], k / (SHADES + 1)) for color in colors for k in range(SHADES)}
    shades.add(mixed(LIGHT["paper"], LIGHT["paper"], 0))
    palette.putpalette([number for shade in sorted(shades) for number in shade])
    frames = [image.quantize(palette=palette, dither=0) for image in images]
    times = [round(1000 * seconds)] * (len(frames) - 1) + [round(1000 * LAST * seconds)]
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)


def to_animated_svg(boards: Sequence[Board], seconds: float = 1, dark: bool = False) -> str:
    """Return boards of one game as an SVG that repeats; readers who prefer no motion see the last board.

    Args:
        seconds: how long a board is shown; the last one is shown four times longer.
    """
    sheet = _sheet(boards, SvgCanvas)
    merged: list[tuple[str, list[int]]] = []
    for number, board in enumerate(boards):
        canvas = SvgCanvas(dark)
        draw(board, sheet, canvas)
        merged = _merge(merged, canvas.elements, number)
    elements, times = list[str](), dict[tuple[int, ...], str]()
    prefix = f"b{zlib.crc32(repr(merged).encode()):x}"
    for numbers, group in groupby(merged, key=lambda part: tuple(part[1])):
        together = "".join(element for element, _ in group)
        if len(numbers) < len(boards):
            name = times.setdefault(numbers, f"{prefix}-{len(times)}")
            together = f'<g class="{name}">{together}</g>'
        elements.append(together)
    rules = [_rules(name, numbers, len(boards), seconds) for numbers, name in times.items()]
    return svg_document(sheet, boards[-1], [f"<style>{''.join(rules)}</style>", *elements])


def _sheet(boards: Sequence[Board], canvas: Any) -> Sheet:
    return Sheet.of(boards, canvas.width_of, any(map(has_history, boards)), is_steady=False)


def _merge(
    merged: Sequence[tuple[str, list[int]]], elements: Sequence[str], number: int
) -> list[tuple[str, list[int]]]:
    """Return elements with the numbers of the boards that have them, with those of one more board, in both orders."""
    places = {element: k for k, (element, _) in enumerate(merged)}
    both: list[tuple[str, list[int]]] = []
    start = 0
    for element in elements:
        place = places.get(element, -1)
        if place < start:
            both.append((element, [number]))
        else:
            both += merged[start : place + 1]
            both[-1][1].append(number)
            start = place + 1
    return [*both, *merged[start:]]


def _rules(name: str, numbers: Sequence[int], count: int, seconds: float) -> str:
    """Return the style of elements that the boards with these numbers have, out of `count`."""
    length = count - 1 + LAST
    changes = [k for k in range(count) if (k in numbers) != (k - 1 in numbers)]
    if numbers[0] != 0:
        changes.insert(0, 0)
    frames = "".join(
        f"{100 * k / length:.4g}%{{visibility:{'visible' if k in numbers else 'hidden'}}}" for k in changes
    )
    shown = "" if count - 1 in numbers else f".{name}{{visibility:hidden}}"
    motion = f".{name}{{animation:{name} {length * seconds:g}s step-end infinite}}"
    return f"@keyframes {name}{{{frames}}}{shown}@media (prefers-reduced-motion:no-preference){{{motion}}}"
