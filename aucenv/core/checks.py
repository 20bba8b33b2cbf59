"""Checks of arguments; the errors state the place, the expected values and the given value."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import reduce
from reprlib import Repr
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

REAL = (int, float, np.integer, np.floating)

_REPR = Repr()
_REPR.maxlevel, _REPR.maxdict, _REPR.maxlist, _REPR.maxstring, _REPR.maxother = 3, 4, 4, 60, 60


def excerpt(value: Any) -> str:
    """Return a value as text for an error message, cut to about 80 characters, also if it is nested deeply."""
    return f"{_REPR.repr(value):.80}"


Path = tuple[str | int, ...]
"""The fields and indices that lead to a value in JSON data."""


def at(where: str, path: str) -> str:
    """Return the place of a value for an error message, such as `games.jsonl:3: decisions[4].amount`."""
    return f"{where}: {path}" if where and path else where or path


def inside(path: str, key: str | int) -> str:
    """Return the path of a value in the list or the object at `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not re.fullmatch(r"\w{1,60}", key):
        return f"{path}[{excerpt(key)}]"
    return f"{path}.{key}" if path else key


class FieldError(ValueError):
    """A value is refused; the message is `place: problem`.

    Attributes:
        place: The place of the value; or, with a path, of the data.
        problem: What is expected, and what the value is.
        path: The path of the value in the data.
    """

    def __init__(self, place: str, problem: str, path: Path = ()) -> None:
        super().__init__(place, problem, path)
        self.place, self.problem, self.path = place, problem, path

    def __str__(self) -> str:
        return at(at(self.place, reduce(inside, self.path, "")), self.problem)

    def below(self, place: str, path: Path, fields: Mapping[str, Any]) -> FieldError:
        """Return this error of an object as the error of the data that have the object at `path`.

        Args:
            place: The place of the data.
            path: The path of the object.
            fields: The fields of the object. A place such as `bidder 'Alex', budget` names one of them at its end.
        """
        name = self.place.rpartition(", ")[2]
        keys = self.path or tuple(int(key) if key.isdigit() else key for key in re.findall(r"\w+", name))
        if self.path or (re.fullmatch(r"[\w.\[\]]+", name) and keys[:1] and keys[0] in fields):
            return FieldError(place, self.problem, path + keys)
        return FieldError(place, str(self), path)


class MissingExtra(ImportError):
    """A package of one of aucenv's extras is not installed; the message names it."""


def one_of(name: str, value: T, options: Collection[T]) -> T:
    """Return `value` if it is one of `options`.

    Raises:
        ValueError: It is not; the message lists the options and suggests the closest.
    """
    try:
        is_option = value in options
    except TypeError:  # an unhashable value, such as a list, and a dict of options
        is_option = False
    if is_option:
        return value
    hint = suggestion(value, options)
    raise FieldError(name, f"expected one of {', '.join(map(str, options))}, got {excerpt(value)}{hint}")


def suggestion(value: Any, options: Collection[Any]) -> str:
    """Return the question whether the closest option was meant; "" if no option is close."""
    closest = difflib.get_close_matches(f"{value!s:.200}", [str(option) for option in options], n=1)
    return f" (did you mean {closest[0]!r}?)" if closest else ""


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int if it is a whole number from `least` to `most`.

    Raises:
        ValueError: It is not.
    """
    whole = not isinstance(value, bool) and hasattr(value, "__index__")
    if whole and value >= least and (most is None or value <= most):
        return int(value)
    expected = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise FieldError(name, f"expected a whole number {expected}, got {excerpt(value)}")


def number(name: str, value: Any, least: float, most: float) -> float:
    """Return `value` as an int or a float if it is a number from `least` to `most`.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, REAL) or not least <= value <= most:
        raise FieldError(name, f"expected a number from {least} to {most}, got {excerpt(value)}")
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def nonempty_text(name: str, value: Any) -> str:
    """Return `value` if it is a string that is not blank and has no surrogates.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, str) and value.strip() and not re.search("[\ud800-\udfff]", value):
        return value
    raise FieldError(name, f"expected some text, got {excerpt(value)}")


def boolean(name: str, value: Any) -> bool:
    """Return `value` as a bool if it is True or False.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise FieldError(name, f"expected true or false, got {excerpt(value)}")


def no_duplicates(name: str, values: list) -> None:
    """Raise unless all values are distinct.

    Raises:
        ValueError: Some values are equal; the message names them.
    """
    repeated = sorted(str(value) for value, times in Counter(values).items() if times > 1)
    if repeated:
        shown = f"{', '.join(repeated[:20]):.200}"
        raise FieldError(name, f"expected no duplicates, got {shown} more than once")


def check_list(name: str, values: Any, length: int) -> None:
    """Raise unless `values` is a list or a tuple of this length.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(values, (list, tuple)):
        raise FieldError(name, f"expected a list of {length}, got {excerpt(values)}")
    if len(values) != length:
        raise FieldError(name, f"expected {length} of them, got {len(values)}")


_JSON_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a whole number"}


def field(data: Mapping[str, Any], name: str, kind: type, where: str = "") -> Any:
    """Return the field `name` of a JSON object if it exists and has this type.

    Raises:
        FieldError: It does not; the message names `where`.
    """
    if name not in data:
        raise FieldError(where, f"expected the field {name!r}")
    value = data[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise FieldError(where, f"expected {_JSON_NAMES[kind]}, got {excerpt(value)}", (name,))
    return value


def build(kind: type[T], data: Any, where: str, path: Path = ()) -> T:
    """Return an instance of a dataclass with the fields of a JSON object.

    Args:
        kind: The dataclass.
        data: The JSON object.
        where: The place of the data that the object is a part of, for errors.
        path: The path of the object in these data.

    Raises:
        FieldError: It is not an object, a field is missing or unknown, or the dataclass refuses a value; the
            message names `where` and the path of the value.
    """
    if not isinstance(data, Mapping):
        raise FieldError(where, f"expected an object, got {excerpt(data)}", path)
    fields = {part.name: part for part in dataclasses.fields(kind)}  # type: ignore[arg-type]  # T is a dataclass
    for name in data:
        try:
            one_of("", name, fields)
        except FieldError as error:
            raise FieldError(where, error.problem, (*path, str(name))) from None
    required = [name for name, part in fields.items() if part.default is dataclasses.MISSING]
    missing = [name for name in required if name not in data]
    if missing:
        raise FieldError(where, f"expected the field {missing[0]!r}", path)
    try:
        return kind(**data)
    except FieldError as error:
        raise error.below(where, path, fields) from None
    except ValueError as error:
        raise FieldError(where, str(error), path) from None
