"""Render a sealed-bid auction as text."""

from __future__ import annotations

from aucenv.core.money import format_dollars
from aucenv.envs.sealed_bid.view import View
from aucenv.envs.single_item.values import CV


def ansi(view: View) -> str:
    """Return the table as text: the last round's result, then a line for each bidder.

    Args:
        view: a view that reveals everything.
    """
    row, sign, seats = view.row[0], view.scenario_text.sign, view.scenario_text.seats
    played, running = view.item_number, view.status == "running"
    if running:
        lines = [f"Round {played + 1} of {view.num_rounds}, {view.pricing} price, {view.values}"]
        if row["model"] == CV:
            lines[0] += f", the prize is worth {format_dollars(int(row['common'][played]), sign)}"
    else:
        lines = [f"Game {view.status} after {played} of {view.num_rounds} rounds."]
    winner, price = -1, 0
    if played:
        winner, price = int(row["winner"][played - 1]), int(row["price"][played - 1])
        sold = f"{seats[winner]} won at {format_dollars(price, sign)}" if winner >= 0 else "not sold"
        lines.append(f"Last round: {sold}.")
    for seat, name in zip(range(len(seats)), view.scenario_text.names, strict=True):
        value = format_dollars(int(row["value"][seat, played]), sign) if running else "-"
        bid = int(row["bid"][seat, played - 1]) if played else -1
        last = format_dollars(bid, sign) if bid >= 0 else "-"
        profit = format_dollars(int(row["profit"][seat]), sign)
        mark = "won" if seat == winner else ""
        lines.append(
            f"  {seats[seat]:<10} {name:<8} value {value:>8}  last bid {last:>8} {mark:<3}  profit {profit:>9}"
            f"  prizes {int(row['won'][seat]):>3}"
        )
    return "\n".join(lines) + "\n"
