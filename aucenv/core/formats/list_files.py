"""Lists that people have in files: the rows of CSV, a JSON list of objects, or JSON lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from aucenv.core.checks import FieldError
from aucenv.core.files import JsonMapping, parse_object, read_all_lines, read_text
from aucenv.core.formats.json_lines import line_of, with_line
from aucenv.core.formats.json_parser import parse_json

SEPARATED = (".csv", ".tsv")
SUFFIXES = (*SEPARATED, ".json", ".jsonl")
"""The ends of the names of lists."""
DELIMITERS = ",;\t"


class ListFile:
    """A list in a file.

    Attributes:
        path: The path as the user has typed it.
        rows: The values of each row by the names that the file has; those of CSV are texts. What is wrong with a row
            that cannot be read stands in its place.
        names: The names, in the order of the file.
        delimiter: What separates the values of CSV; "" for JSON.
        head: The line of the names of CSV; that of the first row of JSON.
    """

    def __init__(
        self,
        path: str,
        rows: list[JsonMapping | str],
        names: list[str],
        line: Callable[[int], int],
        delimiter: str = "",
        head: int | None = None,
    ) -> None:
        self.path, self.rows, self.names, self.delimiter = path, rows, names, delimiter
        self._line = line
        self.head = line(0) if head is None and rows else head

    def place(self, row: int) -> str:
        """Return the file and the line on which a row begins."""
        return f"{self.path}:{self._line(row)}"


def read_list(path: str) -> ListFile:
    """Return the list in a file, whose name ends in one of SUFFIXES.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not UTF-8, not CSV or JSON, or has no rows.
    """
    suffix = Path(path).suffix.lower()
    read = _read_separated if suffix in SEPARATED else _read_lines if suffix == ".jsonl" else _read_json
    file = read(path)
    if not file.rows:
        kind = {".jsonl": "a JSON object on each line", ".json": "a list of JSON objects"}
        expected = kind.get(suffix, "a row of names and a row for each object")
        raise ValueError(f"{path}: expected {expected}, got an empty {'list' if suffix == '.json' else 'file'}")
    return file


def _read_lines(path: str) -> ListFile:
    rows: list[JsonMapping | str] = []
    lines = []
    for where, line in read_all_lines(path, with_cut_off=True):
        if isinstance(line, ValueError):
            raise line
        rows.append(parse_object(line, where))
        lines.append(int(where.rpartition(":")[2]))
    return _of_objects(path, rows, lines.__getitem__)


def _read_json(path: str) -> ListFile:
    text = read_text(path, path)
    rows = parse_text(text, path)
    if not isinstance(rows, list):
        raise FieldError(f"{path}:1", f"expected a list of JSON objects, got {type(rows).__name__}")
    return _of_objects(path, rows, lambda row: line_of(text, (row,)))


def parse_text(text: str, path: str) -> Any:
    """Parse the JSON text of a file.

    Raises:
        ValueError: As in `parse_json`; the message has the line of the value.
    """
    try:
        return parse_json(text, path)
    except FieldError as error:
        raise with_line(error, text) from None


def _of_objects(path: str, values: list, line: Callable[[int], int]) -> ListFile:
    rows: list[JsonMapping | str] = [
        value if isinstance(value, dict) else f"expected a JSON object, got {type(value).__name__}" for value in values
    ]
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    return ListFile(path, rows, list(names), line)


def _read_separated(path: str) -> ListFile:
    """Return the rows of a file whose first row has the names of the columns."""
    text = read_text(path, path).replace("\r\n", "\n").replace("\r", "\n")
    delimiter = _delimiter(text)
    records = _records(path, text, delimiter)
    head, names = next(records, (1, []))
    rows: list[JsonMapping | str] = []
    lines = []
    for line, values in records:
        while len(values) > len(names) and not values[-1]:
            values.pop()
        lines.append(line)
        if len(values) == len(names):
            rows.append({name: value for name, value in zip(names, values, strict=True) if value})
        else:
            hint = "; a value with a comma needs double quotes" if delimiter == "," else ""
            rows.append(f"expected {len(names)} values, as in the row of names, got {len(values)}{hint}")
    return ListFile(path, rows, names, lines.__getitem__, delimiter, head)


def _delimiter(text: str) -> str:
    """Return the one of DELIMITERS that separates the most names in the first row."""

    def number_of_names(delimiter: str) -> int:
        try:
            return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), ()))
        except csv.Error:
            return 0

    return max(DELIMITERS, key=number_of_names)


def _records(path: str, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the values of each row that is not blank, without the spaces around values."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader, None)
        except csv.Error as error:
            raise FieldError(f"{path}:{line}", f"not CSV: {error}") from None
        if values is None:
            return
        values = [value.strip(" \t") for value in values]
        if any(values):
            yield line, values
