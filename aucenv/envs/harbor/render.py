"""A picture of the table for people: that of English auctions, with everybody's personas."""

from __future__ import annotations

from aucenv.envs.english import render as english
from aucenv.envs.harbor.view import View


def persona_names(view: View) -> list[str]:
    """Every seat's personas by id; from a view that reveals all."""
    seats = range(len(view.scenario_text.seats))
    return [" + ".join(persona.id for persona in view.personas_of(seat)) for seat in seats]


def ansi(view: View) -> str:
    """The table as text: the house and its standing bid, then a line per bidder. From a view that reveals all."""
    return english.ansi(view, [f"  {who}" if who else "" for who in persona_names(view)])
