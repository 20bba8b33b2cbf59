"""Render a housing auction as text: that of English auctions, with all personas."""

from __future__ import annotations

from aucenv.envs.english import render as english
from aucenv.envs.harbor.view import View


def persona_names(view: View) -> list[str]:
    """Return the ids of each seat's personas as text, from a view that reveals everything."""
    seats = range(len(view.scenario_text.seats))
    return [" + ".join(persona.id for persona in view.personas_of(seat)) for seat in seats]


def ansi(view: View) -> str:
    """Return the table as text: the house and its standing bid, then a line for each bidder.

    Args:
        view: a view that reveals everything.
    """
    return english.ansi(view, [f"  {personas}" if personas else "" for personas in persona_names(view)])
