"""Render the town as text."""

from __future__ import annotations

from aucenv.core.money import money
from aucenv.envs.water_allocation.view import Day, View


def ansi(view: View) -> str:
    """Return the town as text: the day, the last day's result, then a line for each resident.

    Args:
        view: a view that reveals everything.
    """
    closed = view.item_number
    last = view.day_at(closed - 1) if closed else None
    if view.supply is None:
        lines = [f"Game {view.status} after {closed} of {view.days} days."]
    else:
        lines = [f"Day {view.day} of {view.days}: {view.supply} units of water"]
    if last is not None:
        served = ", ".join(last.winners) or "nobody"
        lines.append(f"Last day: {last.supply} units, water for {served}.")
    for resident in view.residents:
        life = f"health {resident.health:>3}  dry {resident.no_water_days:>2}" if resident.alive else "dead"
        bid = _last_bid(last, resident.seat)
        lines.append(
            f"  {resident.seat:<10} {resident.name:<10} need {resident.need:>3}  {life:<18} balance "
            f"{money(resident.balance):>8}  last bid {bid}"
        )
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _last_bid(last: Day | None, seat: str) -> str:
    if last is None or last.bids.get(seat) is None:
        return "-"
    note = " won" if seat in last.winners else " void" if seat in last.void else ""
    return f"{money(last.bids[seat] or 0)}{note}"
