"""The rows of the pictures of sealed-bid and clock auctions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from aucenv.core.drawing import IN, INK, LEADS, LEFT, OUT, RIGHT, ROW, TOP, Sheet, text_width
from aucenv.envs.single_item.render import amount, amount_of_profit, value_word, winners
from aucenv.envs.single_item.view import SingleItemView

BAR, BAR_END = LEFT + 258, LEFT + 378


@dataclasses.dataclass(frozen=True)
class Places:
    """The right ends of the columns after the bars, in pixels: wide enough for the amounts of a scenario.

    Attributes:
        value: the value in the round that the bars show.
        second, third: two columns of the game.
        profit: the profit.
        room: the width of a profit.
        right: the number of prizes.
    """

    value: float
    second: float
    third: float
    profit: float
    room: float
    right: float

    @classmethod
    def of(cls, view: SingleItemView, highest: int, prefix: str = "") -> Places:
        """Return the places for amounts up to `highest` cents.

        Args:
            prefix: the words before the amounts of the second column; a game with such words has no third column.
        """
        room = max(50.0, text_width(amount(view, -highest), 14))
        value = BAR_END + 14 + room
        second = value + 12 + room + text_width(prefix, 14)
        profit = max(second + (1 if prefix else 2) * (30 + room), RIGHT - 50)
        return cls(value, second, profit - 30 - room, profit, room, profit + 50)


def draw_heads(sheet: Sheet, view: SingleItemView, j: int, highest: int, places: Places) -> None:
    """Draw the headings of round `j`, from 0, and the ends of the scale of its bars, up to `highest` cents."""
    sheet.heading(BAR, f"round {j + 1}", INK)
    sheet.heading(places.value, value_word(view), IN, anchor="ra", line=2)
    sheet.scale_ends(BAR, BAR_END, amount(view, 0), amount(view, highest))


def draw_rows(
    sheet: Sheet, view: SingleItemView, places: Places, draw_seat: Callable[[int, int], tuple[str, bool]]
) -> None:
    """Draw a row for each bidder: name, status, the columns of `draw_seat`, profit and prizes.

    Args:
        draw_seat: draws a seat's columns in the row at `y`; returns its status, and whether to stress it.
    """
    sheet.heading(places.profit, "profit", anchor="ra", line=2)
    sheet.heading(places.right, "prizes", anchor="ra", line=2)
    best, over = winners(view), view.status != "running"
    for seat, name in enumerate(view.scenario_text.names):
        y = TOP + ROW * seat
        status, stressed = draw_seat(seat, y)
        if over:
            status, stressed = ("winner" if seat in best else ""), seat in best
        sheet.begin_row(y, name, status, LEADS if stressed else OUT if over or status == "out" else IN)
        sheet.profit(places.profit, y, int(view.row["profit"][0, seat]), amount_of_profit(view, seat), places.room)
        sheet.cell(places.right, y, str(int(view.row["won"][0, seat])))
