"""Render an English auction as an image: the item on a price scale, and a row for each bidder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, OUT, RIGHT, ROW, TOP, VALUE, Label, Sheet, round_up
from aucenv.core.money import money, to_cents
from aucenv.core.phrases import count
from aucenv.envs.english.render import highest_profit, last_sale, winners
from aucenv.envs.english.view import View

STATUS, BAR, BAR_END, LEFT_OVER, PROFIT = LEFT + 180, LEFT + 258, LEFT + 418, LEFT + 522, RIGHT - 62


def rgb(view: View, details: Sequence[str] = ()) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.
        details: text to show below each bidder's name.

    Raises:
        ImportError: Pillow is not installed.
    """
    text = view.scenario_text
    sheet = Sheet.for_names(text.names, details)
    sold = last_sale(view, text.names)
    if view.item is None or view.status != "running":
        sheet.title(f"Auction {view.status}", f"after {view.item_number} of {count(len(view.items), 'item')}")
        sheet.subtitle(sold or "", FAINT)
        sheet.write(LEFT, 88, highest_profit(view), 18, LEADS, room=sheet.right - LEFT)
    else:
        place = f"item {view.item_number + 1} of {len(view.items)}, round {view.round + 1}"
        sheet.title(view.item.name, place)
        sheet.subtitle(sold or "", FAINT)
        _draw_scale(sheet, view)
    endowment = max(view.row["endowment"][0, : len(text.seats)].tolist()) / 100
    sheet.heading(BAR, "budget left", IN)
    sheet.scale_ends(BAR, BAR_END, "$0", money(endowment))
    sheet.heading(PROFIT, "profit", anchor="ra")
    sheet.heading(RIGHT, "items", anchor="ra")
    for number, seat in enumerate(text.seats):
        y = TOP + ROW * number
        detail = details[number] if details else ""
        status, color = _status(view, seat)
        sheet.begin_row(y, text.names[number], status, color, detail)
        _draw_numbers(sheet, view, seat, endowment, y)
    return sheet.pixels()


def _draw_scale(sheet: Sheet, view: View) -> None:
    """Draw the standing bid as a bar on a scale of prices, with marks at the starting price and the true value."""
    item, standing = view.item, view.standing_bid
    assert item is not None
    assert item.true_value is not None
    assert view.least_bid is not None
    end = round_up(1.02 * max(item.true_value, standing or 0, view.least_bid, item.starting_price))

    def place(dollars: float) -> float:
        return LEFT + (sheet.right - LEFT) * dollars / end

    def label(words: str, dollars: float, color: tuple[int, int, int]) -> Label:
        return place(dollars), f"{words} {money(dollars)}", color

    y = 112
    sheet.bar(LEFT, sheet.right, y, 18, (standing or 0) / end, LEADS)
    above = [(view.starting_price, "start", FAINT), (item.true_value, "true value", VALUE)]
    below = (standing, "standing bid", LEADS) if standing is not None else (view.least_bid, "least bid", INK)
    for dollars, _, color in (*above, below):
        sheet.mark(place(dollars), y - 10, 36, color)
    sheet.labels(y - 30, [label(words, dollars, color) for dollars, words, color in above])
    ends = [(LEFT, "$0", FAINT), (sheet.right, money(end), FAINT)]
    sheet.labels(y + 28, [*ends, label(below[1], below[0], below[2])])


def _status(view: View, seat: str) -> tuple[str, tuple[int, int, int]]:
    if view.status != "running":
        return ("winner", LEADS) if seat in winners(view) else ("", OUT)
    if view.leader == seat:
        return "leads", LEADS
    return ("in", IN) if view.active[seat] else ("out", OUT)


def _draw_numbers(sheet: Sheet, view: View, seat: str, endowment: float, y: int) -> None:
    """Draw the budget, profit and items of a seat in its row at `y`; bars end at the largest budget, `endowment`."""
    budget, profit = view.budgets[seat], view.profits[seat]
    sheet.row_bar(BAR, BAR_END, y, budget / endowment)
    sheet.cell(LEFT_OVER, y, money(budget), room=94)
    sheet.profit(PROFIT, y, to_cents(profit), money(profit), room=106)
    sheet.cell(RIGHT, y, str(sum(item.winner == seat for item in view.items)))
