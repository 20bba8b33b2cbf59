"""Schemas: descriptions of JSON data, and the check of data against them; an error names the place of the value.

A schema checks many values at once, because files hold long lists of equal objects, and Python checks a list of values
much faster than each of them. `check` looks for the value at fault only if something does not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from aucenv.core.checks import at, excerpt, inside, suggestion
from aucenv.core.formats.json_parser import MAX_DEPTH

_LIST, _OBJECT, _NESTED = frozenset((list,)), frozenset((dict,)), frozenset((list, dict))
MISFIT = -1
"""What `Schema.count_fields` returns if a value does not fit."""


class Schema:
    """A description of JSON values.

    Attributes:
        expected: The description in words, for errors.
    """

    expected = "a value"

    def count_fields(self, values: Sequence[Any]) -> int:
        """Return the number of fields of all objects in these values; MISFIT if a value does not fit."""
        raise NotImplementedError

    def check(self, value: Any, where: str, path: str = "") -> Any:
        """Return `value` if it fits.

        Raises:
            ValueError: It does not; the message names `where`, the path of the value, and what is expected there.
        """
        if self.count_fields([value]) == MISFIT:
            self.explain(value, where, path)
        return value

    def explain(self, value: Any, where: str, path: str) -> None:
        """Raise the error of `check` for a value that does not fit."""
        raise ValueError(f"{at(where, path)}: expected {self.expected}, got {excerpt(value)}")


class Value(Schema):
    """A value that is neither a list nor an object.

    Args:
        expected: The description in words.
        types: The allowed types.
        least, most: The range of numbers; None is no limit.
        options: The allowed values; None allows all.
        blank: Whether a text may be blank.
    """

    def __init__(
        self,
        expected: str,
        *types: type,
        least: float | None = None,
        most: float | None = None,
        options: Sequence[Any] | None = None,
        blank: bool = True,
    ) -> None:
        self.expected = expected
        self.types = frozenset(types)
        self.least, self.most = -math.inf if least is None else least, math.inf if most is None else most
        self._ranged = least is not None or most is not None
        self.options = None if options is None else frozenset(options)
        self.blank = blank

    def count_fields(self, values: Sequence[Any]) -> int:
        if not self.types.issuperset(map(type, values)):
            return MISFIT
        if self._ranged and values and not (self.least <= min(values) and max(values) <= self.most):
            return MISFIT
        if self.options is not None and not self.options.issuperset(values):
            return MISFIT
        return 0 if self.blank or all(map(str.strip, values)) else MISFIT


class Optional(Schema):
    """A value or null."""

    def __init__(self, inner: Schema) -> None:
        self.inner = inner
        self.expected = f"{inner.expected}, or null"

    def count_fields(self, values: Sequence[Any]) -> int:
        return self.inner.count_fields([value for value in values if value is not None])

    def explain(self, value: Any, where: str, path: str) -> None:
        if isinstance(value, (dict, list)):
            self.inner.explain(value, where, path)
        super().explain(value, where, path)


class ListOf(Schema):
    """A list of values that all fit one schema.

    Args:
        inner: The schema of the values.
        least, most: The limits of the list's length.
    """

    def __init__(self, inner: Schema, least: int = 0, most: float = math.inf) -> None:
        self.inner, self.least, self.most = inner, least, most
        self._limited = least > 0 or most < math.inf
        length = f" of {least}" if least == most else f" of at least {least}" if least else ""
        self.expected = f"a list{length}"

    def count_fields(self, values: Sequence[Any]) -> int:
        if not _LIST.issuperset(map(type, values)):
            return MISFIT
        if not any(values):
            return MISFIT if self.least > 0 and values else 0
        if self._limited and not all(self.least <= len(value) <= self.most for value in values):
            return MISFIT
        return self.inner.count_fields(list(chain.from_iterable(values)))

    def explain(self, value: Any, where: str, path: str) -> None:
        if isinstance(value, list) and self.least <= len(value) <= self.most:
            for index, part in enumerate(value):
                self.inner.check(part, where, inside(path, index))
        if isinstance(value, list):
            raise ValueError(f"{at(where, path)}: expected {self.expected}, got {len(value)}")
        super().explain(value, where, path)


class Row(Schema):
    """A list with one schema for each place."""

    def __init__(self, *columns: Schema) -> None:
        self.columns = columns
        self.expected = f"a list of {len(columns)}"

    def count_fields(self, values: Sequence[Any]) -> int:
        if not _LIST.issuperset(map(type, values)) or not {len(self.columns)}.issuperset(map(len, values)):
            return MISFIT
        counts = [column.count_fields([value[j] for value in values]) for j, column in enumerate(self.columns)]
        return MISFIT if MISFIT in counts else sum(counts)

    def explain(self, value: Any, where: str, path: str) -> None:
        if isinstance(value, list) and len(value) == len(self.columns):
            for index, (part, column) in enumerate(zip(value, self.columns, strict=True)):
                column.check(part, where, inside(path, index))
        super().explain(value, where, path)


def _getter(*names: str) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return the function that returns the values of these fields of an object."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda data: tuple(data[name] for name in names)


class Object(Schema):
    """An object with known fields.

    Args:
        fields: The schemas of the fields that it must have.
        optional: The schemas of the fields that it may have.
        rest: The schema of all other fields; None allows no others.
    """

    expected = "an object"

    def __init__(
        self, fields: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None, rest: Schema | None = None
    ) -> None:
        self.fields, self.optional, self.rest = dict(fields), dict(optional or {}), rest
        self._get_fields = _getter(*fields)

    def count_fields(self, values: Sequence[Any]) -> int:
        if not _OBJECT.issuperset(map(type, values)):
            return MISFIT
        total = sum(map(len, values))
        if not total:
            return 0 if not self.fields or not values else MISFIT
        known = len(values) * len(self.fields)
        try:
            columns = zip(*map(self._get_fields, values), strict=True)
            counts = [schema.count_fields(column) for schema, column in zip(self.fields.values(), columns, strict=True)]
        except KeyError:
            return MISFIT
        for name, schema in self.optional.items():
            column = [value[name] for value in values if name in value]
            known += len(column)
            counts.append(schema.count_fields(column))
        if known < total:
            if self.rest is None:
                return MISFIT
            others = [part for value in values for name, part in value.items() if not self._knows(name)]
            counts.append(self.rest.count_fields(others))
        return MISFIT if MISFIT in counts else total + sum(counts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the known fields."""
        return *self.fields, *self.optional

    def _knows(self, name: str) -> bool:
        return name in self.fields or name in self.optional

    def explain(self, value: Any, where: str, path: str) -> None:
        if not isinstance(value, dict):
            super().explain(value, where, path)
        unknown = [name for name in value if not self._knows(name)] if self.rest is None else []
        names = self.names
        missing = [name for name in self.fields if name not in value]
        if unknown:
            hint = suggestion(unknown[0], [name for name in names if name not in value])
            listed = len(names) <= 14 or not self.fields  # objects of options, which people write, list all of them
            expected = f"only the fields {', '.join(names)}" if listed else "no such field"
            raise ValueError(f"{at(where, inside(path, unknown[0]))}: expected {expected}, got this one{hint}")
        if missing:
            raise ValueError(f"{at(where, inside(path, missing[0]))}: expected this field, got none")
        for name, part in value.items():
            schema = self.fields.get(name) or self.optional.get(name) or self.rest
            assert schema is not None
            schema.check(part, where, inside(path, name))
        super().explain(value, where, path)


class MapOf(Schema):
    """An object with any fields, whose values all fit one schema.

    Args:
        inner: The schema of the values.
        least: The least number of fields.
    """

    def __init__(self, inner: Schema, least: int = 0) -> None:
        self.inner, self.least = inner, least
        self.expected = f"an object with at least {least} fields" if least else "an object"

    def count_fields(self, values: Sequence[Any]) -> int:
        if not _OBJECT.issuperset(map(type, values)) or min(map(len, values), default=self.least) < self.least:
            return MISFIT
        count = self.inner.count_fields(list(chain.from_iterable(value.values() for value in values)))
        return MISFIT if count == MISFIT else count + sum(map(len, values))

    def explain(self, value: Any, where: str, path: str) -> None:
        for name, part in value.items() if isinstance(value, dict) else ():
            self.inner.check(part, where, inside(path, name))
        super().explain(value, where, path)


class AnyJson(Schema):
    """Any JSON value with finite numbers that is not nested deeply."""

    expected = f"finite numbers, and at most {MAX_DEPTH} nested lists and objects"

    def count_fields(self, values: Sequence[Any]) -> int:
        count, level = 0, values
        for _ in range(MAX_DEPTH + 1):
            types = set(map(type, level))
            if float in types and not all(map(math.isfinite, (value for value in level if type(value) is float))):
                return MISFIT
            if not types & _NESTED:
                return count
            objects = [value for value in level if type(value) is dict]
            count += sum(map(len, objects))
            lists = [value for value in level if type(value) is list]
            level = list(chain(chain.from_iterable(lists), *(value.values() for value in objects)))
        return MISFIT


def whole(least: int = 0, most: int = 10**9) -> Value:
    """Return the schema of a whole number."""
    return Value(f"a whole number from {least} to {most:,}", int, least=least, most=most)


def number(least: float, most: float) -> Value:
    """Return the schema of a number."""
    return Value(f"a number from {least:g} to {most:g}", int, float, least=least, most=most)


def choice(*options: str) -> Value:
    """Return the schema of one of these texts."""
    return Value(f"one of {', '.join(options)}", str, options=options)


def fields_only(*names: str, **schemas: Schema) -> Object:
    """Return the schema of an object that has no other fields; those without a schema have any value."""
    return Object({}, {**dict.fromkeys(names, ANY_JSON), **schemas})


TEXT = Value("a text", str)
NONEMPTY_TEXT = Value("some text", str, blank=False)
BOOLEAN = Value("true or false", bool)
ANY_JSON = AnyJson()
