"""Views as the data that `page.js` draws; see `single_item.page`."""

from __future__ import annotations

from typing import Any

from aucenv.core.choices import amount, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.money import to_dollars
from aucenv.core.state import NOBODY
from aucenv.envs.ebay.view import View
from aucenv.envs.single_item import page as single_item


def view_data(view: View) -> JsonObject:
    """Return a view as JSON data; see `single_item.page.view_data`.

    `maximum` is the seat's maximum, or those of all seats; `moves` are those of the
    current auction.
    """
    running = view.price is not None
    seats = view.scenario_text.seats
    maxima = [int(cents) for cents in view.row["maximum"][0, : len(seats)]]
    all_maxima = [to_dollars(cents) if running and cents != NOBODY else None for cents in maxima]
    return {
        **single_item.view_data(view),
        "closing": view.scenario.closing,
        "reserve": view.scenario_text.has_reserve,
        "highest": view.scenario.highest_maximum,
        "price": view.price,
        "leader": _number(view, view.leader) if running else None,
        "day": view.day if running else None,
        "days_left": view.days_left if running else None,
        "order": [_number(view, seat) for seat in view.order] if running and view.order is not None else None,
        "maximum": all_maxima if view.reveals else view.maximum,
        "moves": [
            {
                "day": move.day,
                "seat": _number(view, move.seat),
                "raised": move.raised,
                "price": move.price,
                "leader": _number(view, move.leader),
            }
            for move in (view.moves if running else ())
        ],
    }


def _number(view: Any, seat: str | None) -> int | None:
    return None if seat is None else view.scenario_text.seats.index(seat)


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.choices.choices_of`."""
    scenario, least = view.scenario, view.least_raise
    field = None if least is None else amount("Set maximum", least, scenario.highest_maximum, scenario.bid_step)
    return choices_of([no_bid("Hold")], field)


def public_data(view: View) -> JsonObject:
    """Return what all seats know; see `single_item.page.public_data`."""
    return {**view_data(view), **single_item.public_data(view), "maximum": None}
