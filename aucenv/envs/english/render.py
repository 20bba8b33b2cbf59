"""Render an English auction as text."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.money import money
from aucenv.core.phrases import best_seats, count, listed
from aucenv.envs.english.view import View


def ansi(view: View, endings: Sequence[str] | None = None) -> str:
    """Return the table as text: the item and its standing bid, then a line for each bidder.

    Args:
        view: a view that reveals everything.
        endings: text to append to each bidder's line.
    """
    item = view.item
    if item is None or view.status != "running":
        over = f"Auction {view.status} after {view.item_number} of {count(len(view.items), 'item')}."
        lines = [over, f"{highest_profit(view)}."]
    else:
        place = f"Item {view.item_number + 1} of {len(view.items)}: {item.name}"
        value = f"true value {money(item.true_value or 0)}"
        lines = [f"{place}, starting price {money(view.starting_price)} ({value}), round {view.round + 1}"]
        leader = view.leader
        if leader is None:
            lines.append("No bid yet.")
        else:
            lines.append(f"Standing bid {money(view.standing_bid or 0)} by {leader}.")
    won = {seat: sum(item.winner == seat for item in view.items) for seat in view.scenario_text.seats}
    seats, names = view.scenario_text.seats, view.scenario_text.names
    width, room = max(10, *map(len, names)), 5 if view.status == "running" else 6
    for seat, name, end in zip(seats, names, endings or [""] * len(seats), strict=True):
        budget, profit = money(view.budgets[seat]), money(view.profits[seat])
        lines.append(
            f"  {seat:<10} {name:<{width}} {_status(view, seat):<{room}} budget {budget:>11}  profit {profit:>11}"
            f"  items {won[seat]:>3}{end}"
        )
    return "\n".join(lines) + "\n"


def winners(view: View) -> list[str]:
    """Return the seats with the highest profit once the auction is over; none while it runs."""
    return best_seats(view.status, view.profits)


def highest_profit(view: View) -> str:
    """Return the winners of an auction that is over and their profit: `Highest profit: Alex, $9,700`."""
    names = dict(zip(view.scenario_text.seats, view.scenario_text.names, strict=True))
    best = winners(view)
    if not best:
        return f"All bidders have the same profit, {money(view.profits[view.seat])}"
    return f"Highest profit: {listed([names[seat] for seat in best])}, {money(view.profits[best[0]])}"


def last_sale(view: View, names: Sequence[str]) -> str | None:
    """Return what became of the item before the current one; None for the first item.

    Args:
        names: the names of the bidders by seat.
    """
    if view.item_number == 0:
        return None
    item = view.items[view.item_number - 1]
    which = "Previous item" if view.status == "running" else "Last item"
    if item.winner is None or item.hammer_price is None:
        return f"{which}: {item.name}, not sold"
    winner = names[view.scenario_text.seats.index(item.winner)]
    return f"{which}: {item.name}, sold to {winner} for {money(item.hammer_price)}"


def _status(view: View, seat: str) -> str:
    if view.status != "running":
        return "winner" if seat in winners(view) else ""
    return "leads" if view.leader == seat else "in" if view.active[seat] else "out"
