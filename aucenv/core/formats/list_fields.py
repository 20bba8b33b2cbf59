"""The fields of the lists that a game takes from files, and the objects that their rows describe.

Texts become numbers by one rule, `read_number`. All problems of a file are in one error, by field.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from aucenv.core.checks import FieldError, excerpt
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.list_files import ListFile, read_list
from aucenv.core.words.names import DistinctNames
from aucenv.core.words.outside_text import shorten
from aucenv.core.words.phrases import listed

T = TypeVar("T", bound=Any)  # an object with a name

MOST_ROWS = 10_000
"""The maximum number of rows: the record of each game holds the whole list."""
MOST_LINES = 3
"""The maximum number of lines that an error names for a field."""
TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_SIGN = re.compile(r"(?:US ?)?\$ ?", re.IGNORECASE)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_PLAIN = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?", re.IGNORECASE)
_AMBIGUOUS = re.compile(r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|\.[0-9]{3})")
"""A number in a file with semicolons, as spreadsheets write it where commas are decimal: one and a half, or 1,500?"""


class FieldsMissing(FieldError):
    """A file lacks a field that it must have, so that it may be a file of another kind.

    Attributes:
        form: The form of the list that the file should be, if it should be one.
    """

    form: ListForm | None = None


@dataclasses.dataclass(frozen=True)
class ListField:
    """A field of the rows of a list.

    Attributes:
        name: The name of the field.
        about: What it is.
        reads: How a text becomes its value: "text", "number", "true or false", or "number or text".
        also: Names that other programs give it, of which a file may have one instead.
        default: What stands for the field if a row lacks it, in words; "" for a field that each row must have.
    """

    name: str
    about: str
    reads: str = "text"
    also: tuple[str, ...] = ()
    default: str = ""

    @property
    def names(self) -> str:
        """The name, and the others in brackets."""
        return f"{self.name} (or {', '.join(self.also)})" if self.also else self.name

    def value(self, text: str, decimal_commas: bool) -> Any:
        """Return the value that a text of a file means.

        Args:
            text: The text.
            decimal_commas: As in `read_number`.

        Raises:
            ValueError: It means none.
        """
        if self.reads == "number":
            return read_number(text, decimal_commas)
        if self.reads == "true or false":
            if text.casefold() not in TRUTH:
                raise ValueError(f"expected true or false, yes or no, 1 or 0, got {excerpt(text)}")
            return TRUTH[text.casefold()]
        return int(text) if self.reads == "number or text" and re.fullmatch(r"0|[1-9][0-9]{0,17}", text) else text


def read_number(text: str, decimal_commas: bool = False) -> int | float:
    """Return the number that a text means: `1500`, `1500.50`, `1,500`, `$1,500.50` or `1.5e3`.

    A dollar sign may stand in front, and commas may separate groups of three digits.

    Args:
        text: The text.
        decimal_commas: Whether commas may be decimal where the text comes from: `1,500` and `1.500`, without a dollar
            sign, are one and a half there, or 1500.

    Raises:
        ValueError: The text is not such a number, or has two meanings.
    """
    digits = text.strip(" \t")
    sign = _SIGN.match(digits)
    digits = digits[sign.end() :] if sign else digits
    if decimal_commas and not sign and _AMBIGUOUS.fullmatch(digits):
        raise ValueError(
            f"expected a number without thousands separators, because the file has semicolons, got {excerpt(text)}"
        )
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    if _PLAIN.fullmatch(digits) is None or not math.isfinite(number := float(digits)):
        raise ValueError(f"expected a number such as 1500, 1500.50 or $1,500.50, got {excerpt(text)}")
    return int(number) if number.is_integer() else number


def _plain(name: str) -> str:
    """Return a name of a column in the form of fields: `Starting price` is `starting_price`."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


class ListForm:
    """The form of a list.

    Args:
        thing: What a row describes, such as "item".
        fields: The fields of a row.
        example: A list in CSV: the row of names, and two more.

    Attributes:
        fields: The fields by name.
    """

    def __init__(self, thing: str, fields: tuple[ListField, ...], example: tuple[str, str, str]) -> None:
        self.thing, self.example = thing, example
        self.fields = {field.name: field for field in fields}

    @property
    def fields_in_words(self) -> str:
        """The names of the fields."""
        required = [field.names for field in self.fields.values() if not field.default]
        optional = [field.names for field in self.fields.values() if field.default]
        return f"{', '.join(required)}; optionally {', '.join(optional)}"

    def open(self, path: str) -> ListRows:
        """Return the rows of a file.

        Raises:
            OSError: The file cannot be read.
            ValueError: It has no rows, or its columns are doubled.
        """
        return ListRows(self, read_list(path))


class ListRows:
    """The rows of a list in a file.

    Attributes:
        path: The file.
        names: Field -> its name in the file, for the fields that the file has.
        ignored: The names in the file that are no fields.
    """

    def __init__(self, form: ListForm, file: ListFile) -> None:
        self._form, self._file, self.path = form, file, file.path
        by_plain: dict[str, list[str]] = {}
        for name in file.names:
            by_plain.setdefault(_plain(name), []).append(name)
        self.names: dict[str, str] = {}
        for field in form.fields.values():
            known = [name for name in (field.name, *field.also) if name in by_plain][:1]
            for name in known:
                self.names[field.name] = by_plain[name][0]
            if known and len(doubled := by_plain[known[0]]) > 1:
                problem = f"expected {field.name!r} once, got {shorten(', '.join(doubled), 100)}"
                raise FieldError(f"{file.path}:{file.head}", problem)
        self.ignored = [name for name in file.names if name and name not in self.names.values()]

    def place(self, row: int) -> str:
        """Return the file and the line of a row."""
        return self._file.place(row)

    def build(self, make: Callable[[JsonObject, int], T]) -> list[T]:
        """Return the object of each row.

        Args:
            make: Returns the object of the fields that a row has, and of its number from 0; a FieldError names a field.

        Raises:
            FieldError: Rows are refused, or there are too many; the message names lines and fields. It is a
                `FieldsMissing` if no row has a field that each must have.
        """
        fields = self._form.fields.values()
        self._problems: dict[str, tuple[str, list[int]]] = {}
        lacks = [field for field in fields if not field.default and field.name not in self.names]
        objects = []
        distinct = DistinctNames()
        for number, row in enumerate(self._file.rows[:MOST_ROWS]):
            stand_ins = {field.name: 1 if field.reads == "number" else f"{number}" for field in lacks}
            data = self._read(row, number, stand_ins)
            if data is None:
                continue
            try:
                objects.append(built := make(data, number))
                distinct.add("name", built.name)
            except FieldError as error:
                refused = error.below("", (), self._form.fields)
                self._refuse(number, refused.problem, str(refused.path[0]) if refused.path else "")
        self._raise_problems([field.name for field in lacks])
        return objects

    def _read(self, row: JsonMapping | str, number: int, stand_ins: JsonObject) -> JsonObject | None:
        """Return the fields of a row; None if one is refused."""
        if isinstance(row, str):
            self._refuse(number, row)
            return None
        data, is_whole = stand_ins, True
        for name, written in self.names.items():
            value, field = row.get(written), self._form.fields[name]
            if written not in row or (value is None and field.default and field.reads == "text"):
                if not field.default:
                    self._refuse(number, f"expected the field {written!r}")
                    is_whole = False
                continue
            try:
                data[name] = self._value(field, value)
            except ValueError as error:
                self._refuse(number, str(error), name)
                is_whole = False
        return data if is_whole else None

    def _value(self, field: ListField, value: Any) -> Any:
        return field.value(value, self._file.delimiter == ";") if isinstance(value, str) else value

    def _refuse(self, row: int, problem: str, field: str = "") -> None:
        """Keep a problem of a row; of those of a field, the first is named."""
        self._problems.setdefault(field or problem, (problem, []))[1].append(row)

    def _raise_problems(self, lacks: list[str]) -> None:
        """Raise one error for all problems.

        Args:
            lacks: The fields that no row has.
        """
        number, path = len(self._file.rows), self.path
        problems = []
        if lacks:
            fields = f"the field{'s' * (len(lacks) > 1)} {', '.join(map(repr, lacks))}"
            got = f", got the columns {shorten(', '.join(self._file.names), 200)}" if self._file.delimiter else ""
            problems.append(FieldError(f"{path}:{self._file.head}", f"expected {fields}{got}"))
        if number > MOST_ROWS:
            problems.append(FieldError(path, f"expected at most {MOST_ROWS:,} rows, got {number:,}; keep some of them"))
        for key, (problem, rows) in self._problems.items():
            inner = (self.names.get(key, key),) if key in self._form.fields else ()
            problems.append(FieldError(self._file.place(rows[0]), problem + self._others(rows[1:]), inner))
        if lacks:
            missing = FieldsMissing("", "; ".join(map(str, problems)))
            missing.form = self._form
            raise missing
        if problems:
            raise problems[0] if len(problems) == 1 else FieldError("", "; ".join(map(str, problems)))

    def _others(self, rows: list[int]) -> str:
        """Return the other lines with a problem, in brackets."""
        shown = [self._file.place(row).rpartition(":")[2] for row in rows[:MOST_LINES]]
        more = [f"{len(rows) - MOST_LINES:,} more"] * (len(rows) > MOST_LINES)
        line = f"line{'s' * (len(rows) > 1)}"
        return f" (also {line} {listed([', '.join(shown), *more])})" if rows else ""
