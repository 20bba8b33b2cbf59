"""Render a sealed-bid auction as an image: values and bids of the last closed round, and the current values."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, Sheet
from aucenv.core.money import to_cents
from aucenv.core.phrases import count
from aucenv.envs.sealed_bid.render import pricing_words
from aucenv.envs.sealed_bid.view import View
from aucenv.envs.single_item.picture import BAR, BAR_END, Places, draw_heads, draw_rows
from aucenv.envs.single_item.render import amount, highest_profit, round_result, value_in, value_word, worth


def rgb(view: View) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    names, played = view.scenario_text.names, view.item_number
    places = Places.of(view, _highest_possible(view))
    sheet = Sheet.for_names(names, right=places.right)
    running = view.status == "running"
    kind = f"{pricing_words(view)}, {view.values}"
    if running:
        sheet.title(f"Round {played + 1} of {view.num_rounds}{worth(view, played)}", kind)
    else:
        sheet.title(f"Game {view.status} after {played} of {count(view.num_rounds, 'round')}", kind)
        sheet.write(LEFT, 100, highest_profit(view), 18, LEADS, room=sheet.right - LEFT)
    if played:
        sheet.subtitle(round_result(view, played - 1, names))
    draw_heads(sheet, view, max(played - 1, 0), _highest(view), places)
    if played:
        sheet.heading(places.second, "bid", INK, anchor="ra", line=2)
    if played and running:
        sheet.heading(places.third, f"round {played + 1}", INK, anchor="ra")
        sheet.heading(places.third, value_word(view), anchor="ra", line=2)
    draw_rows(sheet, view, places, lambda seat, y: _draw_seat(sheet, view, places, seat, y))
    return sheet.pixels()


def _highest(view: View) -> int:
    """Return the end of the scale of values and bids, in cents: the highest that are possible or occurred."""
    bids = view.row["bid"][0, : len(view.scenario_text.seats), max(view.item_number - 1, 0)]
    return max(_highest_possible(view), int(bids.max()))


def _highest_possible(view: View) -> int:
    """Return the highest value or bid in cents; without a bid cap, that of the vector interface."""
    return to_cents(max(view.scenario.highest_signal, view.scenario.highest_bid))


def _draw_seat(sheet: Sheet, view: View, places: Places, seat: int, y: int) -> tuple[str, bool]:
    """Draw a seat's value and bid in its row at `y`; return its status, and whether it won the last round."""
    row, played = view.row[0], view.item_number
    j, highest = max(played - 1, 0), _highest(view)
    sheet.row_bar(BAR, BAR_END, y, int(row["value"][seat, j]) / highest)
    sheet.cell(places.value, y, value_in(view, seat, j), IN, places.room)
    if not played:
        return "", False
    if view.status == "running":
        sheet.cell(places.third, y, value_in(view, seat, played), FAINT, places.room)
    bid = int(row["bid"][seat, j])
    sheet.cell(places.second, y, amount(view, bid), INK, places.room)
    if bid >= 0:
        sheet.mark(BAR + sheet.shift + (BAR_END - BAR) * bid / highest, y + 11, 24, INK)
    won = seat == int(row["winner"][j])
    return ("won" if won else ""), won
