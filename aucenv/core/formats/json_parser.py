"""Parsing of JSON that people or other programs may have changed; an error names the field.

Besides the syntax, the parser checks what Python's lets pass: numbers are finite, no object has a field twice, strings
are valid Unicode, and values are not nested deeply.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import chain
from typing import Any

from aucenv.core.checks import FieldError, Path, excerpt

MAX_DEPTH = 64
"""The maximum number of nested lists and objects."""
MAX_DIGITS = 1000


def parse_json(text: str, where: str) -> Any:
    """Parse JSON.

    Raises:
        ValueError: The text is not JSON, or a value is not allowed; the message names `where` and the value's place.
    """
    problems: list[_Problem] = []
    try:
        data = json.loads(text, **_hooks(problems.append))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON: {error}") from None
    if problems or re.search(r"\\u[dD][89a-fA-F]", text) or _is_deep(data):
        _raise_first_problem(data, where)
    return data


class _Problem:
    """What stands in the parsed data in place of a value that is not allowed."""

    def __init__(self, description: str) -> None:
        self.description = description


def _hooks(note: Callable[[_Problem], None]) -> dict[str, Any]:
    """Return the hooks of `json.loads` that replace values that are not allowed by a `_Problem`, and note it."""

    def problem(description: str) -> _Problem:
        created = _Problem(description)
        note(created)
        return created

    def parse_int(digits: str) -> Any:
        return int(digits) if len(digits) <= MAX_DIGITS else problem(f"expected a number, got {len(digits):,} digits")

    def parse_float(digits: str) -> Any:
        number = float(digits)
        return number if math.isfinite(number) else problem(f"expected a finite number, got {digits:.40}")

    def parse_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for name, value in pairs:
            fields[name] = problem("expected this field once, got it twice") if name in fields else value
        return fields

    return {
        "parse_constant": lambda name: problem(f"expected a finite number, got {name}"),
        "parse_int": parse_int,
        "parse_float": parse_float,
        "object_pairs_hook": parse_fields,
    }


def _children(value: Any) -> list[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _is_deep(data: Any) -> bool:
    level = [data]
    for _ in range(MAX_DEPTH + 1):
        lists = [value for value in level if type(value) is list]
        objects = [value.values() for value in level if type(value) is dict]
        level = list(chain.from_iterable((*lists, *objects)))
        if not level:
            return False
    return True


def _raise_first_problem(data: Any, where: str) -> None:
    """Raise the first problem in the order of the text; return if there is none."""
    rest: list[tuple[Path, Any]] = [((), data)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, _Problem):
            raise FieldError(where, value.description, path)
        if len(path) > MAX_DEPTH:
            raise FieldError(where, f"expected at most {MAX_DEPTH} nested lists and objects, got more", path)
        if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
            raise FieldError(where, "expected valid Unicode text, got an unpaired surrogate", path)
        for key, child in reversed(_children(value)):
            if isinstance(key, str) and re.search("[\ud800-\udfff]", key):
                raise FieldError(where, f"expected valid Unicode text, got a field {excerpt(key)}", path)
            rest.append(((*path, key), child))
