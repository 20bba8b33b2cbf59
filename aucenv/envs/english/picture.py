"""Render an English auction as an image: the item on a price scale, and a row for each bidder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, OUT, RIGHT, ROW, TOP, VALUE, WIDTH, Sheet
from aucenv.core.money import money
from aucenv.envs.english.view import View


def rgb(view: View, names: Sequence[str] | None = None) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.
        names: display names of the bidders; by default those of the scenario.

    Raises:
        ImportError: Pillow is not installed.
    """
    sheet = Sheet(len(view.scenario_text.seats))
    if view.item is None or view.status != "running":
        sheet.write(LEFT, 24, f"Auction {view.status}", 26)
        sheet.write(LEFT, 62, f"after {view.item_number} of {len(view.items)} items", 16, FAINT)
    else:
        _draw_item(sheet, view)
    for number, seat in enumerate(view.scenario_text.seats):
        _draw_bidder(sheet, view, seat, (names or view.scenario_text.names)[number], TOP + ROW * number)
    return sheet.pixels()


def _draw_item(sheet: Sheet, view: View) -> None:
    item = view.item
    assert item is not None
    assert item.true_value is not None
    assert view.least_bid is not None
    sheet.write(LEFT, 20, item.name, 26)
    place = f"item {view.item_number + 1} of {len(view.items)}, round {view.round + 1}"
    sheet.write(RIGHT, 28, place, 16, FAINT, anchor="ra")
    standing = view.standing_bid or 0
    scale_end = 1.15 * max(item.true_value, standing, view.least_bid, item.starting_price)
    y = 112
    sheet.bar(LEFT, RIGHT, y, 18, standing / scale_end, LEADS)
    marks = [(view.starting_price, "start", FAINT, y - 34), (item.true_value, "true value", VALUE, y - 34)]
    if standing:
        marks.append((standing, "standing bid", LEADS, y + 24))
    else:
        marks.append((view.least_bid, "least bid", INK, y + 24))
    for dollars, label, color, label_y in marks:
        x = LEFT + (RIGHT - LEFT) * dollars / scale_end
        sheet.mark(x, y - 12, 38, color)
        anchor = "ra" if x > 0.8 * WIDTH else "la"
        sheet.write(x + (-5 if anchor == "ra" else 5), label_y, f"{label} {money(dollars)}", 14, color, anchor=anchor)


def _draw_bidder(sheet: Sheet, view: View, seat: str, name: str, y: int) -> None:
    number = view.scenario_text.seats.index(seat)
    leads, active = view.leader == seat, view.active[seat]
    color, status = (LEADS, "leads") if leads else (IN, "in") if active else (OUT, "out")
    sheet.begin_row(y, name, status, color)
    endowment = int(view.row["endowment"][0, number]) / 100
    budget, profit = view.budgets[seat], view.profits[seat]
    sheet.bar(LEFT + 250, LEFT + 430, y + 17, 12, budget / endowment, IN)
    sheet.write(LEFT + 442, y + 15, money(budget), 14)
    won = sum(item.winner == seat for item in view.items)
    sheet.write(RIGHT - 70, y + 15, f"profit {money(profit)}", 14, LEADS if profit >= 0 else VALUE, anchor="ra")
    sheet.write(RIGHT, y + 15, f"{won} won", 14, FAINT, anchor="ra")
