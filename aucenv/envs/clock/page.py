"""Views as the data that `page.js` draws; see `single_item.page`."""

from __future__ import annotations

from aucenv.core.choices import amount, choice, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.money import money, to_dollars
from aucenv.core.state import NOBODY
from aucenv.envs.clock.view import View
from aucenv.envs.single_item import page as single_item


def view_data(view: View) -> JsonObject:
    """Return a view as JSON data; see `single_item.page.view_data`.

    `in` is whether seats are still in, and `limit` are the prices that they have named: those of all seats, or of one.
    """
    running = view.price is not None
    row, seats = view.row[0], range(len(view.scenario_text.seats))
    within = [running and bool(row["active"][seat]) for seat in seats]
    limits = [int(row["limit"][seat]) for seat in seats]
    named = [to_dollars(limit) if running and limit != NOBODY else None for limit in limits]
    return {
        **single_item.view_data(view),
        "direction": view.direction,
        "open": bool(view._get("open")),
        "start": to_dollars(view._get("start")),
        "end": to_dollars(view._get("end")),
        "price": view.price,
        "tick": view.tick_number if running else None,
        "in": within if view.reveals else view.in_,
        "limit": named if view.reveals else view.limit,
        "still_in": view.still_in,
        "left_at": view.left_at,
    }


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.choices.choices_of`."""
    sign, price = view.scenario_text.sign, view.price or 0.0
    tick, end = view.scenario.tick, view.scenario.end
    if view.direction == "ascending":
        later = amount("Leave at", price + tick, end, tick) if price + tick <= end else None
        return choices_of([choice(f"Stay at {money(price, sign)}", 0.0), no_bid("Leave")], later)
    lowest = max(end, tick)  # 0 means now
    later = amount("Take it at", lowest, price - tick, tick) if price - tick >= lowest else None
    return choices_of([choice(f"Take it at {money(price, sign)}", price), no_bid("Wait")], later)


def public_data(view: View) -> JsonObject:
    """Return what all seats know; see `single_item.page.public_data`."""
    return {**view_data(view), **single_item.public_data(view), "in": None, "limit": None}
