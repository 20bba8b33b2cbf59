"""Infos: what a seat learns beside its observation, declared once for all forms."""

from __future__ import annotations

from typing import Any

from aucenv.core.fields import NONE, FieldsError, Projection, SeatRow, bound
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

    def of(self, row: SeatRow) -> SeatInfos:
        """Return the infos of a seat, which follow what changes in its row."""
        return SeatInfos(self, row)


class SeatInfos:
    """The infos of one seat at a table.

    Args:
        infos: The infos of the game.
        row: The state as the seat reads it.
    """

    def __init__(self, infos: Infos, row: SeatRow) -> None:
        leaf, self._texts = bound(row), row.scenario_text
        self._entries = [
            (name, entry.build(leaf), entry.present and entry.present.build(leaf), entry.unit, entry.absent)
            for name, entry in infos.entries.items()
        ]
        self._numbers = [(name, read, there, unit.divisor, absent) for name, read, there, unit, absent in self._entries]

    def numbers(self) -> dict[str, float]:
        """Return the infos as numbers; amounts in dollars."""
        return {
            name: absent if there is not None and not there() else read() if divisor == 1 else read() / divisor
            for name, read, there, divisor, absent in self._numbers
        }

    def full(self) -> JsonObject:
        """Return the infos with names in place of numbers, and None for missing values."""
        return {
            name: None if there is not None and not there() else unit.info(read(), self._texts)
            for name, read, there, unit, _ in self._entries
        }
