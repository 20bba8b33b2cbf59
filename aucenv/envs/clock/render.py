"""Render a clock auction as text."""

from __future__ import annotations

from aucenv.core.state import NOBODY
from aucenv.envs.clock.view import View
from aucenv.envs.single_item.render import amount, board, value_in, value_word, worth


def ansi(view: View) -> str:
    """Return the table as text: the clock, the last closed round, then a line for each bidder.

    Args:
        view: a view that reveals everything.
    """
    played, value = view.item_number, value_word(view)

    def closed(seat: int) -> list[str]:
        return [value_in(view, seat, played - 1), closed_status(view, seat, played - 1)]

    def current(seat: int) -> list[str]:
        return [value_in(view, seat, played), current_status(view, seat)]

    head = f"Round {played + 1} of {view.num_rounds}, {view.direction} clock"
    if view.status == "running":
        head += f" at {amount(view, int(view.row['price_now'][0]))}, {view.values}{worth(view, played)}"
    return board(view, head, ([value, "status"], closed), ([value, "status"], current))


def closed_status(view: View, seat: int, j: int) -> str:
    """Return what a seat did in closed round `j`, from 0: `won`, `left at $42`; on a descending clock, `waited`."""
    bid = int(view.row["bid"][0, seat, j])
    if int(view.row["winner"][0, j]) == seat:
        return "won"
    if bid == NOBODY:
        return "waited" if view.direction == "descending" else "stayed"
    return f"took it at {amount(view, bid)}" if view.direction == "descending" else f"left at {amount(view, bid)}"


def current_status(view: View, seat: int) -> str:
    """Return whether a seat is still in, and the price that it has named: `in`, `until $70`, `left at $30`."""
    if not view.row["active"][0, seat]:
        return f"left at {amount(view, int(view.row['bid'][0, seat, view.item_number]))}"
    limit = int(view.row["limit"][0, seat])
    if limit == NOBODY:
        return "in"
    return f"{'takes it at' if view.direction == 'descending' else 'until'} {amount(view, limit)}"
