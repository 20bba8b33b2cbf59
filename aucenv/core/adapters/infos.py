"""Infos: what a seat learns beside its observation, declared once for all forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from aucenv.core.fields import NONE, FieldsError, places_of
from aucenv.core.files import JsonObject
from aucenv.core.views.projections import Projection, Source


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
            if hidden := [field.name for field in entry.fields if field.visible_to is NONE]:
                raise FieldsError(f"infos: {name}: expected fields that seats see, got {', '.join(sorted(hidden))}")
        self.entries = entries
        self.readers = lru_cache(self._readers)

    def _readers(self, dtype: np.dtype, seat: int) -> tuple[NumbersReader, FullReader]:
        """Return the functions that read a seat's infos from a state of this dtype.

        Returns:
            The functions of the state's row of integers: one returns the infos as numbers, amounts in dollars. The
            other one, which also takes the scenario's texts, has names in place of numbers, and None for no value.
        """
        places = places_of(dtype)
        reads = Source("words", lambda name: str(places[name]), str(seat))
        numbers, full = [], []
        for name, entry in self.entries.items():
            source, divisor = entry.write(reads), entry.unit.divisor
            number = f"+{source}" if divisor == 1 else f"{source} / {divisor}"
            numbers.append(f"{name!r}: {entry.where_present(reads, number, repr(entry.absent))}")
            full.append(f"{name!r}: {entry.where_present(reads, f'units[{name!r}].info({source}, texts)')}")
        units = {name: entry.unit for name, entry in self.entries.items()}
        return (
            Projection.compiled(f"lambda words: {{{', '.join(numbers)}}}"),
            Projection.compiled(f"lambda words, texts: {{{', '.join(full)}}}", units=units),
        )


NumbersReader = Callable[[memoryview], dict[str, float]]
FullReader = Callable[[memoryview, Any], JsonObject]
