"""The deal and the outcome of a game's records: each declares once where its values come from and what they can be."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from aucenv.core.fields import ITEM, SEAT, Field, FieldsError
from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import TEXT, ListOf, Object, Optional, Schema
from aucenv.core.state import NOBODY
from aucenv.core.views.seat_view import GameView


@dataclasses.dataclass(frozen=True)
class Entry:
    """A value of a record.

    Attributes:
        schema: What it can be.
        read: Returns it from a view that reveals everything.
    """

    schema: Schema
    read: Callable[[GameView], Any]


def computed(schema: Schema, read: Callable[[GameView], Any]) -> Entry:
    """Declare a value that no field holds.

    Args:
        schema: What it can be.
        read: Returns it from a view that reveals everything; in `rows` a list, with a value for each row.
    """
    return Entry(schema, read)


STATUS = computed(TEXT, lambda view: view.status)
"""How the game has ended."""


def where_set(field: Field[Any], other: Field[Any]) -> Entry:
    """Declare the values of a field, with None where another field is NOBODY."""

    def read(view: GameView) -> list[Any]:
        pairs = zip(values_of(field, view), _integers(other, view), strict=True)
        return [value if seat != NOBODY else None for value, seat in pairs]

    return Entry(Optional(field.unit.schema), read)


def inverted(field: Field[bool]) -> Entry:
    """Declare the opposites of a field."""
    return Entry(field.unit.schema, lambda view: [not value for value in values_of(field, view)])


class RecordPart(Object):
    """The schema of a part of records, which also returns the data.

    Args:
        parts: Fields of the whole game, `computed` values and `rows`, by name.
    """

    def __init__(self, **parts: Field[Any] | Entry) -> None:
        self._entries = {name: part if isinstance(part, Entry) else _whole(part) for name, part in parts.items()}
        super().__init__({name: entry.schema for name, entry in self._entries.items()})

    def data(self, view: GameView) -> JsonObject:
        """Return the data, from a view that reveals everything."""
        return {name: entry.read(view) for name, entry in self._entries.items()}


def rows(dimension: str, **columns: Field[Any] | Entry) -> Entry:
    """Declare a list of objects, one for each seat or item.

    Args:
        dimension: SEAT or ITEM.
        columns: By name, fields of this dimension (with a further one, each object has a list), or entries whose value
            is a list.
    """
    entries = {
        name: column if isinstance(column, Entry) else _column(name, dimension, column)
        for name, column in columns.items()
    }

    def read(view: GameView) -> list[JsonObject]:
        lists = [entry.read(view) for entry in entries.values()]
        return [dict(zip(entries, values, strict=True)) for values in zip(*lists, strict=True)]

    return Entry(ListOf(Object({name: entry.schema for name, entry in entries.items()})), read)


def _whole(field: Field[Any]) -> Entry:
    schema = field.unit.record_schema
    return Entry(schema if not field.per else ListOf(schema), lambda view: values_of(field, view))


def _column(name: str, dimension: str, field: Field[Any]) -> Entry:
    if field.per[:1] != (dimension,):
        raise FieldsError(
            f"{name}: expected a field whose first dimension is {dimension}, got {field.name}: {field.per}"
        )
    schema = field.unit.record_schema
    return Entry(schema if len(field.per) == 1 else ListOf(schema), lambda view: values_of(field, view))


def values_of(field: Field[Any], view: GameView) -> Any:
    """Return the public values of a field, in lists by its dimensions: those of the game's seats and items."""
    return _public(field, _integers(field, view), view.scenario_text)


def _integers(field: Field[Any], view: GameView) -> Any:
    row = view.row[0]
    used: Mapping[str, int] = {SEAT: int(row["num_seats"]), ITEM: int(row["num_items"])}
    values = row[field.name]
    return values[tuple(slice(used.get(each)) for each in field.per)].tolist() if field.per else int(values)


def _public(field: Field[Any], value: Any, texts: Any) -> Any:
    return (
        [_public(field, each, texts) for each in value] if isinstance(value, list) else field.unit.public(value, texts)
    )
