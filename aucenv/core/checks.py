"""Checks of arguments whose errors name the value, what was expected and where."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

REAL = (int, float, np.integer, np.floating)


class MissingExtra(ImportError):
    """A package that one of aucenv's extras brings is not installed; says which."""


def one_of(what: str, value: T, options: Collection[T]) -> T:
    """`value`, if it is one of `options`.

    Raises:
        ValueError: it is not; lists the options and suggests the nearest.
    """
    try:
        known = value in options
    except TypeError:  # a list is in no dict
        known = False
    if known:
        return value
    near = difflib.get_close_matches(str(value), [str(option) for option in options], n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"{what}: expected one of {', '.join(map(str, options))}, got {value!r:.80}{hint}")


def whole_number(what: str, value: Any, least: int, most: int | None = None) -> int:
    """`value`, if it is a whole number from `least` to `most`.

    Raises:
        ValueError: it is not.
    """
    whole = not isinstance(value, bool) and hasattr(value, "__index__")
    if whole and value >= least and (most is None or value <= most):
        return int(value)
    expected = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise ValueError(f"{what}: expected a whole number {expected}, got {value!r}")


def number(what: str, value: Any, least: float, most: float) -> float:
    """`value`, if it is a number from `least` to `most`.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, REAL) or not least <= value <= most:
        raise ValueError(f"{what}: expected a number from {least} to {most}, got {value!r}")
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def some_text(what: str, value: Any) -> str:
    """`value`, if it is a string with something in it.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, str) and value.strip() and not re.search("[\ud800-\udfff]", value):
        return value
    raise ValueError(f"{what}: expected some text, got {value!r}")


def yes_or_no(what: str, value: Any) -> bool:
    """`value`, if it is True or False.

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{what}: expected true or false, got {value!r}")


def no_duplicates(what: str, values: list) -> None:
    """Nothing, if all values differ.

    Raises:
        ValueError: some are equal; names them.
    """
    repeated = sorted(str(value) for value, times in Counter(values).items() if times > 1)
    if repeated:
        raise ValueError(f"{what}: expected no duplicates, got {', '.join(repeated)} more than once")


def check_list(what: str, values: Any, length: int) -> None:
    """Nothing, if it is a list of so many.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(values, (list, tuple)):
        raise ValueError(f"{what}: expected a list of {length}, got {values!r:.80}")
    if len(values) != length:
        raise ValueError(f"{what}: expected {length} of them, got {len(values)}")


_JSON_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a whole number"}


def field(data: Mapping[str, Any], name: str, kind: type, where: str = "") -> Any:
    """The field `name` of a JSON object, if it is there and of this kind.

    Raises:
        ValueError: it is not; names `where`.
    """
    place = f"{where}: " if where else ""
    if name not in data:
        raise ValueError(f"{place}expected the field {name!r}")
    value = data[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{place}{name}: expected {_JSON_NAMES[kind]}, got {value!r:.80}")
    return value


def build(kind: type[T], data: Any, where: str) -> T:
    """A dataclass of the fields of a JSON object.

    Raises:
        ValueError: not an object, a field missing or unknown, or as the dataclass checks; names `where`.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{where}: expected an object, got {data!r:.80}")
    known = {part.name: part for part in dataclasses.fields(kind)}  # type: ignore[arg-type]  # T is a dataclass
    for name in data:
        one_of(f"{where}, field", name, known)
    required = [name for name, part in known.items() if part.default is dataclasses.MISSING]
    missing = [name for name in required if name not in data]
    if missing:
        raise ValueError(f"{where}: expected the field {missing[0]!r}")
    try:
        return kind(**data)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
