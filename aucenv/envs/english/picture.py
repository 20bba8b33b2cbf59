"""The table as an image: the item on a price ladder, and a row for each bidder."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucenv.core.money import money
from aucenv.envs.english.view import View

WIDTH, TOP, ROW = 760, 190, 46
LEFT, RIGHT = 30, WIDTH - 30
PAPER, INK, FAINT, LINE = (250, 249, 246), (34, 38, 46), (120, 126, 138), (216, 214, 206)
LEADS, IN, OUT, VALUE = (36, 120, 86), (66, 110, 180), (178, 178, 178), (190, 90, 40)


def rgb(view: View) -> np.ndarray:
    """The table as (height, width, 3) uint8; from a view that reveals all.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise ImportError("render_mode='rgb_array' needs Pillow: pip install 'aucenv[render]'") from error
    image = Image.new("RGB", (WIDTH, TOP + ROW * len(view.catalogue.seats) + 20), PAPER)
    draw = ImageDraw.Draw(image)
    if view.item is None or view.status != "running":
        _write(draw, LEFT, 24, f"Auction {view.status}", 26)
        _write(draw, LEFT, 62, f"after {view.item_number} of {len(view.items)} items", 16, FAINT)
    else:
        _draw_item(draw, view)
    for number, seat in enumerate(view.catalogue.seats):
        _draw_bidder(draw, view, seat, TOP + ROW * number)
    return np.asarray(image, dtype=np.uint8)


def _draw_item(draw: Any, view: View) -> None:
    item = view.item
    assert item is not None
    assert item.true_value is not None
    assert view.least_bid is not None
    _write(draw, LEFT, 20, item.name, 26)
    place = f"item {view.item_number + 1} of {len(view.items)}, round {view.round + 1}"
    _write(draw, RIGHT, 28, place, 16, FAINT, anchor="ra")
    standing = view.standing_bid or 0
    most = 1.15 * max(item.true_value, standing, view.least_bid, item.starting_price)

    def x(dollars: float) -> float:
        return LEFT + (RIGHT - LEFT) * dollars / most

    y = 112
    draw.rounded_rectangle((LEFT, y, RIGHT, y + 18), 5, fill=LINE)
    if standing:
        draw.rounded_rectangle((LEFT, y, max(x(standing), LEFT + 10), y + 18), 5, fill=LEADS)
    marks = [(view.starting_price, "start", FAINT, y - 34), (item.true_value, "true value", VALUE, y - 34)]
    if standing:
        marks.append((standing, "standing bid", LEADS, y + 24))
    else:
        marks.append((view.least_bid, "least bid", INK, y + 24))
    for dollars, label, colour, at in marks:
        draw.line((x(dollars), y - 12, x(dollars), y + 26), fill=colour, width=2)
        side = "ra" if x(dollars) > 0.8 * WIDTH else "la"
        _write(draw, x(dollars) + (-5 if side == "ra" else 5), at, f"{label} {money(dollars)}", 14, colour, anchor=side)


def _draw_bidder(draw: Any, view: View, seat: str, y: int) -> None:
    number = view.catalogue.seats.index(seat)
    leads, active = view.leader == seat, view.active[seat]
    colour, status = (LEADS, "leads") if leads else (IN, "in") if active else (OUT, "out")
    draw.line((LEFT, y, RIGHT, y), fill=LINE)
    draw.ellipse((LEFT, y + 17, LEFT + 12, y + 29), fill=colour)
    _write(draw, LEFT + 24, y + 13, view.catalogue.names[number][:18], 17)
    _write(draw, LEFT + 190, y + 15, status, 14, colour)
    endowment = int(view.row["endowment"][0, number]) / 100
    budget, profit = view.budgets[seat], view.profits[seat]
    draw.rounded_rectangle((LEFT + 250, y + 17, LEFT + 430, y + 29), 4, fill=LINE)
    if budget > 0:
        draw.rounded_rectangle((LEFT + 250, y + 17, LEFT + 250 + max(180 * budget / endowment, 6), y + 29), 4, fill=IN)
    _write(draw, LEFT + 442, y + 15, money(budget), 14)
    won = sum(item.winner == seat for item in view.items)
    _write(draw, RIGHT - 70, y + 15, f"profit {money(profit)}", 14, LEADS if profit >= 0 else VALUE, anchor="ra")
    _write(draw, RIGHT, y + 15, f"{won} won", 14, FAINT, anchor="ra")


def _write(
    draw: Any, x: float, y: float, words: str, size: int, colour: tuple[int, int, int] = INK, anchor: str = "la"
) -> None:
    from PIL import ImageFont

    draw.text((x, y), words, fill=colour, font=ImageFont.load_default(size), anchor=anchor)
