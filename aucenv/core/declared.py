"""Dataclasses whose fields declare what they accept: scenarios, and the objects in them.

A field says everything once: `num_bidders: Annotated[int, Whole(2, 10), "Number of seats."] = 3`. Its check, its JSON
form, the argument of the environments, and its row in the documentation follow from it.
"""

from __future__ import annotations

import abc
import dataclasses
import inspect
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from aucenv.core.checks import FieldError, Path, boolean, build, excerpt, number, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.words.money import checked_dollars, to_dollars, whole_cents
from aucenv.core.words.names import MAX_DESCRIPTION, MAX_NAME, checked_bidder_name, checked_description, checked_name

T = TypeVar("T")


class DeclarationError(TypeError):
    """A field lacks a part of its declaration, or its default is not one of its values; the message names it."""


class Accepts(abc.ABC):
    """The values that a field accepts.

    Attributes:
        words: The accepted values in words, such as "2 to 10".
        kinds: The dataclasses of the objects in a value.
    """

    words: str = ""
    kinds: tuple[type, ...] = ()

    @abc.abstractmethod
    def check(self, place: str, value: Any) -> Any:
        """Return the value in the form in which the field keeps it.

        Raises:
            FieldError: The field does not accept it; the message starts with `place`.
        """

    def to_json(self, value: Any) -> Any:
        """Return the value as JSON data."""
        return value

    def of_json(self, value: Any, where: str, path: Path) -> Any:
        """Return the value that JSON data describe, which `check` has still to accept.

        Args:
            value: The JSON data.
            where: The place of the data that it is a part of.
            path: Its path in these data.

        Raises:
            FieldError: The data do not describe an object.
        """
        return value


@dataclasses.dataclass(frozen=True)
class Whole(Accepts):
    """A whole number."""

    least: int
    most: int | None = None

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"{self.least:,} or more" if self.most is None else f"{self.least:,} to {self.most:,}"

    def check(self, place: str, value: Any) -> int:
        return whole_number(place, value, self.least, self.most)


@dataclasses.dataclass(frozen=True)
class Real(Accepts):
    """A number."""

    least: float
    most: float
    unit: str = ""

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"{self.least:,} to {self.most:,}{f' {self.unit}' if self.unit else ''}"

    def check(self, place: str, value: Any) -> float:
        return number(place, value, self.least, self.most)


@dataclasses.dataclass(frozen=True)
class Money(Accepts):
    """An amount of dollars; `exact` refuses fractions of a cent."""

    least: float = 0.01
    exact: bool = False

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"dollars, {self.least:,} or more"

    def check(self, place: str, value: Any) -> float:
        if self.exact:
            return to_dollars(whole_cents(place, value, self.least))
        return checked_dollars(value, place, least=self.least)


@dataclasses.dataclass(frozen=True)
class OneOf(Accepts):
    """One of several options."""

    options: Collection[Any]

    @property
    def words(self) -> str:  # type: ignore[override]
        return ", ".join(f'"{option}"' if isinstance(option, str) else str(option) for option in self.options)

    def check(self, place: str, value: Any) -> Any:
        return one_of(place, value, self.options)


class Flag(Accepts):
    """True or False."""

    words = "True or False"

    def check(self, place: str, value: Any) -> bool:
        return boolean(place, value)


class Name(Accepts):
    """The name of something."""

    words = f"one line of at most {MAX_NAME} characters"

    def check(self, place: str, value: Any) -> str:
        return checked_name(place, value)


class BidderName(Name):
    """The name of a bidder."""

    words = f'{Name.words}, not like "you"'

    def check(self, place: str, value: Any) -> str:
        return checked_bidder_name(place, value)


class Description(Accepts):
    """A text, or "" for none."""

    words = f"at most {MAX_DESCRIPTION:,} characters"

    def check(self, place: str, value: Any) -> str:
        return value if isinstance(value, str) and value == "" else checked_description(place, value)


class Text(Accepts):
    """A text that is not empty."""

    words = Description.words

    def check(self, place: str, value: Any) -> str:
        return checked_description(place, value)


class Id(Accepts):
    """A number, or a name."""

    words = "a number or a text"

    def check(self, place: str, value: Any) -> int | str:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise FieldError(place, f"expected a number or text, got {excerpt(value)}")
        return checked_name(place, value) if isinstance(value, str) else value


@dataclasses.dataclass(frozen=True)
class OrNone(Accepts):
    """None, or what another declaration accepts."""

    of: Accepts

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"{self.of.words}, or None"

    @property
    def kinds(self) -> tuple[type, ...]:  # type: ignore[override]
        return self.of.kinds

    def check(self, place: str, value: Any) -> Any:
        return None if value is None else self.of.check(place, value)

    def to_json(self, value: Any) -> Any:
        return None if value is None else self.of.to_json(value)

    def of_json(self, value: Any, where: str, path: Path) -> Any:
        return None if value is None else self.of.of_json(value, where, path)


@dataclasses.dataclass(frozen=True)
class Range(Accepts):
    """The least and the highest of some values.

    Attributes:
        of: What each of them is.
        distinct: Whether the least must be below the highest.
    """

    of: Accepts
    distinct: bool = False

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"(least, highest), each {self.of.words}"

    def check(self, place: str, value: Any) -> tuple[Any, Any]:
        ends = value.tolist() if isinstance(value, np.ndarray) else value
        if not isinstance(ends, (tuple, list)) or len(ends) != 2:
            raise FieldError(place, f"expected (least, highest), got {excerpt(value)}")
        if isinstance(self.of, Whole):
            low = self.of.check(f"{place}, least", ends[0])
            return low, whole_number(f"{place}, most", ends[1], low, self.of.most)
        low, high = (self.of.check(place, end) for end in ends)
        if low > high or (self.distinct and low == high):
            order = "below" if self.distinct else "at most"
            raise FieldError(place, f"expected the least {order} the highest, got {excerpt(value)}")
        return low, high

    def to_json(self, value: Any) -> Any:
        return list(value)


@dataclasses.dataclass(frozen=True)
class Numbers(Accepts):
    """A list of values."""

    of: Accepts

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"a list, each {self.of.words}"

    def check(self, place: str, value: Any) -> tuple[Any, ...]:
        values = value.tolist() if isinstance(value, np.ndarray) else value
        if not isinstance(values, (list, tuple)):
            raise FieldError(place, f"expected a list, got {excerpt(value)}")
        return tuple(self.of.check(f"{place}[{j}]", one) for j, one in enumerate(values))

    def to_json(self, value: Any) -> Any:
        return list(value)


@dataclasses.dataclass(frozen=True)
class Parts(Accepts, Generic[T]):
    """Some objects of a dataclass, in a tuple.

    Attributes:
        kind: The dataclass.
        name: What they are called in errors, such as "Residents".
    """

    kind: type[T]

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"a list of `{self.kind.__name__}`"

    @property
    def kinds(self) -> tuple[type, ...]:  # type: ignore[override]
        return (self.kind,)

    def check(self, place: str, value: Any) -> tuple[T, ...]:
        parts = tuple(value) if isinstance(value, (list, tuple)) else (value,)
        for part in parts:
            if not isinstance(part, self.kind):
                raise FieldError(place, f"expected {self.kind.__name__}s, got {excerpt(part)}")
        return parts

    def to_json(self, value: Any) -> Any:
        return [one.to_dict() for one in value]

    def of_json(self, value: Any, where: str, path: Path) -> Any:
        if not isinstance(value, list):
            raise FieldError(where, f"expected a list, got {excerpt(value)}", path)
        return tuple(restored(self.kind, one, where, (*path, number)) for number, one in enumerate(value))


@dataclasses.dataclass(frozen=True)
class Part(Accepts, Generic[T]):
    """An object of a dataclass."""

    kind: type[T]

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"`{self.kind.__name__}`"

    @property
    def kinds(self) -> tuple[type, ...]:  # type: ignore[override]
        return (self.kind,)

    def check(self, place: str, value: Any) -> T:
        if not isinstance(value, self.kind):
            raise FieldError(place, f"expected {self.kind.__name__}, got {excerpt(value)}")
        return value

    def to_json(self, value: Any) -> Any:
        return value.to_dict()

    def of_json(self, value: Any, where: str, path: Path) -> Any:
        return restored(self.kind, value, where, path)


@dataclasses.dataclass(frozen=True)
class Declaration:
    """The declaration of a field or an argument.

    Attributes:
        name: Its name.
        type: Its type.
        accepts: What it accepts.
        help: What it is, in one or two sentences.
        default: Its default; MISSING is none.
    """

    name: str
    type: Any
    accepts: Accepts
    help: str
    default: Any = dataclasses.MISSING


_DECLARATIONS: dict[Any, Mapping[str, Declaration]] = {}
"""The declarations of classes."""


def declarations(kind: Any) -> Mapping[str, Declaration]:
    """Return the declarations of the fields of a dataclass, by name.

    Raises:
        DeclarationError: A field has no declaration, or a default that it does not accept.
    """
    if kind not in _DECLARATIONS:
        hints, owner = get_type_hints(kind, include_extras=True), kind.__qualname__
        fields = dataclasses.fields(kind)
        _DECLARATIONS[kind] = {
            part.name: _declaration(owner, part.name, hints[part.name], part.default) for part in fields
        }
    return _DECLARATIONS[kind]


@lru_cache
def declared_parameters(function: Callable[..., Any]) -> Mapping[str, Declaration]:
    """Return the declarations of the parameters of a function that have any, by name.

    Raises:
        DeclarationError: As in `declarations`; the default None of a parameter is always accepted.
    """
    hints = get_type_hints(function, include_extras=True)
    return {
        name: _declaration(
            function.__qualname__,
            name,
            hints[name],
            dataclasses.MISSING if parameter.default in (None, inspect.Parameter.empty) else parameter.default,
        )
        for name, parameter in inspect.signature(function).parameters.items()
        if get_origin(hints.get(name)) is Annotated
    }


def _declaration(owner: str, name: str, hint: Any, default: Any) -> Declaration:
    kind, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if len(extras) != 2 or not isinstance(extras[0], Accepts) or not isinstance(extras[1], str) or not extras[1]:
        raise DeclarationError(
            f"{owner}.{name}: expected Annotated[TYPE, ACCEPTS, HELP], such as "
            f'Annotated[int, Whole(2, 16), "Number of seats."], got {excerpt(hint)}'
        )
    if default is not dataclasses.MISSING:
        try:
            extras[0].check("default", default)
        except FieldError as error:
            raise DeclarationError(f"{owner}.{name}: {error}") from None
    return Declaration(name, kind, extras[0], extras[1], default)


def parts_of(kind: type) -> list[type]:
    """Return the dataclasses of all objects in an object of a dataclass, those in its objects included."""
    direct = [part for each in declarations(kind).values() for part in each.accepts.kinds]
    return [inner for part in direct for inner in (part, *parts_of(part))]


class Declared:
    """The base of dataclasses whose fields declare what they accept.

    Class Attributes:
        KIND: What an object is called in errors.
        KEY: The field that names it there.
    """

    KIND: ClassVar[str] = ""
    KEY: ClassVar[str] = "name"

    def __post_init__(self) -> None:
        for declaration in declarations(type(self)).values():
            value = getattr(self, declaration.name)
            self._put(declaration.name, declaration.accepts.check(self._at(declaration.name), value))

    def _put(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def _where(self) -> str:
        return f"{self.KIND} {excerpt(getattr(self, self.KEY))}"

    def _at(self, name: str) -> str:
        """Return the place of a field for an error."""
        return f"{self._where}, {name}" if self.KIND else name

    def to_dict(self) -> JsonObject:
        """Return plain data from which `from_dict` restores the object."""
        return {name: each.accepts.to_json(getattr(self, name)) for name, each in declarations(type(self)).items()}

    @classmethod
    def from_dict(cls, data: JsonMapping, where: str = "scenario") -> Self:
        """Return the object that `data` describes.

        Raises:
            FieldError: A field is missing or unknown, or a value is refused; the message names `where`.
        """
        return restored(cls, data, where)


def restored(kind: type[T], data: Any, where: str, path: Path = ()) -> T:
    """Return an object of a dataclass from its JSON data: see `build`."""
    if isinstance(data, Mapping) and issubclass(kind, Declared):
        known = declarations(kind)
        data = {
            name: known[name].accepts.of_json(value, where, (*path, name)) if name in known else value
            for name, value in data.items()
        }
    return build(kind, data, where, path)
