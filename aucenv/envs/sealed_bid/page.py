"""Views as the data that `page.js` draws; see `single_item.page`."""

from __future__ import annotations

from aucenv.core.choices import amount, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.envs.sealed_bid.view import View
from aucenv.envs.single_item import page as single_item


def view_data(view: View) -> JsonObject:
    """Return a view as JSON data; see `single_item.page.view_data`."""
    return {
        **single_item.view_data(view),
        "pricing": view.pricing,
        "cap": view.scenario.bid_cap,
        "reserve": view.scenario.reserve,
    }


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.choices.choices_of`."""
    scenario = view.scenario
    return choices_of([no_bid("Abstain")], amount("Bid", 0.0, scenario.bid_cap, scenario.bid_step))


def public_data(view: View) -> JsonObject:
    """Return what all seats know; see `single_item.page.public_data`."""
    return {**view_data(view), **single_item.public_data(view)}
