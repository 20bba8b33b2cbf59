"""Render an English auction as text."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.money import money
from aucenv.envs.english.view import View


def ansi(view: View, endings: Sequence[str] | None = None) -> str:
    """Return the table as text: the item and its standing bid, then a line for each bidder.

    Args:
        view: a view that reveals everything.
        endings: text to append to each bidder's line.
    """
    item = view.item
    if item is None or view.status != "running":
        lines = [f"Auction {view.status} after {view.item_number} of {len(view.items)} items."]
    else:
        place = f"Item {view.item_number + 1} of {len(view.items)}: {item.name}"
        value = f"true value {money(item.true_value or 0)}"
        lines = [f"{place}, starting price {money(view.starting_price)} ({value}), round {view.round + 1}"]
        leader = view.leader
        if leader is None:
            lines.append("No bid yet.")
        else:
            lines.append(f"Standing bid {money(view.standing_bid or 0)} by {leader}.")
    active = view.active
    won = {seat: sum(item.winner == seat for item in view.items) for seat in view.scenario_text.seats}
    seats, names = view.scenario_text.seats, view.scenario_text.names
    for seat, name, end in zip(seats, names, endings or [""] * len(seats), strict=True):
        status = "leads" if view.leader == seat else "in" if active[seat] else "out"
        budget, profit = money(view.budgets[seat]), money(view.profits[seat])
        lines.append(
            f"  {seat:<10} {name:<10} {status:<5} budget {budget:>11}  profit {profit:>11}  items {won[seat]:>3}{end}"
        )
    return "\n".join(lines) + "\n"
