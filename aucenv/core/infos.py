"""Infos: what a seat learns beside its observation, in every form declared once."""

from __future__ import annotations

from typing import Any

from aucenv.core.fields import FieldsError, Projection, Reading
from aucenv.core.files import JsonObject


class Infos:
    """The infos of a game.

    Args:
        entries: The values by name, in the order of the infos' keys; those of a View are attributes of its class.

    Raises:
        FieldsError: An entry is no projection.
    """

    def __init__(self, **entries: Projection[Any]) -> None:
        for name, entry in entries.items():
            if not isinstance(entry, Projection):
                raise FieldsError(f"infos: {name}: expected a projection of a field, got {entry!r}")
        self.entries = entries

    def numbers(self, reading: Reading) -> dict[str, float]:
        """Return the infos of a seat as numbers; amounts in dollars."""
        return {name: entry.number(reading) for name, entry in self.entries.items()}

    def full(self, reading: Reading) -> JsonObject:
        """Return the infos of a seat with names in place of numbers, and None for missing values."""
        return {name: entry.info(reading) for name, entry in self.entries.items()}
