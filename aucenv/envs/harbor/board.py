"""The board of a housing auction: that of an English auction, with personas and the houses that suit them."""

from __future__ import annotations

import functools

from aucenv.core.boards.board import Board, Cell, Column, Mark, visible
from aucenv.envs.english import board as english
from aucenv.envs.english.board import beliefs, choices, events, said
from aucenv.envs.harbor.view import View

__all__ = ["beliefs", "board", "choices", "events", "said"]


def board(view: View) -> Board:
    """Return the board of a View: a house has the persona that it suits best, and a seat its personas."""
    row, text = view.row[0], view.scenario_text
    personas = [
        visible(view, seat, " + ".join(persona.id for persona in view.personas_of(seat)) or "none")
        for seat in range(len(text.seats))
    ]
    kinds = row["house_kind"][row["lot"][: view._get("num_items")]].tolist()
    return english.board(view, [(Column("personas"), personas)], [_suits(text.personas[kind].id) for kind in kinds])


@functools.lru_cache
def _suits(persona: str) -> tuple[Mark, ...]:
    return (Mark("suits", Cell(persona)),)
