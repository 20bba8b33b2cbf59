"""Projections: public values of a game's fields, which Views and infos read from its state.

A projection has four forms, such as for a price of $12.50 and for a leader:

| form | price | leader | none |
|---|---|---|---|
| in the state | 1250 | 2 | NOBODY, or what `where` says |
| in a View | 12.5 | "bidder_2" | None |
| in infos in numbers | 12.5 | 2 | a number |
| in full infos | 12.5 | "bidder_2" | None |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Never, Self, TypeVar, overload

from aucenv.core.formats.schema import BOOLEAN, Optional, Schema, whole
from aucenv.core.state import NOBODY
from aucenv.core.words.money import to_cents

T = TypeVar("T")

SEAT, ITEM = "seat", "item"
"""The dimensions of all games: seats, and items, rounds or days."""


class FieldsError(TypeError):
    """A field, a View or a part of records is declared wrongly."""


@dataclasses.dataclass(frozen=True)
class Unit(Generic[T]):
    """The meaning of an integer of a state.

    Attributes:
        schema: The schema of its public value.
        convert: Converts the integer to the public value; None leaves it as it is.
        names: Returns from a scenario's texts the names whose index the integer is; it is None for NOBODY.
        divisor: The number by which infos divide the integer: their dollars are floats, those of Views ints if whole.
        may_be_none: Whether the integer can be NOBODY.
        options: The public values whose index the integer is, if it is one.
    """

    schema: Schema
    convert: Callable[[int], T] | None = None
    names: Callable[[Any], Sequence[T]] | None = None
    divisor: int = 1
    may_be_none: bool = False
    options: Sequence[Any] = ()

    def integer(self, value: Any) -> int:
        """Return the integer of a public value."""
        if self.divisor != 1:
            return to_cents(value) if self.divisor == 100 else round(value * self.divisor)
        return self.options.index(value) if self.options else int(value)

    def public(self, value: int, texts: Any) -> T | None:
        """Return the public value of an integer."""
        if self.names is not None:
            return self.names(texts)[value] if value != NOBODY else None
        return self.convert(value) if self.convert is not None else value  # type: ignore[return-value]

    def number(self, value: int) -> float:
        """Return the integer as infos in numbers have it."""
        return value / self.divisor if self.divisor != 1 else int(value)

    def info(self, value: int, texts: Any) -> Any:
        """Return the integer as full infos have it: its public value, but an amount as a float."""
        return self.number(value) if self.divisor != 1 else self.public(value, texts)

    @property
    def record_schema(self) -> Schema:
        """The schema of the public value, None included if it may be missing."""
        return Optional(self.schema) if self.may_be_none else self.schema


class SeatRow:
    """A state as one seat reads it.

    Attributes:
        words: The row of the state as integers, a view of the same memory.
        places: Where each field starts in it: see `core.fields.places_of`.
        seat_number: The seat, from 0.
        scenario_text: The texts of the scenario.
    """

    __slots__ = ("places", "scenario_text", "seat_number", "words")

    def __init__(self, words: memoryview, places: Mapping[str, int], seat_number: int, scenario_text: Any) -> None:
        self.words, self.places, self.seat_number, self.scenario_text = words, places, seat_number, scenario_text


CURRENT, PREVIOUS = "current", "previous"
"""Places among items: the current one (at the end the last one), and the one before it, if there is one."""


class Public(property, Generic[T]):
    """A public name of a View: a property, which type checkers know.

    Args:
        get: Returns the value from a SeatRow.
        doc: The docstring.
    """

    def __init__(self, get: Callable[[Any], T], doc: str) -> None:
        super().__init__(get, doc=doc)
        self.__doc__ = doc

    if TYPE_CHECKING:

        @overload  # type: ignore[override]
        def __get__(self, view: None, owner: type) -> Self: ...
        @overload
        def __get__(self, view: object, owner: type) -> T: ...
        def __get__(self, view: object | None, owner: type) -> Any: ...

        def __set__(self, view: object, value: Never) -> None: ...


@dataclasses.dataclass(frozen=True)
class Source:
    """How the source of projections reads a state.

    Attributes:
        words: The source of the row of integers.
        place: Returns the source of a place: see `places_of`.
        seat: The source of the seat's number.
    """

    words: str
    place: Callable[[str], str]
    seat: str

    def of(self, field: Any, at: tuple[str, ...]) -> str:
        """Return the source of an integer of a field, at SEAT, CURRENT or PREVIOUS in its dimensions."""
        parts = [self.place(field.name)]
        for dimension, index in enumerate(at):
            parts.append(f"{self._index(index)} * {self.place(f'{field.name}/{dimension}')}")
        return f"{self.words}[{' + '.join(parts)}]"

    def _index(self, index: str) -> str:
        now, last = (f"{self.words}[{self.place(name)}]" for name in ("item", "num_items"))
        return {SEAT: self.seat, CURRENT: f"min({now}, {last} - 1)", PREVIOUS: f"max(0, {now} - 1)"}[index]


OF_ROW = Source("g.words", lambda name: f"g.places[{name!r}]", "g.seat_number")
"""The source that reads a SeatRow `g`."""


class Projection(Public[T]):
    """One value of a field, or what is computed from such values.

    It is Python source, which is compiled once: infos are read in every step, in which each function call counts.

    Args:
        write: Returns the source of the integer.
        unit: What the integer means.
        fields: The fields from which it is computed.
        doc: The docstring, if it is a public name of a View.
        present: Whether there is a value; without it the value is None. None: there always is one.
        absent: What infos in numbers have in place of None, in the unit of infos.
    """

    def __init__(
        self,
        write: Callable[[Source], str],
        unit: Unit[Any],
        fields: frozenset[Any],
        doc: str = "",
        present: Projection[bool] | None = None,
        absent: float = 0,
    ) -> None:
        self.write, self.unit, self.fields, self.present = write, unit, fields, present
        self.absent = float(absent) if unit.divisor != 1 else absent
        super().__init__(self._getter(), doc)

    def _getter(self) -> Callable[[Any], Any]:
        source, unit = self.write(OF_ROW), self.unit
        if unit.names is not None:
            source = f"public({source}, g.scenario_text)"
        elif unit.convert is not None:
            source = f"convert({source})"
        return self.compiled(
            f"lambda g: {self.where_present(OF_ROW, source)}", public=unit.public, convert=unit.convert
        )

    def where_present(self, reads: Source, source: str, otherwise: str = "None") -> str:
        """Return the source of a value, with another one if there is none."""
        return source if self.present is None else f"({source} if {self.present.write(reads)} else {otherwise})"

    @staticmethod
    def compiled(source: str, **names: Any) -> Any:
        """Return what the source of a function with these names means."""
        return eval(source, names)  # noqa: S307  (written here)

    @overload
    def where(self, condition: Projection[bool], *, number: float = 0) -> Projection[T | None]: ...
    @overload
    def where(self, condition: Projection[bool], other: int | Projection[Any]) -> Projection[T]: ...
    def where(self, condition: Projection[bool], other: int | Projection[Any] | None = None, number: float = 0) -> Any:
        """Return the same value if a condition holds, and otherwise another one.

        Args:
            condition: The condition, which is evaluated first.
            other: The other value, in the unit of the field; None is None, for which infos in numbers have `number`.
            number: What infos in numbers have in place of None, in their unit.
        """
        if other is None:
            present = condition if self.present is None else self.present & condition
            fields = self.fields | condition.fields
            return Projection(self.write, self.unit, fields, self.__doc__ or "", present, number)
        return self._with("({0} if {1} else {2})", condition, other)

    def plus(self, other: int | Projection[Any]) -> Projection[T]:
        """Return the sum with a number or another value."""
        return self._with("({0} + {1})", other)

    def negated(self) -> Projection[T]:
        """Return the negative value."""
        return self._with("(-{0})")

    def equals(self, number: int) -> Projection[bool]:
        """Return whether the integer is a number."""
        return self._flag("({0} == {1})", number)

    def at_least(self, number: int) -> Projection[bool]:
        """Return whether the integer is at least a number."""
        return self._flag("({0} >= {1})", number)

    def is_set(self) -> Projection[bool]:
        """Return whether the integer is not NOBODY."""
        return self._flag("({0} != {1})", NOBODY)

    def is_seat(self) -> Projection[bool]:
        """Return whether the integer is the number of the seat."""
        seat: Projection[int] = Projection(lambda reads: reads.seat, Unit(whole()), frozenset())
        return self._flag("({0} == {1})", seat)

    def __and__(self, other: Projection[bool]) -> Projection[bool]:
        return self._flag("({0} and {1})", other)

    def __or__(self, other: Projection[bool]) -> Projection[bool]:
        return self._flag("({0} or {1})", other)

    def __invert__(self) -> Projection[bool]:
        return self._flag("(not {0})")

    def documented(self, doc: str) -> Projection[T]:
        """Return the same value with a docstring."""
        return Projection(self.write, self.unit, self.fields, doc, self.present, self.absent)

    def _with(self, pattern: str, *others: int | Projection[Any]) -> Projection[T]:
        return self._combined(self.unit, pattern, others, self.__doc__ or "")

    def _flag(self, pattern: str, *others: int | Projection[Any]) -> Projection[bool]:
        return self._combined(Unit(BOOLEAN, bool), pattern, others)

    def _combined(self, unit: Unit[Any], pattern: str, others: tuple[Any, ...], doc: str = "") -> Projection[Any]:
        """Return what is computed from this value and others, which stand at {0}, {1}, ... of the pattern."""
        parts = (self, *others)
        projections = [part for part in parts if isinstance(part, Projection)]
        if any(part.present is not None for part in projections):
            raise FieldsError("expected `where` without another value to come last, because it may be None")

        def write(reads: Source) -> str:
            return pattern.format(*(part.write(reads) if isinstance(part, Projection) else part for part in parts))

        return Projection(write, unit, frozenset().union(*(part.fields for part in projections)), doc)
