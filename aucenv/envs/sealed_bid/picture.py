"""Render a sealed-bid auction as an image: the last round's result, and each bidder's value and last bid."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, RIGHT, ROW, TOP, VALUE, Sheet
from aucenv.core.money import format_dollars, to_cents
from aucenv.envs.sealed_bid.view import View

BAR, BAR_END = LEFT + 250, LEFT + 470


def rgb(view: View) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    seats, row, played = view.scenario_text.seats, view.row[0], view.item_number
    sheet = Sheet(len(seats))
    running = view.status == "running"
    title = f"Round {played + 1} of {view.num_rounds}" if running else f"Game {view.status} after {played} rounds"
    sheet.write(LEFT, 24, title, 26)
    sheet.write(RIGHT, 32, f"{view.pricing} price, {view.values}", 16, FAINT, anchor="ra")
    winner = int(row["winner"][played - 1]) if played else -1
    if played:
        price = format_dollars(int(row["price"][played - 1]), view.scenario_text.sign)
        sold = f"won by {view.scenario_text.names[winner]} at {price}" if winner >= 0 else "not sold"
        sheet.write(LEFT, 74, f"Last round: {sold}", 18)
    sheet.write(BAR, TOP - 42, "value", 14, IN)
    sheet.write(BAR_END, TOP - 42, "last bid", 14, INK, anchor="ra")
    for number in range(len(seats)):
        _draw_bidder(sheet, view, number, number == winner, TOP + ROW * number)
    return sheet.pixels()


def _draw_bidder(sheet: Sheet, view: View, seat: int, won: bool, y: int) -> None:
    row, played, sign = view.row[0], view.item_number, view.scenario_text.sign
    highest = to_cents(max(view.scenario.highest_signal, view.scenario.highest_bid))
    sheet.begin_row(y, view.scenario_text.names[seat], "won" if won else "", LEADS if won else IN)
    value = int(row["value"][seat, played]) if view.status == "running" else 0
    sheet.bar(BAR, BAR_END, y + 17, 12, value / highest, IN)
    if played and row["bid"][seat, played - 1] >= 0:
        bid = int(row["bid"][seat, played - 1])
        sheet.mark(BAR + (BAR_END - BAR) * min(1.0, bid / highest), y + 11, 24, INK)
        sheet.write(BAR_END + 12, y + 15, format_dollars(bid, sign), 14)
    profit = int(row["profit"][seat])
    label = f"profit {format_dollars(profit, sign)}"
    sheet.write(RIGHT - 70, y + 15, label, 14, LEADS if profit >= 0 else VALUE, anchor="ra")
    sheet.write(RIGHT, y + 15, f"{int(row['won'][seat])} won", 14, FAINT, anchor="ra")
