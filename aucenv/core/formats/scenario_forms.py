"""The forms of files in which a game takes scenarios: their fields and examples, from what checks them."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from aucenv.core.checks import FieldError
from aucenv.core.declared import declarations
from aucenv.core.formats.list_fields import FieldsMissing, ListForm
from aucenv.core.formats.list_files import SUFFIXES
from aucenv.core.words.phrases import listed

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class ScenarioLists(Generic[T]):
    """The lists from which a game makes scenarios.

    Attributes:
        form: The form of a list.
        load: Returns the scenario of the path of a list, and of the path of a second file; None is none.
        second: The second file, which a comma separates from the list, such as "bidders.jsonl".
    """

    form: ListForm
    load: Callable[[str, str | None], T]
    second: str

    @property
    def files(self) -> str:
        """The files of such lists in words."""
        endings = ", ".join(f"`{suffix}`" for suffix in SUFFIXES)
        return f"a list of {self.form.thing}s ({endings}), which `,{self.second}` may follow"


class UnknownFile(FieldError):
    """A file has none of the forms that a game takes; a note has an example of three lines."""


def required(kind: type) -> list[str]:
    """Return the names of the fields of a dataclass that have no default."""
    return [name for name, each in declarations(kind).items() if each.default is dataclasses.MISSING]


def json_example(kind: type, named: Mapping[str, Any]) -> tuple[str, ...]:
    """Return three lines of JSON with a scenario: its fields without defaults, and others up to three.

    Args:
        kind: The class of scenarios.
        named: The scenarios of the game by name, of which the first has the values.
    """
    parts = {name: each.accepts.kinds[0] for name, each in declarations(kind).items() if each.accepts.kinds}
    data = {**next(iter(named.values())).to_dict(), "name": "mine"}
    first = [*required(kind), *(name for name in data if name not in required(kind))][:3]
    shown = {name: _shortened(data[name], parts[name]) if name in parts else data[name] for name in data}
    lines = [f"{json.dumps(name)}: {json.dumps(shown[name], ensure_ascii=False)}" for name in data if name in first]
    return tuple(f"{'{' if not j else ' '}{line}{'}' if j == len(lines) - 1 else ','}" for j, line in enumerate(lines))


def _shortened(value: Any, kind: type) -> Any:
    """Return the first two objects of a list, with their fields that have no default; other values unchanged."""
    if not isinstance(value, (list, tuple)):
        return value
    return [{name: one[name] for name in required(kind)} for one in value[:2]]


def unknown_file(
    error: FieldsMissing, kind: type, named: Mapping[str, Any], lists: ScenarioLists | None
) -> UnknownFile:
    """Return the error of a file that has none of a game's forms, with what the game takes.

    Args:
        error: What is wrong with the file.
        kind: The class of scenarios.
        named: The scenarios of the game by name.
        lists: The lists that the game takes.
    """
    if error.form is not None:
        accepted = f"A list of {error.form.thing}s has the fields {error.form.fields_in_words}"
        example: tuple[str, ...] = error.form.example
    else:
        optional = [name for name in declarations(kind) if name not in required(kind)]
        accepted = (
            "A scenario is a name (`aucenv envs` lists them), or FILE.json or FILE.yaml, an object with the fields "
            f"{', '.join(required(kind))}; optionally {', '.join(optional)}"
        )
        example = json_example(kind, named)
        if lists is not None:
            files = listed([f"FILE{suffix}" for suffix in SUFFIXES]).replace(" and ", " or ")
            accepted += (
                f"; or {files}, a list of {lists.form.thing}s with the fields {lists.form.fields_in_words}, which "
                f",{lists.second} may follow"
            )
            example = lists.form.example
    unknown = UnknownFile(error.place, f"{error.problem}. {accepted}", error.path)
    unknown.add_note("\n".join(["For example:", *example]))
    return unknown


def split_paths(scenario: str) -> tuple[str, str | None]:
    """Return the path of a list and that of the file which a comma separates from it, None if there is none."""
    endings = "|".join(map(re.escape, SUFFIXES))
    two = re.fullmatch(rf"(.+?(?:{endings})),(.+)", scenario, re.IGNORECASE)
    return (two[1], two[2]) if two else (scenario, None)


def is_path(scenario: str) -> bool:
    """Return whether a text is the path of a file, or of what should be one: its name has an ending, or a folder."""
    ending = Path(scenario).suffix[1:]
    has_ending = ending.isascii() and ending.isalnum() and not ending.isdigit()
    return has_ending or "/" in scenario or Path(scenario).is_file()
