"""The table as text."""

from __future__ import annotations

from uniform_price.view import View

from aucenv.core.money import money


def ansi(view: View) -> str:
    """Return the table as text."""
    lines = [
        f"Round {min(view.item_number + 1, view.scenario.num_rounds)} of {view.scenario.num_rounds}, {view.status}"
    ]
    for seat, name in enumerate(view.scenario_text.names):
        own = seat == view.seat_number or view.reveals
        profit = money(view.row["profit"][0, seat] / 100) if own else "?"
        bids = [view.round_of(seat, j).bid for j in range(view.item_number)] if own else []
        shown = ", ".join("-" if bid is None else money(bid) for bid in bids)
        lines.append(f"{name}: profit {profit}{f', bids {shown}' if shown else ''}")
    return "\n".join(lines)
