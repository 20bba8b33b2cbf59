"""Render a proxy auction as an image: the price of each move, and each bidder's value and maximum."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, Sheet
from aucenv.core.money import to_cents
from aucenv.core.phrases import count
from aucenv.core.state import NOBODY
from aucenv.envs.ebay.render import closed_status, current_status, day_words, maximum_of
from aucenv.envs.ebay.view import View
from aucenv.envs.single_item.picture import BAR, BAR_END, Places, draw_heads, draw_rows
from aucenv.envs.single_item.render import amount, highest_profit, round_result, value_in, worth


def rgb(view: View) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8. Once the game is over, it shows the last auction.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    names, played = view.scenario_text.names, view.item_number
    places = Places.of(view, _highest(view))
    sheet = Sheet.for_names(names, right=places.right)
    running = view.status == "running"
    kind = f"proxy auction, {view.scenario.closing} close, {view.values}"
    if running:
        sheet.title(f"Round {played + 1} of {view.num_rounds}, {day_words(view)}{worth(view, played)}", kind)
        _draw_price(sheet, view)
    else:
        sheet.title(f"Game {view.status} after {played} of {count(view.num_rounds, 'round')}", kind)
        sheet.write(LEFT, 100, highest_profit(view), 18, LEADS, room=sheet.right - LEFT)
    if played:
        sheet.subtitle(round_result(view, played - 1, names))
    j = played if running or not played else played - 1
    draw_heads(sheet, view, j, _highest(view), places)
    sheet.heading(places.second, "maximum", INK, anchor="ra", line=2)
    draw_rows(sheet, view, places, lambda seat, y: _draw_seat(sheet, view, places, seat, j, y))
    return sheet.pixels()


def _draw_price(sheet: Sheet, view: View) -> None:
    """Draw the price as a bar between $0 and the highest possible maximum."""
    high, price = to_cents(view.scenario.highest_maximum), int(view.row["price_now"][0])
    share = min(1.0, price / high)
    sheet.bar(LEFT, sheet.right, 100, 18, share, LEADS)
    x = LEFT + (sheet.right - LEFT) * share
    sheet.mark(x, 92, 34, INK)
    ends = [(LEFT, amount(view, 0), FAINT)] * (share > 0) + [(sheet.right, amount(view, high), FAINT)] * (share < 1)
    sheet.labels(128, [*ends, (x, f"price {amount(view, price)}", INK)])


def _highest(view: View) -> int:
    """Return the end of the scale of values and maxima, in cents."""
    return to_cents(max(view.scenario.highest_signal, view.scenario.highest_maximum))


def _draw_seat(sheet: Sheet, view: View, places: Places, seat: int, j: int, y: int) -> tuple[str, bool]:
    """Draw a seat's value and maximum in auction `j`, from 0, in its row at `y`; return its status, and if it leads."""
    row, running = view.row[0], j == view.item_number
    sheet.row_bar(BAR, BAR_END, y, int(row["value"][seat, j]) / _highest(view))
    sheet.cell(places.value, y, value_in(view, seat, j), IN, places.room)
    maximum = int(row["maximum"][seat]) if running else int(row["bid"][seat, j])
    if maximum >= 0:
        sheet.mark(BAR + sheet.shift + (BAR_END - BAR) * maximum / _highest(view), y + 11, 24, INK)
    text = maximum_of(view, seat) if running else amount(view, maximum if maximum >= 0 else NOBODY)
    sheet.cell(places.second, y, text, INK, places.room)
    status = current_status(view, seat) if running else closed_status(view, seat, j)
    return status, status.startswith("leads") or status == "won"
