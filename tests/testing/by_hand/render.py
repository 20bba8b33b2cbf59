"""The table as text."""

from __future__ import annotations

from uniform_price.view import View

from aucenv.core.words.money import money


def ansi(view: View) -> str:
    """Return the table as text."""
    lines = [
        f"Round {min(view.item_number + 1, view.scenario_text.scenario.num_rounds)} of {view.scenario_text.scenario.num_rounds}, {view.status}"
    ]
    for seat, name in enumerate(view.scenario_text.names):
        own = seat == view.seat_number or view.reveals
        profit = money(view.row["profit"][0, seat] / 100) if own else "?"
        lines.append(f"{name}: profit {profit}")
    return "\n".join(lines)
