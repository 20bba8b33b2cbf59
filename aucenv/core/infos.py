"""Infos: what a seat learns beside its observation, in every form declared once."""

from __future__ import annotations

from typing import Any

from aucenv.core.fields import NONE, FieldsError, Projection, SeatRow
from aucenv.core.files import JsonObject


class Infos:
    """The infos of a game, which are read from its state: conditions of fields are not checked, see `check_game`.

    Args:
        entries: The values by name, in the order of the infos' keys; those of a View are attributes of its class.

    Raises:
        FieldsError: An entry is no projection, or shows a field that no seat sees.
    """

    def __init__(self, **entries: Projection[Any]) -> None:
        for name, entry in entries.items():
            if not isinstance(entry, Projection):
                raise FieldsError(f"infos: {name}: expected a projection of a field, got {entry!r}")
            if hidden := [field.name for field in entry.fields if field.seen_by is NONE]:
                raise FieldsError(f"infos: {name}: expected fields that seats see, got {', '.join(sorted(hidden))}")
        self.entries = entries

    def numbers(self, reading: SeatRow) -> dict[str, float]:
        """Return the infos of a seat as numbers; amounts in dollars."""
        return {name: entry.number(reading) for name, entry in self.entries.items()}

    def full(self, reading: SeatRow) -> JsonObject:
        """Return the infos of a seat with names in place of numbers, and None for missing values."""
        return {name: entry.info(reading) for name, entry in self.entries.items()}
