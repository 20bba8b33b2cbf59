"""Fields: the integers of a game's state, each declared once with its unit, its shape and who sees it.

A class State declares the fields in the order of the state's dtype. From it follow the dtype, the copy of the state
that a seat sees (`core.visible_copies`), the public names of Views (`Projection`), infos (`core.infos`), and records
(`core.record_parts`). A Projection has four forms, such as for a price of $12.50 and for a leader:

| form | price | leader | none |
|---|---|---|---|
| in the state | 1250 | 2 | NOBODY, or what `where` says |
| in a View | 12.5 | "bidder_2" | None |
| in infos in numbers | 12.5 | 2 | a number |
| in full infos | 12.5 | "bidder_2" | None |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Never, Self, TypeVar, overload

import numpy as np

from aucenv.core.kernel import is_kernel
from aucenv.core.money import DOLLARS, Dollars, to_dollars
from aucenv.core.schema import BOOLEAN, TEXT, Optional, Schema, Value, choice, number, whole
from aucenv.core.state import NOBODY, RUNNING, STATUS_NAMES, seat_room

T = TypeVar("T")

WHOLE = whole()
SEAT, ITEM = "seat", "item"
"""The dimensions of all games: seats, and items, rounds or days."""


class FieldsError(TypeError):
    """A field, a View or a part of records is declared wrongly."""


@dataclasses.dataclass(frozen=True)
class Visibility:
    """Who sees a field.

    Attributes:
        name: "all", "owner", "none", "condition" or "hide".
        condition: With "condition", the kernel that decides.
    """

    name: str
    condition: Callable[..., Any] | None = None


ALL = Visibility("all")
"""All seats see the field."""
OWNER = Visibility("owner")
"""A seat sees its own value: that at its number in the first dimension, which is `seat`."""
NONE = Visibility("none")
"""No seat sees the field."""
BY_HIDE = Visibility("hide")
"""The kernel `hide(full, copied, seat)` of the game's rules decides; `copied` is the copy, `full` the state."""


def when(condition: Callable[..., Any]) -> Visibility:
    """Return the visibility of values for which a kernel returns True.

    Args:
        condition: A kernel (g, seat, ...), with one further argument for each dimension of the field.
    """
    return Visibility("condition", condition)


@dataclasses.dataclass(frozen=True)
class Unit(Generic[T]):
    """The meaning of an integer of a state.

    Attributes:
        schema: The schema of its public value.
        convert: Converts the integer to the public value; None leaves it as it is.
        names: Returns from a scenario's texts the names whose index the integer is; it is None for NOBODY.
        divisor: The number by which infos divide the integer: their dollars are floats, those of Views ints if whole.
        may_be_none: Whether the integer can be NOBODY.
    """

    schema: Schema
    convert: Callable[[int], T] | None = None
    names: Callable[[Any], Sequence[T]] | None = None
    divisor: int = 1
    may_be_none: bool = False

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


class Field(Generic[T]):
    """An integer of a state for a whole game, or an array of them.

    Args:
        unit: What it means.
        visible_to: Who sees it.
        doc: What it is, in words.
        per: Its dimensions, such as "seat" or ("seat", "item").
        hidden_as: What a seat that may not see a value finds in its place.
    """

    def __init__(
        self,
        unit: Unit[T],
        visible_to: Visibility,
        doc: str = "",
        per: str | Sequence[str] = (),
        hidden_as: int = 0,
    ) -> None:
        self.name = ""
        self.unit, self.visible_to, self.doc, self.hidden_as = unit, visible_to, doc, hidden_as
        self.per: tuple[str, ...] = (per,) if isinstance(per, str) else tuple(per)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def check(self, where: str, name: str) -> None:
        """Raise FieldsError, which names `where`, if the field is declared wrongly."""
        if self.name != name:
            raise FieldsError(f"{where}: expected a declaration of its own, got that of {self.name}")
        if not isinstance(self.unit, Unit):
            raise FieldsError(f"{where}: expected a unit, such as money or flag, got {self.unit!r}")
        if not isinstance(self.visible_to, Visibility):
            raise FieldsError(f"{where}: expected ALL, OWNER, NONE, BY_HIDE or when(KERNEL), got {self.visible_to!r}")
        if len(self.per) > 2:
            raise FieldsError(f"{where}: expected at most two dimensions, got {self.per}")
        if self.visible_to is OWNER and self.per[:1] != (SEAT,):
            raise FieldsError(
                f"{where}: expected the first dimension seat, because a seat sees its own, got {self.per}"
            )
        if self.visible_to.condition is not None and not is_kernel(self.visible_to.condition):
            raise FieldsError(f"{where}: expected a kernel as condition, got {self.visible_to.condition!r}")

    def shown_to(self, visible_to: Visibility) -> Field[T]:
        """Return the field with another visibility, for a State that inherits it."""
        return Field(self.unit, visible_to, self.doc, self.per, self.hidden_as)

    def named(self, names: str, schema: Schema = TEXT) -> Field[Any]:
        """Return the field with other names of the scenario's texts, for records: see `index_of`."""
        unit = dataclasses.replace(self.unit, schema=schema, names=lambda texts: getattr(texts, names))
        other: Field[Any] = Field(unit, self.visible_to, self.doc, self.per, self.hidden_as)
        other.name = self.name
        return other

    def now(self, doc: str = "", at: str = "") -> Projection[T]:
        """Return the value of a field of the whole game.

        Args:
            doc: The docstring, if it is a public name of a View.
            at: CURRENT or PREVIOUS, if the field has a value for each item.
        """
        return self._at((at,) if at else (), doc)

    def of_seat(self, doc: str = "", at: str = "") -> Projection[T]:
        """Return the value of the seat itself; see `now`."""
        return self._at((SEAT, at) if at else (SEAT,), doc)

    def _at(self, at: tuple[str, ...], doc: str) -> Projection[T]:
        if tuple(SEAT if index == SEAT else ITEM for index in at) != self.per:
            raise FieldsError(f"{self.name}: expected places for the dimensions {self.per}, got {at}")
        return Projection(lambda reads: reads.of(self, at), self.unit, frozenset({self}), doc)

    def by_seat(self, doc: str = "") -> Public[dict[str, T]]:
        """Return the values of all seats, by their names."""
        if self.per != (SEAT,) or self.visible_to is OWNER:
            raise FieldsError(f"{self.name}: expected a field per seat that a seat sees of others, too")
        name, public = self.name, self.unit.public

        def get(g: Any) -> dict[str, T]:
            start, texts = g.places[name], g.scenario_text
            values = g.words[start : start + len(texts.seats)].tolist()
            return {seat: public(value, texts) for seat, value in zip(texts.seats, values, strict=True)}  # type: ignore[misc]

        return Public(get, doc)

    def __repr__(self) -> str:
        return f"<Field {self.name}: {self.doc or 'no description'}>"


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

    def of(self, field: Field[Any], at: tuple[str, ...]) -> str:
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
        fields: frozenset[Field[Any]],
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
        seat: Projection[int] = Projection(lambda reads: reads.seat, Unit(WHOLE), frozenset())
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


def money(
    visible_to: Visibility,
    doc: str = "",
    *,
    per: str | Sequence[str] = (),
    within: Dollars = DOLLARS,
    hidden_as: int = 0,
) -> Field[float]:
    """Declare an amount of money: cents in the state, dollars outside."""
    return Field(Unit(within, to_dollars, divisor=100), visible_to, doc, per, hidden_as)


def integer(
    visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = (), within: Value = WHOLE, hidden_as: int = 0
) -> Field[int]:
    """Declare a whole number."""
    return Field(Unit(within), visible_to, doc, per, hidden_as)


def flag(visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = ()) -> Field[bool]:
    """Declare whether something is so: 0 or 1 in the state."""
    return Field(Unit(BOOLEAN, bool), visible_to, doc, per)


def ppm(visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = ()) -> Field[float]:
    """Declare a share: millionths in the state."""
    return Field(Unit(number(0, 1000), lambda value: value / 1_000_000, divisor=1_000_000), visible_to, doc, per)


def option(
    visible_to: Visibility, options: Sequence[str], doc: str = "", *, per: str | Sequence[str] = ()
) -> Field[str]:
    """Declare one of several options: its index in the state."""
    return Field(Unit(choice(*options), options.__getitem__), visible_to, doc, per)


def seat_name(visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = ()) -> Field[str | None]:
    """Declare a seat: its number, or NOBODY, in the state; its name, or None, outside."""
    return Field(Unit(TEXT, names=lambda texts: texts.seats, may_be_none=True), visible_to, doc, per, NOBODY)


def index_of(
    visible_to: Visibility,
    names: str,
    doc: str = "",
    *,
    per: str | Sequence[str] = (),
    schema: Schema = TEXT,
    may_be_none: bool = False,
) -> Field[Any]:
    """Declare an index in a list of names of the scenario's texts; NOBODY is none.

    Args:
        names: The attribute of the texts.
        schema: The schema of a name.
    """
    unit: Unit[Any] = Unit(schema, names=lambda texts: getattr(texts, names), may_be_none=may_be_none)
    return Field(unit, visible_to, doc, per, NOBODY)


def random_key(visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = ()) -> Field[int]:
    """Declare the key of random numbers."""
    return Field(Unit(Value("a key", int)), visible_to, doc, per)


Room = Callable[[Mapping[str, int]], int]
"""Returns the length of a dimension from the number of seats, items, ... of a game."""


def room_for_seats(most: int, **options: Any) -> Room:
    """Return the room for seats: see `core.state.seat_room`."""
    return lambda sizes: seat_room(sizes[SEAT], most, **options)


def room_for(dimension: str, least: int) -> Room:
    """Return a room of `least`, 4 * `least`, 16 * `least`, ... so that kernels are compiled for few shapes."""

    def length(sizes: Mapping[str, int]) -> int:
        entries = least
        while entries < sizes[dimension]:
            entries *= 4
        return entries

    return length


class _Once(dict):
    """The namespace of a State's class, in which a field cannot be declared twice."""

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(self.get(name), Field):
            raise FieldsError(f"{name}: expected one declaration, got two")
        super().__setitem__(name, value)


class _StateType(type):
    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], **options: Any) -> _Once:  # type: ignore[override]
        return _Once()

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict, **options: Any) -> Any:
        return super().__new__(cls, name, bases, dict(namespace), **options)


class GameState(metaclass=_StateType):
    """The fields that all games have; a game's State adds its own.

    A new field has its constant in `Scenario.template`, and if it is hidden, its place in `belief.resample`.

    Class Attributes:
        FIELDS: All fields by name, in the order of the dtype.
        ROOMS: The length of each dimension.
    """

    key = random_key(NONE, "seeds all randomness after the deal")
    num_seats = integer(ALL)
    num_items = integer(ALL)
    item = integer(ALL, "the current item or round, from 0")
    round = integer(ALL, "the current round of the item, from 0")
    rounds = integer(ALL, "the closed rounds of the game")
    max_rounds = integer(ALL, "after how many rounds the game is truncated; 0: never")
    status = option(ALL, STATUS_NAMES)
    forced_tie = seat_name(NONE, "the seat that wins the next tie, for replays of recorded games; NOBODY: it is drawn")

    FIELDS: ClassVar[dict[str, Field[Any]]]
    ROOMS: ClassVar[dict[str, Room]] = {SEAT: room_for_seats(16), ITEM: room_for(ITEM, 16)}

    def __init_subclass__(cls, apart: bool = False) -> None:
        """Put the fields in order.

        Args:
            apart: Whether fields of the game stand directly after the header and all others last. Otherwise fields of
                the game follow inherited ones, then those per seat follow theirs, and then all others.
        """
        own = {name: field for name, field in vars(cls).items() if isinstance(field, Field)}
        for name, field in own.items():
            field.check(f"{cls.__module__}: {cls.__name__}.{name}", name)
        inherited = {**cls.FIELDS, **{name: own.pop(name) for name in cls.FIELDS if name in own}}
        groups = [dict(_of(inherited, shape)) | dict(_of(own, shape)) for shape in (0, 1, 2)]
        if apart:
            head = {name: inherited.pop(name) for name in GameState.FIELDS}
            groups = [head, dict(_of(own, 0)), inherited, dict(_of(own, 1)), dict(_of(own, 2))]
        cls.FIELDS = {name: field for group in groups for name, field in group.items()}
        for name, field in cls.FIELDS.items():
            if unknown := [each for each in field.per if each not in cls.ROOMS]:
                raise FieldsError(f"{cls.__name__}.{name}: expected a dimension of ROOMS, got {unknown[0]!r}")

    @classmethod
    def dtype(cls, **sizes: int) -> np.dtype:
        """Return the dtype of the state of one game; all its fields are int64.

        Args:
            sizes: The number of seats, items, ... of the game; only as many entries of each dimension are used.
        """
        return _dtype(cls, tuple(each(sizes) for each in cls.ROOMS.values()))


def _of(fields: Mapping[str, Field[Any]], shape: int) -> Iterator[tuple[str, Field[Any]]]:
    """Yield the fields of the game (shape 0), those per seat (1), or all others (2)."""
    for name, field in fields.items():
        if shape == (0 if not field.per else 1 if field.per == (SEAT,) else 2):
            yield name, field


GameState.FIELDS = {name: field for name, field in vars(GameState).items() if isinstance(field, Field)}
running = GameState.status.now().equals(RUNNING)
"""Whether the game is running."""


@lru_cache
def _dtype(state: type[GameState], lengths: tuple[int, ...]) -> np.dtype:
    rooms = dict(zip(state.ROOMS, lengths, strict=True))
    shapes = ((name, tuple(rooms[each] for each in field.per)) for name, field in state.FIELDS.items())
    return np.dtype([(name, "i8", shape) if shape else (name, "i8") for name, shape in shapes])


@lru_cache
def places_of(dtype: np.dtype) -> dict[str, int]:
    """Return where each field starts in a state's row of integers, by name, and the steps of its dimensions.

    The step of dimension D of the field NAME is under NAME/D.
    """
    places = {}
    for name in dtype.names or ():
        places[name] = dtype.fields[name][1] // 8  # type: ignore[index]
        step = 1
        for dimension, length in reversed(list(enumerate(dtype[name].shape))):
            places[f"{name}/{dimension}"] = step
            step *= length
    return places
