"""Views as the data that `page.js` draws, in reports and at live tables."""

from __future__ import annotations

import dataclasses

from aucenv.core.choices import amount, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.state import RUNNING
from aucenv.envs.water_allocation.view import Day, View


def view_data(view: View) -> JsonObject:
    """Return a view as JSON data. Seats are numbers, and amounts are dollars; only personas are private."""
    numbers = {seat: number for number, seat in enumerate(view.scenario_text.seats)}
    running = view._get("status") == RUNNING
    return {
        "seat": None if view.reveals else view.seat_number,
        "status": view.status,
        "day": view.item_number,
        "days": view.days,
        "supply": view.supply,
        "supply_range": list(view.supply_range),
        "health_cap": view.health_cap,
        "voids": view.voids,
        "persona": None if view.reveals else view.persona,
        "residents": [
            {name: value for name, value in dataclasses.asdict(resident).items() if name != "seat"}
            | {"decides": running and resident.alive}
            for resident in view.residents
        ],
        "history": [_day(day, numbers) for day in view.history],
        "refused": view.refused,
    }


def _day(day: Day, numbers: dict[str, int]) -> JsonObject:
    return {
        "number": day.number,
        "supply": day.supply,
        "bids": [[numbers[seat], bid] for seat, bid in day.bids.items()],
        "void": [numbers[seat] for seat in day.void],
        "winners": [numbers[seat] for seat in day.winners],
        "after": [[numbers[seat], *dataclasses.astuple(after)] for seat, after in day.after.items()],
    }


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.choices.choices_of`."""
    return choices_of([no_bid("Make no bid")], amount("Bid", 0.0, view.resident.balance, 0.01))


def public_data(view: View) -> JsonObject:
    """Return what all seats know, as JSON data in the form of `view_data`; `public` marks it."""
    return {**view_data(view), "seat": None, "persona": None, "refused": None, "public": True}
