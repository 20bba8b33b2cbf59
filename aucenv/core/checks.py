"""Checks of arguments; the errors state the place, the expected values and the given value."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections import Counter
from collections.abc import Collection, Mapping
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
    raise ValueError(f"{name}: expected one of {', '.join(map(str, options))}, got {excerpt(value)}{hint}")


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
    raise ValueError(f"{name}: expected a whole number {expected}, got {excerpt(value)}")


def number(name: str, value: Any, least: float, most: float) -> float:
    """Return `value` as an int or a float if it is a number from `least` to `most`.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, REAL) or not least <= value <= most:
        raise ValueError(f"{name}: expected a number from {least} to {most}, got {excerpt(value)}")
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def nonempty_text(name: str, value: Any) -> str:
    """Return `value` if it is a string that is not blank and has no surrogates.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, str) and value.strip() and not re.search("[\ud800-\udfff]", value):
        return value
    raise ValueError(f"{name}: expected some text, got {excerpt(value)}")


def boolean(name: str, value: Any) -> bool:
    """Return `value` as a bool if it is True or False.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name}: expected true or false, got {excerpt(value)}")


def no_duplicates(name: str, values: list) -> None:
    """Raise unless all values are distinct.

    Raises:
        ValueError: Some values are equal; the message names them.
    """
    repeated = sorted(str(value) for value, times in Counter(values).items() if times > 1)
    if repeated:
        raise ValueError(f"{name}: expected no duplicates, got {', '.join(repeated)} more than once")


def check_list(name: str, values: Any, length: int) -> None:
    """Raise unless `values` is a list or a tuple of this length.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(values, (list, tuple)):
        raise ValueError(f"{name}: expected a list of {length}, got {values!r:.80}")
    if len(values) != length:
        raise ValueError(f"{name}: expected {length} of them, got {len(values)}")


_JSON_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a whole number"}


def field(data: Mapping[str, Any], name: str, kind: type, where: str = "") -> Any:
    """Return the field `name` of a JSON object if it exists and has this type.

    Raises:
        ValueError: It does not; the message names `where`.
    """
    place = f"{where}: " if where else ""
    if name not in data:
        raise ValueError(f"{place}expected the field {name!r}")
    value = data[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{place}{name}: expected {_JSON_NAMES[kind]}, got {excerpt(value)}")
    return value


def build(kind: type[T], data: Any, where: str) -> T:
    """Return an instance of a dataclass with the fields of a JSON object.

    Raises:
        ValueError: It is not an object, a field is missing or unknown, or the dataclass refuses a value; the
            message names `where`.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{where}: expected an object, got {excerpt(data)}")
    fields = {part.name: part for part in dataclasses.fields(kind)}  # type: ignore[arg-type]  # T is a dataclass
    for name in data:
        one_of(f"{where}, field", name, fields)
    required = [name for name, part in fields.items() if part.default is dataclasses.MISSING]
    missing = [name for name in required if name not in data]
    if missing:
        raise ValueError(f"{where}: expected the field {missing[0]!r}")
    try:
        return kind(**data)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
