"""Fields: the integers of a game's state, each declared once with its unit, its shape and who sees it.

A class State declares the fields in the order of the state's dtype. From it follow the dtype, the copy of the state
that a seat sees (`core.views.visible_copies`), the public names of Views (`Projection`), infos (`core.adapters.infos`),
and records (`core.records.record_parts`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypedDict, Unpack

import numpy as np

from aucenv.core.checks import suggestion
from aucenv.core.formats.schema import BOOLEAN, TEXT, Schema, Value, choice, number, whole
from aucenv.core.kernel import inlined, is_kernel
from aucenv.core.state import NOBODY, RUNNING, STATUS_NAMES, seat_room
from aucenv.core.views.projections import CURRENT as CURRENT
from aucenv.core.views.projections import ITEM as ITEM
from aucenv.core.views.projections import PREVIOUS as PREVIOUS
from aucenv.core.views.projections import SEAT as SEAT
from aucenv.core.views.projections import FieldsError as FieldsError
from aucenv.core.views.projections import Projection, Public, T, Unit
from aucenv.core.words.money import DOLLARS, Dollars, to_dollars

WHOLE = whole()


class Needs(TypedDict, total=False):
    """Facts about a field that the defaults of a game's modules need.

    Attributes:
        most: What features divide it by: a number, or the name of a public field of the whole game.
        drawn: `deal` draws it uniformly and independently of all else, from 0 to `most` in steps of this: a number, or
            the name of a public field of the whole game. Numbers are in the unit of the field, such as dollars.
        at_close: Whether the value of an item is 0 until its last round closes.
    """

    most: float | str
    drawn: float | str
    at_close: bool


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


@inlined
def is_dealt(g, viewer, item):
    """Return whether an item is the current one or an earlier one."""
    return item <= g["item"]


@inlined
def is_dealt_to_owner(g, viewer, seat, item):
    """Return whether an item is the current one or an earlier one, and the value that of the seat itself."""
    return seat == viewer and item <= g["item"]


ALL_BY_ITEM = when(is_dealt)
"""All seats see the values of the current item and of earlier ones, of a field per item."""
OWNER_BY_ITEM = when(is_dealt_to_owner)
"""A seat sees its own values of the current item and of earlier ones, of a field per seat and item."""


class Field(Generic[T]):
    """An integer of a state for a whole game, or an array of them.

    Args:
        unit: What it means.
        visible_to: Who sees it.
        doc: What it is, in words.
        per: Its dimensions, such as "seat" or ("seat", "item").
        hidden_as: What a seat that may not see a value finds in its place.
        needs: Facts that the defaults of modules need.
    """

    def __init__(
        self,
        unit: Unit[T],
        visible_to: Visibility,
        doc: str = "",
        per: str | Sequence[str] = (),
        hidden_as: int = 0,
        **needs: Unpack[Needs],
    ) -> None:
        self.name = ""
        self.unit, self.visible_to, self.doc, self.hidden_as = unit, visible_to, doc, hidden_as
        self.per: tuple[str, ...] = (per,) if isinstance(per, str) else tuple(per)
        self.needs = needs
        self.most, self.drawn = needs.get("most"), needs.get("drawn")
        self.at_close = needs.get("at_close", False)

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
        if self.visible_to.condition is not None:
            arguments = getattr(self.visible_to.condition, "py_func", self.visible_to.condition).__code__.co_argcount
            if arguments != 2 + len(self.per):
                expected = f"a condition (g, seat{''.join(f', {each}' for each in self.per)})"
                raise FieldsError(f"{where}: expected {expected}, got one with {arguments} arguments")
        self._check_needs(where)

    def _check_needs(self, where: str) -> None:
        for need, value in (("most", self.most), ("drawn", self.drawn)):
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is not None and not isinstance(value, str) and not (is_number and self.in_state(value) > 0):
                raise FieldsError(f"{where}: {need}: expected a positive number or the name of a field, got {value!r}")
        if self.drawn is not None and (self.unit.names is not None or self.most is None):
            raise FieldsError(f"{where}: drawn: expected a number with `most`, up to which it is drawn, got {self!r}")
        if self.at_close and ITEM not in self.per:
            raise FieldsError(f"{where}: at_close: expected a field with a value for each item, got {self.per}")

    @property
    def is_key(self) -> bool:
        """Whether it is a key of random numbers, which has no meaning apart from that."""
        return self.unit is _KEY

    @property
    def is_seat(self) -> bool:
        """Whether it is the number of a seat."""
        return self.unit.names is _seats

    def in_state(self, value: float) -> int:
        """Return a number of the unit's, such as dollars, as the integer of the state."""
        return round(value * self.unit.divisor)

    def shown_to(self, visible_to: Visibility) -> Field[T]:
        """Return the field with another visibility, for a State that inherits it."""
        return Field(self.unit, visible_to, self.doc, self.per, self.hidden_as, **self.needs)

    def named(self, names: str, schema: Schema = TEXT) -> Field[Any]:
        """Return the field with other names of the scenario's texts, for records: see `index_of`."""
        unit = dataclasses.replace(self.unit, schema=schema, names=lambda texts: getattr(texts, names))
        other: Field[Any] = Field(unit, self.visible_to, self.doc, self.per, self.hidden_as, **self.needs)
        other.name = self.name
        return other

    def now(self, doc: str = "", at: str = "") -> Projection[T]:
        """Return the value of a field of the whole game.

        Args:
            doc: The docstring, if it is a public name of a View.
            at: CURRENT or PREVIOUS, if the field has a value for each item.
        """
        return self.projected((at,) if at else (), doc)

    def of_seat(self, doc: str = "", at: str = "") -> Projection[T]:
        """Return the value of the seat itself; see `now`."""
        return self.projected((SEAT, at) if at else (SEAT,), doc)

    def projected(self, at: tuple[str, ...], doc: str = "") -> Projection[T]:
        """Return the value at SEAT, CURRENT or PREVIOUS in its dimensions; see `now`."""
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


def money(
    visible_to: Visibility,
    doc: str = "",
    *,
    per: str | Sequence[str] = (),
    within: Dollars = DOLLARS,
    hidden_as: int = 0,
    may_be_none: bool = False,
    **needs: Unpack[Needs],
) -> Field[float]:
    """Declare an amount of money: cents in the state, dollars outside.

    Args:
        may_be_none: Whether a negative number stands for no amount, as WITHDRAW does.
    """
    convert = _dollars_or_none if may_be_none else to_dollars
    unit: Unit[float] = Unit(within, convert, divisor=100, may_be_none=may_be_none)  # type: ignore[arg-type]
    return Field(unit, visible_to, doc, per, hidden_as, **needs)


def _dollars_or_none(cents: int) -> float | None:
    return to_dollars(cents) if cents >= 0 else None


def integer(
    visible_to: Visibility,
    doc: str = "",
    *,
    per: str | Sequence[str] = (),
    within: Value = WHOLE,
    hidden_as: int = 0,
    **needs: Unpack[Needs],
) -> Field[int]:
    """Declare a whole number."""
    return Field(Unit(within), visible_to, doc, per, hidden_as, **needs)


def flag(
    visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = (), **needs: Unpack[Needs]
) -> Field[bool]:
    """Declare whether something is so: 0 or 1 in the state."""
    needs.setdefault("most", 1)
    return Field(Unit(BOOLEAN, bool), visible_to, doc, per, **needs)


def ppm(
    visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = (), **needs: Unpack[Needs]
) -> Field[float]:
    """Declare a share: millionths in the state."""
    unit = Unit(number(0, 1000), lambda value: value / 1_000_000, divisor=1_000_000)
    needs.setdefault("most", 1)
    return Field(unit, visible_to, doc, per, **needs)


def option(
    visible_to: Visibility,
    options: Sequence[str],
    doc: str = "",
    *,
    per: str | Sequence[str] = (),
    **needs: Unpack[Needs],
) -> Field[str]:
    """Declare one of several options: its index in the state."""
    unit = Unit(choice(*options), options.__getitem__, options=options)
    needs.setdefault("most", max(1, len(options) - 1))
    return Field(unit, visible_to, doc, per, **needs)


def seat_name(
    visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = (), **needs: Unpack[Needs]
) -> Field[str | None]:
    """Declare a seat: its number, or NOBODY, in the state; its name, or None, outside."""
    unit: Unit[Any] = Unit(TEXT, names=_seats, may_be_none=True)
    return Field(unit, visible_to, doc, per, NOBODY, **needs)


def _seats(texts: Any) -> Sequence[str]:
    return texts.seats


def index_of(
    visible_to: Visibility,
    names: str,
    doc: str = "",
    *,
    per: str | Sequence[str] = (),
    schema: Schema = TEXT,
    may_be_none: bool = False,
    **needs: Unpack[Needs],
) -> Field[Any]:
    """Declare an index in a list of names of the scenario's texts; NOBODY is none.

    Args:
        names: The attribute of the texts.
        schema: The schema of a name.
    """
    unit: Unit[Any] = Unit(schema, names=lambda texts: getattr(texts, names), may_be_none=may_be_none)
    return Field(unit, visible_to, doc, per, NOBODY, **needs)


def random_key(visible_to: Visibility, doc: str = "", *, per: str | Sequence[str] = ()) -> Field[int]:
    """Declare the key of random numbers."""
    return Field(_KEY, visible_to, doc, per)


_KEY: Unit[int] = Unit(Value("a key", int))


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

    A new field has its constant in `Scenario.template`; and if it is hidden, and neither drawn by itself nor a
    consequence of actions, its place in `belief.resample`.

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
            for need, other in (("most", field.most), ("drawn", field.drawn)):
                if isinstance(other, str):
                    cls._check_bound(f"{cls.__name__}.{name}: {need}", other)

    @classmethod
    def _check_bound(cls, where: str, name: str) -> None:
        """Raise FieldsError, which names `where`, if a name is not that of a public field of the whole game."""
        field = cls.FIELDS.get(name)
        if field is None:
            hint = suggestion(name, cls.FIELDS)
            raise FieldsError(f"{where}: expected the name of a field, got {name!r}{hint}")
        if field.per or field.visible_to is not ALL:
            raise FieldsError(f"{where}: expected a field of the whole game that all seats see, got {field!r}")

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


class PlainState(GameState):
    """The fields that games have in which all seats decide in every round; a game's State adds its own."""

    acting = flag(ALL, "whether the seat has a decision now", per=SEAT)
    seat_key = random_key(OWNER, "seeds what the bidder of the seat draws", per=SEAT)


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
