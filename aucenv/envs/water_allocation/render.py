"""Render the town as text."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.money import money
from aucenv.core.phrases import aligned, count, listed
from aucenv.envs.water_allocation.view import Day, View


def ansi(view: View) -> str:
    """Return the town as text: the day, the last day's result, then a line for each resident.

    Args:
        view: a view that reveals everything.
    """
    closed, over = view.item_number, view.supply is None
    last = view.day_at(closed - 1) if closed else None
    if over:
        lines = [f"Game {view.status} after {closed} of {count(view.days, 'day')}."]
    else:
        lines = [f"Day {view.day} of {view.days}: {count(view.supply or 0, 'unit')} of {view.wording.resource}"]
    if last is not None:
        lines.append(f"{day_result(view, last, view.scenario_text.seats)}.")
    if over:
        lines.append(f"{survivors(view)}.")
    bid = f"bid on day {closed}" if closed else ""
    rows = [["", "", "need", "health", view.wording.days_without, "balance", bid, ""]]
    for resident in view.residents:
        life = [str(resident.health), str(resident.no_water_days)] if resident.alive else ["dead", "-"]
        mark = "survived" if over and resident.alive else _mark(view, last, resident.seat)
        shown = _last_bid(last, resident.seat) if closed else ""
        rows.append([resident.seat, resident.name, str(resident.need), *life, money(resident.balance), shown, mark])
    return "\n".join([*lines, *aligned(rows, (0, 1, 7))]) + "\n"


def day_result(view: View, day: Day, names: Sequence[str]) -> str:
    """Return the result of a closed day in words: `Day 3: 20 units, water for Bob and Alex`.

    Args:
        names: the names by seat that the result shows.
    """
    served = _listed_or_counted([names[view.scenario_text.seats.index(seat)] for seat in day.winners])
    return f"Day {day.number}: {count(day.supply, 'unit')}, {view.wording.resource} for {served}"


def survivors(view: View) -> str:
    """Return the survivors of a game that is over in words: `Survivors: Bob and Cindy`."""
    return f"Survivors: {_listed_or_counted([resident.name for resident in view.residents if resident.alive])}"


def _listed_or_counted(names: Sequence[str]) -> str:
    """Return names in words; only their number if there are many, as their rows mark them."""
    if len(names) > MOST_NAMES:
        return count(len(names), "resident")
    return listed(names) or "nobody"


MOST_NAMES = 5
"""The largest number of names in a line, so that it stays readable in a picture."""


def _last_bid(last: Day | None, seat: str) -> str:
    bid = None if last is None else last.bids.get(seat)
    return "-" if bid is None else money(bid)


def _mark(view: View, last: Day | None, seat: str) -> str:
    if last is None:
        return ""
    return view.wording.resource if seat in last.winners else "void" if seat in last.void else ""
