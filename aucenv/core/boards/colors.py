"""Colors and shapes of boards: those of the pages, in `aucenv/web/page.css` and `aucenv/web/js/seats.js`."""

from __future__ import annotations

from aucenv.core.boards.board import Tone

LIGHT = {
    "paper": "#faf9f6",
    "card": "#ffffff",
    "ink": "#22262e",
    "faint": "#5a606b",
    "line": "#d8d6ce",
    "accent": "#1f5fa8",
    "good": "#1d6b4b",
    "bad": "#a32a12",
    "shade": "#eef3f9",
    "seat-0": "#1f5fa8",
    "seat-1": "#a8560b",
    "seat-2": "#0b7a55",
    "seat-3": "#a3387c",
    "seat-4": "#5a606b",
    "seat-5": "#6d4fb3",
    "seat-6": "#87690a",
    "seat-7": "#b03030",
}
DARK = {
    "paper": "#16181d",
    "card": "#1f2229",
    "ink": "#eceae4",
    "faint": "#aeb3bd",
    "line": "#3b404a",
    "accent": "#8fbdf5",
    "good": "#7fd1a8",
    "bad": "#ff9d86",
    "shade": "#262c36",
    "seat-0": "#7db4f5",
    "seat-1": "#f0a457",
    "seat-2": "#5fcfa2",
    "seat-3": "#ef8fc6",
    "seat-4": "#c4c8d0",
    "seat-5": "#b9a2f2",
    "seat-6": "#dcc05a",
    "seat-7": "#f28b8b",
}
TONES: dict[Tone, str] = {
    "": "ink",
    "acting": "seat-1",
    "in": "accent",
    "leads": "good",
    "out": "faint",
    "won": "good",
}
"""The color of each tone."""
SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)),
    ((0, -5.5), (5.5, 4.5), (-5.5, 4.5)),
    ((0, -6), (6, 0), (0, 6), (-6, 0)),
    ((0, 5.5), (5.5, -4.5), (-5.5, -4.5)),
    (
        *((-1.8, -5.5), (1.8, -5.5), (1.8, -1.8), (5.5, -1.8), (5.5, 1.8), (1.8, 1.8)),
        *((1.8, 5.5), (-1.8, 5.5), (-1.8, 1.8), (-5.5, 1.8), (-5.5, -1.8), (-1.8, -1.8)),
    ),
    ((-5.5, -5.5), (0, -2), (5.5, -5.5), (2, 0), (5.5, 5.5), (0, 2), (-5.5, 5.5), (-2, 0)),
    ((0, -5.8), (5.5, -1.8), (3.4, 4.7), (-3.4, 4.7), (-5.5, -1.8)),
)
"""The corners of the shape of each seat; a circle has none. After the last one, shapes and colors repeat."""
RADIUS = 5.0
"""The radius of the circle."""


def seat_color(seat: int) -> str:
    """Return the name of a seat's color."""
    return f"seat-{seat % len(SHAPES)}"


def mixed(color: str, other: str, share: float) -> tuple[int, ...]:
    """Return the red, green and blue of a color of which another one has a share."""
    pairs = zip(bytes.fromhex(color[1:]), bytes.fromhex(other[1:]), strict=True)
    return tuple(round((1 - share) * one + share * two) for one, two in pairs)
