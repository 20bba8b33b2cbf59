"""Plain data about a housing auction: that of English auctions, with the personas of houses and bidders."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.envs.english import report as english
from aucenv.envs.english.report import full_info, num_info_values, numeric_info, outcome, write_info_values
from aucenv.envs.harbor.notes import check_notes
from aucenv.envs.harbor.view import View

__all__ = ["check_notes", "deal_data", "full_info", "num_info_values", "numeric_info", "outcome", "write_info_values"]


def deal_data(view: View) -> JsonObject:
    """Return a record's `deal`, from a view that reveals everything; an item's `persona` is the one it suits best."""
    data = english.deal_data(view)
    return {
        "items": [{**item, "persona": house.suits} for item, house in zip(data["items"], view.items, strict=True)],
        "seats": [
            {**seat, "personas": [persona.id for persona in view.personas_of(number)]}
            for number, seat in enumerate(data["seats"])
        ],
    }
