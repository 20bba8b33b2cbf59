"""The rows of the pictures of sealed-bid and clock auctions."""

from __future__ import annotations

from collections.abc import Callable

from aucenv.core.drawing import IN, INK, LEADS, LEFT, OUT, RIGHT, ROW, TOP, Sheet
from aucenv.envs.single_item.render import amount, amount_of_profit, value_word, winners
from aucenv.envs.single_item.view import SingleItemView

BAR, BAR_END = LEFT + 258, LEFT + 378
VALUE_THEN, BID, VALUE_NOW, PROFIT = LEFT + 442, LEFT + 504, LEFT + 592, RIGHT - 50
ACTION = VALUE_NOW


def draw_heads(sheet: Sheet, view: SingleItemView, j: int, highest: int) -> None:
    """Draw the headings of round `j`, from 0, and the ends of the scale of its bars, up to `highest` cents."""
    sheet.heading(BAR, f"round {j + 1}", INK)
    sheet.heading(VALUE_THEN, value_word(view), IN, anchor="ra", line=2)
    sheet.scale_ends(BAR, BAR_END, amount(view, 0), amount(view, highest))


def draw_rows(sheet: Sheet, view: SingleItemView, draw_seat: Callable[[int, int], tuple[str, bool]]) -> None:
    """Draw a row for each bidder: name, status, the columns of `draw_seat`, profit and prizes.

    Args:
        draw_seat: draws a seat's columns in the row at `y`; returns its status, and whether to stress it.
    """
    sheet.heading(PROFIT, "profit", anchor="ra", line=2)
    sheet.heading(RIGHT, "prizes", anchor="ra", line=2)
    best, over = winners(view), view.status != "running"
    for seat, name in enumerate(view.scenario_text.names):
        y = TOP + ROW * seat
        status, stressed = draw_seat(seat, y)
        if over:
            status, stressed = ("winner" if seat in best else ""), seat in best
        sheet.begin_row(y, name, status, LEADS if stressed else OUT if over or status == "out" else IN)
        sheet.profit(PROFIT, y, int(view.row["profit"][0, seat]), amount_of_profit(view, seat), room=84)
        sheet.cell(RIGHT, y, str(int(view.row["won"][0, seat])))
