"""Parsing of YAML that people write, as strictly as of JSON; an error names line and field.

Scalars are those of YAML 1.2's core schema without octal numbers: `yes`, `010`, `1:30`, `1_000` and `2026-11-27` are
texts. No object has a field twice, also not by way of a merge key, and numbers are finite.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from aucenv.core.checks import FieldError, excerpt
from aucenv.core.checks import Path as Place
from aucenv.core.files import JsonObject, read_text
from aucenv.core.formats.json_parser import MAX_DEPTH, MAX_DIGITS

MAX_VALUES = 100_000
"""The maximum number of values, those that aliases repeat included."""
TEXT_TAG = "tag:yaml.org,2002:str"
WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""The words that are no texts."""
WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
REAL = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def read_yaml(path: Path) -> tuple[JsonObject, dict[str, int]]:
    """Return the fields of a YAML file, and the line of each.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not YAML, or a value is not allowed; the message names file, line and field.
    """
    text = read_text(path, str(path))
    parser = _Parser(yaml.parse(text, Loader=yaml.SafeLoader), str(path))
    try:
        data = parser.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = ", ".join(filter(None, (error.context, error.problem)))
        raise ValueError(f"{path}: not YAML: {problem}{f', in line {mark.line + 1}' if mark else ''}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        got = type(data).__name__ if isinstance(data, list) else excerpt(data)
        raise ValueError(f"{path}: expected NAME: VALUE lines, got {got}")
    return data, parser.lines


def read_scalar(text: str) -> Any:
    """Return the value of a scalar without quotes.

    Raises:
        ValueError: It is not a finite number, or has too many digits.
    """
    if text in WORDS:
        return WORDS[text]
    if HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if WHOLE.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise ValueError(f"expected a number, got {len(text):,} digits")
        return int(text)
    number = float(text) if REAL.fullmatch(text) else 0.0
    if INFINITE.fullmatch(text) or not math.isfinite(number):
        raise ValueError(f"expected a finite number, got {text:.40}")
    return number if REAL.fullmatch(text) else text


def to_yaml(data: JsonObject) -> str:
    """Return YAML that `read_yaml` and other readers read as these data."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


class _Dumper(yaml.SafeDumper):
    """A dumper that quotes texts which are numbers in YAML 1.2 alone."""


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(rf"(?:{REAL.pattern})$"), list("-+.0123456789"))


class _Parser:
    """Builds values from the events of PyYAML's parser.

    Args:
        events: The events.
        where: The name of the file in errors.

    Attributes:
        lines: The line of each field of the whole document.
    """

    def __init__(self, events: Iterator[Any], where: str) -> None:
        self._events, self._where = events, where
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._count = 0
        self.lines: dict[str, int] = {}

    def document(self) -> Any:
        """Return the value of the only document; None if there is none."""
        values: list[Any] = []
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent) and values:
                self._refuse(event, "expected one document, got another one", ())
            if isinstance(event, yaml.NodeEvent):
                values.append(self._value(event, ()))
        return values[0] if values else None

    def _value(self, event: Any, place: Place) -> Any:
        before = self._count
        self._count += 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                self._refuse(event, f"expected an anchor &{event.anchor} before *{event.anchor}, got none", place)
            value, size = self._anchors[event.anchor]
            self._count += size
        elif event.tag not in (None, "!", TEXT_TAG):
            self._refuse(event, f"expected a value without a tag, got {event.tag:.40}", place)
        elif len(place) > MAX_DEPTH:
            self._refuse(event, f"expected at most {MAX_DEPTH} nested lists and objects, got more", place)
        elif isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event, place)
        elif isinstance(event, yaml.MappingStartEvent):
            value = self._object(place)
        else:
            parts = enumerate(self._until(yaml.SequenceEndEvent))
            value = [self._value(part, (*place, index)) for index, part in parts]
        if self._count > MAX_VALUES:
            self._refuse(event, f"expected at most {MAX_VALUES:,} values, got more", place)
        if event.anchor is not None and not isinstance(event, yaml.AliasEvent):
            self._anchors[event.anchor] = value, self._count - before
        return value

    def _object(self, place: Place) -> JsonObject:
        fields: JsonObject = {}
        for event in self._until(yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent) or event.anchor or event.tag not in (None, "!", TEXT_TAG):
                self._refuse(event, "expected the name of a field", place)
            name = event.value
            if name == "<<" and not event.style:
                self._refuse(event, "expected fields, got a merge key; write the fields that it stands for", place)
            if name in fields:
                self._refuse(event, "expected this field once, got it twice", (*place, name))
            if not place:
                self.lines[name] = event.start_mark.line + 1
            fields[name] = None
            fields[name] = self._value(next(self._events), (*place, name))
        return fields

    def _until(self, end: type) -> Iterator[Any]:
        """Yield the events up to the end of a list or an object; those inside of values are read meanwhile."""
        for event in self._events:
            if isinstance(event, end):
                return
            yield event

    def _scalar(self, event: Any, place: Place) -> Any:
        if re.search("[\ud800-\udfff]", event.value):
            self._refuse(event, "expected valid Unicode text, got an unpaired surrogate", place)
        if event.style or event.tag is not None:
            return event.value
        try:
            return read_scalar(event.value)
        except ValueError as error:
            return self._refuse(event, str(error), place)

    def _refuse(self, event: Any, problem: str, place: Place) -> Any:
        raise FieldError(f"{self._where}:{event.start_mark.line + 1}", problem, place)
