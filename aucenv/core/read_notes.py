"""What bidders noted in a record."""

from __future__ import annotations

from collections.abc import Iterator

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord

Mistake = tuple[str, str, str]
"""(phase, kind, what): "plan", "malformed", "there is no JSON object in it"."""


def seat_notes(record: GameRecord, seat: str) -> Iterator[JsonObject]:
    """What a seat noted, decision by decision, and at the end."""
    for decision in record.decisions:
        if decision["seat"] == seat:
            yield decision["notes"]
    yield from (who["notes"] for who in record.seats if who["seat"] == seat and "notes" in who)


def mistakes_in(notes: JsonMapping) -> list[Mistake]:
    """The mistakes that an agent noted; whatever else stands under that name is passed over."""
    noted = notes.get("mistakes")
    fields = ("phase", "kind", "what")
    return [
        (mistake["phase"], mistake["kind"], mistake["what"])
        for mistake in (noted if isinstance(noted, list) else [])
        if isinstance(mistake, dict) and all(isinstance(mistake.get(field), str) for field in fields)
    ]
