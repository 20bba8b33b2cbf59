"""Render a clock auction as an image: the clock, and each bidder's value and whether it is still in."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, OUT, RIGHT, ROW, TOP, VALUE, Sheet
from aucenv.core.money import format_dollars, to_cents
from aucenv.core.state import NOBODY
from aucenv.envs.clock.view import View

BAR, BAR_END = LEFT + 250, LEFT + 470


def rgb(view: View) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    seats, row, played, sign = view.scenario_text.seats, view.row[0], view.item_number, view.scenario_text.sign
    sheet = Sheet(len(seats))
    running = view.status == "running"
    title = f"Round {played + 1} of {view.num_rounds}" if running else f"Game {view.status} after {played} rounds"
    sheet.write(LEFT, 20, title, 26)
    sheet.write(RIGHT, 28, f"{view.direction} clock, {view.values}", 16, FAINT, anchor="ra")
    if running:
        low, high = to_cents(view.scenario.lowest_price), to_cents(view.scenario.highest_price)
        share = (int(row["price_now"]) - low) / (high - low)
        sheet.bar(LEFT, RIGHT, 84, 18, share, LEADS)
        x = LEFT + (RIGHT - LEFT) * share
        sheet.mark(x, 76, 34, INK)
        price = format_dollars(int(row["price_now"]), sign)
        sheet.write(min(x, RIGHT - 60), 112, price, 18, INK)
    sheet.write(BAR, TOP - 42, "value", 14, IN)
    for number in range(len(seats)):
        _draw_bidder(sheet, view, number, TOP + ROW * number)
    return sheet.pixels()


def _draw_bidder(sheet: Sheet, view: View, seat: int, y: int) -> None:
    row, played, sign = view.row[0], view.item_number, view.scenario_text.sign
    running = view.status == "running"
    active = running and bool(row["active"][seat])
    sheet.begin_row(
        y, view.scenario_text.names[seat], "in" if active else "out" if running else "", IN if active else OUT
    )
    value = int(row["value"][seat, played]) if running else 0
    highest = to_cents(max(view.scenario.highest_signal, view.scenario.highest_price))
    sheet.bar(BAR, BAR_END, y + 17, 12, value / highest, IN)
    limit = int(row["limit"][seat])
    if active and limit != NOBODY:
        sheet.mark(BAR + (BAR_END - BAR) * limit / highest, y + 11, 24, INK)
        sheet.write(BAR_END + 12, y + 15, format_dollars(limit, sign), 14)
    profit = int(row["profit"][seat])
    label = f"profit {format_dollars(profit, sign)}"
    sheet.write(RIGHT - 70, y + 15, label, 14, LEADS if profit >= 0 else VALUE, anchor="ra")
    sheet.write(RIGHT, y + 15, f"{int(row['won'][seat])} won", 14, FAINT, anchor="ra")
