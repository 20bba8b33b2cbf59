"""Render a sealed-bid auction as an image: values and bids of the last closed round, and the current values."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, Sheet
from aucenv.core.money import to_cents
from aucenv.core.phrases import count
from aucenv.envs.sealed_bid.render import pricing_words
from aucenv.envs.sealed_bid.view import View
from aucenv.envs.single_item.picture import BAR, BAR_END, BID, VALUE_NOW, VALUE_THEN, draw_heads, draw_rows
from aucenv.envs.single_item.render import amount, highest_profit, round_result, value_in, value_word, worth


def rgb(view: View) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    names, played = view.scenario_text.names, view.item_number
    sheet = Sheet.for_names(names)
    running = view.status == "running"
    kind = f"{pricing_words(view)}, {view.values}"
    if running:
        sheet.title(f"Round {played + 1} of {view.num_rounds}{worth(view, played)}", kind)
    else:
        sheet.title(f"Game {view.status} after {played} of {count(view.num_rounds, 'round')}", kind)
        sheet.write(LEFT, 100, highest_profit(view), 18, LEADS, room=sheet.right - LEFT)
    if played:
        sheet.subtitle(round_result(view, played - 1, names))
    draw_heads(sheet, view, max(played - 1, 0), _highest(view))
    if played:
        sheet.heading(BID, "bid", INK, anchor="ra", line=2)
    if played and running:
        sheet.heading(VALUE_NOW, f"round {played + 1}", INK, anchor="ra")
        sheet.heading(VALUE_NOW, value_word(view), anchor="ra", line=2)
    draw_rows(sheet, view, lambda seat, y: _draw_seat(sheet, view, seat, y))
    return sheet.pixels()


def _highest(view: View) -> int:
    """Return the end of the scale of values and bids, in cents: the highest that are possible or occurred."""
    bids = view.row["bid"][0, : len(view.scenario_text.seats), max(view.item_number - 1, 0)]
    return max(to_cents(max(view.scenario.highest_signal, view.scenario.highest_bid)), int(bids.max()))


def _draw_seat(sheet: Sheet, view: View, seat: int, y: int) -> tuple[str, bool]:
    """Draw a seat's value and bid in its row at `y`; return its status, and whether it won the last round."""
    row, played = view.row[0], view.item_number
    j, highest = max(played - 1, 0), _highest(view)
    sheet.row_bar(BAR, BAR_END, y, int(row["value"][seat, j]) / highest)
    sheet.cell(VALUE_THEN, y, value_in(view, seat, j), IN, room=60)
    if not played:
        return "", False
    if view.status == "running":
        sheet.cell(VALUE_NOW, y, value_in(view, seat, played), FAINT, room=80)
    bid = int(row["bid"][seat, j])
    sheet.cell(BID, y, amount(view, bid), room=56)
    if bid >= 0:
        sheet.mark(BAR + sheet.shift + (BAR_END - BAR) * bid / highest, y + 11, 24, INK)
    won = seat == int(row["winner"][j])
    return ("won" if won else ""), won
