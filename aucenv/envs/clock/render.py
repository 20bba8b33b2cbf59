"""Render a clock auction as text."""

from __future__ import annotations

from aucenv.core.money import format_dollars
from aucenv.core.state import NOBODY
from aucenv.envs.clock.view import View
from aucenv.envs.single_item.values import CV


def ansi(view: View) -> str:
    """Return the table as text: the clock, the last round's result, then a line for each bidder.

    Args:
        view: a view that reveals everything.
    """
    row, sign, seats = view.row[0], view.scenario_text.sign, view.scenario_text.seats
    played, running = view.item_number, view.status == "running"
    if running:
        clock = f"clock {view.direction}, at {format_dollars(int(row['price_now']), sign)}"
        lines = [f"Round {played + 1} of {view.num_rounds}, {clock}, {view.values}"]
        if row["model"] == CV:
            lines[0] += f", the prize is worth {format_dollars(int(row['common'][played]), sign)}"
    else:
        lines = [f"Game {view.status} after {played} of {view.num_rounds} rounds."]
    if played:
        winner, price = int(row["winner"][played - 1]), int(row["price"][played - 1])
        sold = f"{seats[winner]} won at {format_dollars(price, sign)}" if winner >= 0 else "not sold"
        lines.append(f"Last round: {sold}.")
    for seat, name in zip(range(len(seats)), view.scenario_text.names, strict=True):
        value = format_dollars(int(row["value"][seat, played]), sign) if running else "-"
        limit = int(row["limit"][seat])
        status = "" if not running else "in" if row["active"][seat] else "out"
        if running and row["active"][seat] and limit != NOBODY:
            status = f"until {format_dollars(limit, sign)}"
        profit = format_dollars(int(row["profit"][seat]), sign)
        lines.append(
            f"  {seats[seat]:<10} {name:<8} value {value:>8}  {status:<11} profit {profit:>9}"
            f"  prizes {int(row['won'][seat]):>3}"
        )
    return "\n".join(lines) + "\n"
