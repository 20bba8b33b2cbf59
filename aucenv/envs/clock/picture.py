"""Render a clock auction as an image: the clock, and each bidder's value and whether it is still in."""

from __future__ import annotations

import numpy as np

from aucenv.core.drawing import FAINT, IN, INK, LEADS, LEFT, Sheet
from aucenv.core.money import to_cents
from aucenv.core.phrases import count
from aucenv.core.state import NOBODY
from aucenv.envs.clock.render import closed_status, current_status
from aucenv.envs.clock.view import View
from aucenv.envs.single_item.picture import BAR, BAR_END, Places, draw_heads, draw_rows
from aucenv.envs.single_item.render import amount, highest_profit, round_result, value_in, worth


def rgb(view: View) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8. Once the game is over, it shows the last round.

    Args:
        view: a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    names, played = view.scenario_text.names, view.item_number
    places = Places.of(view, _highest(view), "takes it at ")
    sheet = Sheet.for_names(names, right=places.right)
    running = view.status == "running"
    kind = f"{view.direction} clock, {view.values}"
    if running:
        sheet.title(f"Round {played + 1} of {view.num_rounds}{worth(view, played)}", kind)
        _draw_clock(sheet, view)
    else:
        sheet.title(f"Game {view.status} after {played} of {count(view.num_rounds, 'round')}", kind)
        sheet.write(LEFT, 100, highest_profit(view), 18, LEADS, room=sheet.right - LEFT)
    if played:
        sheet.subtitle(round_result(view, played - 1, names))
    j = played if running or not played else played - 1
    draw_heads(sheet, view, j, _highest(view), places)
    sheet.heading(places.second, "action", INK, anchor="ra", line=2)
    draw_rows(sheet, view, places, lambda seat, y: _draw_seat(sheet, view, places, seat, j, y))
    return sheet.pixels()


def _draw_clock(sheet: Sheet, view: View) -> None:
    """Draw the clock's price as a bar between its lowest and its highest price."""
    low, high = to_cents(view.scenario.lowest_price), to_cents(view.scenario.highest_price)
    price = int(view.row["price_now"][0])
    share = (price - low) / (high - low)
    sheet.bar(LEFT, sheet.right, 100, 18, share, LEADS)
    x = LEFT + (sheet.right - LEFT) * share
    sheet.mark(x, 92, 34, INK)
    ends = [(LEFT, amount(view, low), FAINT)] * (share > 0) + [(sheet.right, amount(view, high), FAINT)] * (share < 1)
    sheet.labels(128, [*ends, (x, f"price {amount(view, price)}", INK)])


def _highest(view: View) -> int:
    """Return the end of the scale of values and prices, in cents."""
    return to_cents(max(view.scenario.highest_signal, view.scenario.highest_price))


def _draw_seat(sheet: Sheet, view: View, places: Places, seat: int, j: int, y: int) -> tuple[str, bool]:
    """Draw a seat's value and action in round `j`, from 0, in its row at `y`; return its status, and False."""
    row, running = view.row[0], j == view.item_number
    sheet.row_bar(BAR, BAR_END, y, int(row["value"][seat, j]) / _highest(view))
    sheet.cell(places.value, y, value_in(view, seat, j), IN)
    active = running and bool(row["active"][seat])
    price = int(row["limit"][seat]) if active else int(row["bid"][seat, j])
    if price != NOBODY:
        sheet.mark(BAR + sheet.shift + (BAR_END - BAR) * price / _highest(view), y + 11, 24, INK)
    action = current_status(view, seat) if running else closed_status(view, seat, j)
    sheet.cell(places.second, y, "" if action == "in" else action)
    return ("in" if active else "out" if running else ""), False
