"""A game as plain data: as of English auctions, with what each house suits and who has which persona."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.envs.english import report as english
from aucenv.envs.english.report import full_info, num_info_values, numeric_info, outcome, write_info_values
from aucenv.envs.harbor.notes import check_notes
from aucenv.envs.harbor.view import View

__all__ = ["check_notes", "deal_data", "full_info", "num_info_values", "numeric_info", "outcome", "write_info_values"]


def deal_data(view: View) -> JsonObject:
    """A record's `deal`; from a view that reveals all. `persona` of an item: the one that it suits best."""
    plain = english.deal_data(view)
    return {
        "items": [{**item, "persona": seen.suits} for item, seen in zip(plain["items"], view.items, strict=True)],
        "seats": [
            {**seat, "personas": [persona.id for persona in view.personas_of(number)]}
            for number, seat in enumerate(plain["seats"])
        ],
    }
