"""What bidders noted in a record."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from aucenv.core.record import GameRecord
from aucenv.envs.english.notes import check_priorities, check_update

Mistake = tuple[str, str, str]
"""(phase, kind, what): "plan", "malformed", "there is no JSON object in it"."""


def seat_notes(record: GameRecord, seat: str) -> Iterator[dict[str, Any]]:
    """What a seat noted, decision by decision, and at the end."""
    for decision in record.decisions:
        if decision["seat"] == seat:
            yield decision["notes"]
    yield from (who["notes"] for who in record.seats if who["seat"] == seat and "notes" in who)


def priorities_in(decision: Mapping[str, Any], num_items: int) -> list[int | None] | None:
    """The priorities noted at a decision of an English auction; None where there are none."""
    priorities = decision["notes"].get("priorities")
    try:
        check_priorities(priorities, decision["item"], num_items)
    except ValueError:
        return None
    return list(priorities)


def updates_in(notes: Mapping[str, Any], num_items: int) -> list[dict[str, Any]]:
    """The updates of beliefs noted in an English auction."""
    noted, found = notes.get("beliefs"), []
    for update in noted if isinstance(noted, list) else []:
        with contextlib.suppress(ValueError):
            check_update(update, "beliefs", num_items)
            found.append(update)
    return found


def mistakes_in(notes: Mapping[str, Any]) -> list[Mistake]:
    """The mistakes that an agent noted; whatever else stands under that name is passed over."""
    noted = notes.get("mistakes")
    fields = ("phase", "kind", "what")
    return [
        (mistake["phase"], mistake["kind"], mistake["what"])
        for mistake in (noted if isinstance(noted, list) else [])
        if isinstance(mistake, dict) and all(isinstance(mistake.get(field), str) for field in fields)
    ]
