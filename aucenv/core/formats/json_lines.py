"""Lines of values in the text of JSON data, for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from aucenv.core.checks import FieldError, Path

_SPACE = re.compile(r"[ \t\n\r]*")
_skip_value = json.JSONDecoder(
    parse_int=str, parse_float=str, strict=False
).raw_decode  # str takes any number of digits


def line_of(text: str, path: Path) -> int:
    """Return the line on which a value begins; if there is none, that of the innermost value which leads there.

    Args:
        text: The JSON text.
        path: The fields and indices of the value; of fields with the same name, the last is meant.
    """
    position = _after_space(text, 0)
    for key in path:
        try:
            starts = [start for name, start in _children(text, position) if name == key]
        except (ValueError, RecursionError, IndexError):
            break
        if not starts:
            break
        position = starts[-1]
    return text.count("\n", 0, position) + 1


def with_line(error: FieldError, text: str) -> FieldError:
    """Return the error of a value in a file, with the value's line after the file's name."""
    return FieldError(f"{error.place}:{line_of(text, error.path)}", error.problem, error.path)


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _children(text: str, position: int) -> Iterator[tuple[str | int, int]]:
    """Yield (key, position) of each value in the list or object at a position."""
    is_object = text[position] == "{"
    if not is_object and text[position] != "[":
        return
    index, position = 0, _after_space(text, position + 1)
    while text[position] not in "}]":
        key: str | int = index
        if is_object:
            key, position = _skip_value(text, position)
            position = _after_space(text, position) + 1  # the colon
        position = _after_space(text, position)
        yield key, position
        _, position = _skip_value(text, position)
        position = _after_space(text, position)
        if text[position] == ",":
            position = _after_space(text, position + 1)
        index += 1
