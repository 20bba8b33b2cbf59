"""Reading of the notes that bidders left in a record."""

from __future__ import annotations

from collections.abc import Iterator

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord

Mistake = tuple[str, str, str]
"""(phase, kind, description), such as ("plan", "malformed", "there is no JSON object in it")."""


def seat_notes(record: GameRecord, seat: str) -> Iterator[JsonObject]:
    """Yield the notes of a seat: those of each decision, and those at the end of the game."""
    for decision in record.decisions:
        if decision["seat"] == seat:
            yield decision["notes"]
    yield from (player["notes"] for player in record.seats if player["seat"] == seat and "notes" in player)


def mistakes_in(notes: JsonMapping) -> list[Mistake]:
    """Return the mistakes in an agent's notes."""
    return [(mistake["phase"], mistake["kind"], mistake["what"]) for mistake in notes.get("mistakes", [])]
