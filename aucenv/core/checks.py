"""Checks of arguments whose errors name the value, what was expected and where."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Any, TypeVar

T = TypeVar("T")


def one_of(what: str, value: T, options: Collection[T]) -> T:
    """`value`, if it is one of `options`.

    Raises:
        ValueError: it is not; lists the options and suggests the nearest.
    """
    if value in options:
        return value
    near = difflib.get_close_matches(str(value), [str(option) for option in options], n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"{what}: expected one of {', '.join(map(str, options))}, got {value!r}{hint}")


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
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise ValueError(f"{what}: expected a number from {least} to {most}, got {value!r}")
    return value


def no_duplicates(what: str, values: list) -> None:
    """Nothing, if all values differ.

    Raises:
        ValueError: some are equal; names them.
    """
    repeated = sorted({str(value) for value in values if values.count(value) > 1})
    if repeated:
        raise ValueError(f"{what}: expected no duplicates, got {', '.join(repeated)} more than once")
