"""Render a sealed-bid auction as text."""

from __future__ import annotations

from aucenv.envs.sealed_bid.view import View
from aucenv.envs.single_item.render import amount, board, value_in, value_word, worth


def ansi(view: View) -> str:
    """Return the table as text: values and bids of the last closed round, and the values of the current one.

    Args:
        view: a view that reveals everything.
    """
    row, played = view.row[0], view.item_number
    value = value_word(view)

    def closed(seat: int) -> list[str]:
        won = "won" if seat == int(row["winner"][played - 1]) else ""
        return [value_in(view, seat, played - 1), amount(view, int(row["bid"][seat, played - 1])), won]

    head = f"Round {played + 1} of {view.num_rounds}, {pricing_words(view)}, {view.values}"
    if view.status == "running":
        head += worth(view, played)
    return board(view, head, ([value, "bid", ""], closed), ([value], lambda seat: [value_in(view, seat, played)]))


def pricing_words(view: View) -> str:
    """Return the pricing in words: `first price`, `all-pay`."""
    return "all-pay" if view.pricing == "all_pay" else f"{view.pricing} price"
