"""Views as the data that `page.js` draws: those of English auctions, with personas and the houses that suit them."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.envs.english import page as english
from aucenv.envs.english.page import beliefs, choices, is_incomplete
from aucenv.envs.harbor.view import ScenarioText, View

__all__ = ["beliefs", "choices", "is_incomplete", "public_data", "texts", "view_data"]


def view_data(view: View) -> JsonObject:
    """Return a view as JSON data; see `english.page.view_data`.

    A house has the persona that it suits best, and a seat its personas: None if they are hidden.
    """
    data = english.view_data(view)
    for shown, house in zip(data["items"], view.items, strict=True):
        shown["suits"] = house.suits
    for number, seat in enumerate(data["seats"]):
        known = view.reveals or number == view.seat_number
        seat["personas"] = [persona.id for persona in view.personas_of(number)] if known else None
    return data


def texts(scenario_text: ScenarioText) -> JsonObject:
    """Return the texts that a page needs and no record has: descriptions of houses by id, and the ids of personas."""
    return {
        "descriptions": dict(zip(map(str, scenario_text.item_ids), scenario_text.descriptions, strict=True)),
        "personas": [persona.id for persona in scenario_text.personas],
    }


def public_data(view: View) -> JsonObject:
    """Return what all seats know; see `english.page.public_data`. Personas are private."""
    data = english.public_data(view)
    for shown, house in zip(data["items"], view.items, strict=True):
        shown["suits"] = house.suits
    for seat in data["seats"]:
        seat["personas"] = None
    return data
