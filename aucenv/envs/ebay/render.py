"""Render a proxy auction as text."""

from __future__ import annotations

from aucenv.core.state import NOBODY
from aucenv.envs.ebay.view import View
from aucenv.envs.single_item.render import amount, board, value_in, value_word, worth


def ansi(view: View) -> str:
    """Return the table as text: the day and the price, the last closed auction, then a line for each bidder.

    Args:
        view: a view that reveals everything.
    """
    played, value = view.item_number, value_word(view)

    def closed(seat: int) -> list[str]:
        maximum = amount(view, int(view.row["bid"][0, seat, played - 1]))
        return [value_in(view, seat, played - 1), maximum, closed_status(view, seat, played - 1)]

    def current(seat: int) -> list[str]:
        return [value_in(view, seat, played), maximum_of(view, seat), current_status(view, seat)]

    head = f"Round {played + 1} of {view.num_rounds}, proxy auction, {view.scenario.closing} close"
    if view.status == "running":
        head += f", {day_words(view)}, price {amount(view, int(view.row['price_now'][0]))}, {view.values}"
        head += worth(view, played)
    return board(view, head, ([value, "maximum", "status"], closed), ([value, "maximum", "status"], current))


def day_words(view: View) -> str:
    """Return the day in words: `day 3 of 10`."""
    return f"day {view.day + 1} of {view.day + 1 + view.days_left}"


def maximum_of(view: View, seat: int) -> str:
    """Return a seat's maximum in the current auction as text; `-` if it has none."""
    return amount(view, int(view.row["maximum"][0, seat]))


def closed_status(view: View, seat: int, j: int) -> str:
    """Return the result of a seat in closed auction `j`, from 0: `won`; `led` if the prize was not sold."""
    if int(view.row["winner"][0, j]) == seat:
        return "won"
    return "led" if int(view.row["led"][0, j]) == seat else ""


def current_status(view: View, seat: int) -> str:
    """Return whether a seat leads or moves now: `leads`, `moves`, `leads, moves`."""
    leads = view._get("leader") == seat != NOBODY
    return ", ".join(word for word, true in (("leads", leads), ("moves", view.row["acting"][0, seat])) if true)
