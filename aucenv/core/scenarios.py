"""Loading of scenarios by name, from a JSON file, or from data."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from aucenv.core.checks import FieldError, build, excerpt, one_of
from aucenv.core.files import JsonMapping, JsonObject, read_text
from aucenv.core.json_lines import with_line
from aucenv.core.json_parser import parse_json
from aucenv.core.list_fields import FieldsMissing
from aucenv.core.list_files import SUFFIXES, parse_text
from aucenv.core.names import scenario_name
from aucenv.core.scenario_forms import ScenarioLists, is_path, split_paths, unknown_file

MOST_ROUNDS = 100_000
"""The largest number of rounds that an item may take in any game; scenarios that allow more are refused."""

T = TypeVar("T")
P = TypeVar("P", bound="PlainScenario")


@dataclasses.dataclass(frozen=True)
class PlainScenario:
    """The base of simple scenarios, whose bidders are equal at the start and have no budgets.

    Attributes:
        name: Its name.
        num_bidders: The number of seats.
        num_rounds: The number of rounds, each of which sells something.
    """

    name: str
    num_bidders: int = 3
    num_rounds: int = 1

    @property
    def bidders(self) -> tuple[str, ...]:
        """The names of the bidders in texts, by seat."""
        return tuple(f"Bidder {seat + 1}" for seat in range(self.num_bidders))

    @property
    def num_items(self) -> int:
        return self.num_rounds

    def changed(self: P, num_items: int | None = None, budget: float | None = None, **changes: Any) -> P:
        """Return a copy with changed fields; None leaves a field as it is.

        Raises:
            ValueError: `budget` is given, a field is unknown, or a value is out of range.
        """
        if budget is not None:
            raise ValueError(f"budget: expected None, because bidders have no budgets, got {budget}")
        chosen = {name: value for name, value in {"num_rounds": num_items, **changes}.items() if value is not None}
        for name in chosen:
            one_of(f"scenario {self.name!r}, field", name, [part.name for part in dataclasses.fields(self)])
        return dataclasses.replace(self, **chosen)

    def to_dict(self) -> JsonObject:
        """Return the fields, from which `from_dict` restores the scenario."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls: type[P], data: JsonMapping, where: str = "scenario") -> P:
        """Return the scenario with these fields.

        Raises:
            ValueError: A field is missing or unknown, or a value is out of range; the message names `where`.
        """
        return build(cls, data, where)


def find_scenario(
    scenario: object,
    kind: type[T],
    named: Mapping[str, T],
    lists: ScenarioLists[T] | None = None,
    patterns: tuple[str, ...] = (),
) -> T:
    """Return the scenario for a name, the path of a file, the data of `to_dict`, or a scenario.

    A name may be followed by values of fields, as in `low,days=10,supply_endpoint=false`. A file is `x.json` with the
    data of `to_dict`, or one of the lists that the game takes.

    Args:
        scenario: The scenario in one of these forms.
        kind: The class of scenarios of the game.
        named: The scenarios of the game by name.
        lists: The lists from which the game makes scenarios.
        patterns: What other names look like, for the error of an unknown one.

    Raises:
        ValueError: The name is unknown, the scenario is one of another game, or a file does not describe a scenario;
            the message names the file, the line and the field. An `UnknownFile` has none of the forms.
        OSError: The file cannot be read.
    """
    if isinstance(scenario, kind):
        return scenario
    if isinstance(scenario, Mapping):
        return kind.from_dict(scenario)  # type: ignore[attr-defined]  # all scenario classes have `from_dict`
    is_given_as_path = isinstance(scenario, os.PathLike)
    if isinstance(scenario, os.PathLike):
        scenario = os.fspath(scenario)
    if not isinstance(scenario, str):
        raise ValueError(f"scenario: expected a name, a path or a Scenario, got {excerpt(scenario)}")
    name, comma, fields = scenario.partition(",")
    if name not in named and (is_given_as_path or is_path(scenario)):
        try:
            return _of_file(scenario, kind, lists)
        except FieldsMissing as error:
            raise unknown_file(error, kind, named, lists) from None
    chosen = named[one_of("scenario", name, [*named, *(pattern for pattern in patterns if pattern != name)])]
    return _with_fields(scenario, chosen, fields, kind) if comma else chosen


def _of_file(scenario: str, kind: type[T], lists: ScenarioLists[T] | None) -> T:
    """Return the scenario of a file.

    Raises:
        FieldsMissing: The file has none of the forms that the game takes.
        ValueError, OSError: As in `find_scenario`.
    """
    path, second = (scenario, None) if lists is None else split_paths(scenario)
    suffix = Path(path).suffix.lower()
    if lists is not None and suffix in SUFFIXES and suffix != ".json":
        return lists.load(path, second)
    if suffix != ".json":
        raise FieldsMissing("scenario", f"expected another kind of file, got {excerpt(scenario)}")
    text = read_text(path, path)
    data = parse_text(text, path)
    if lists is not None and isinstance(data, list):
        return lists.load(path, second)
    if not isinstance(data, dict):
        raise FieldsMissing(f"{path}:1", f"expected a JSON object, got {type(data).__name__}")
    try:
        return kind.from_dict(data, where=path)  # type: ignore[attr-defined]  # as above
    except FieldError as error:
        refused = with_line(error, text)
    is_other = not any(part.name in data for part in dataclasses.fields(kind))  # type: ignore[arg-type]  # as above
    raise FieldsMissing(refused.place, refused.problem, refused.path) if is_other else refused


def _with_fields(text: str, scenario: T, fields: str, kind: type[T]) -> T:
    """Return a scenario with the values that a text such as `days=10,health_cap=12` gives to its fields.

    Args:
        text: the whole text, which becomes the name.
    """
    values = {}
    for pair in re.split(r",(?=\w+=)", fields):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"scenario: expected NAME,FIELD=VALUE,..., got {excerpt(text)}")
        values[name] = _json_or_text(value)
    data = scenario.to_dict()  # type: ignore[attr-defined]  # all scenario classes have it
    return kind.from_dict({**data, "name": scenario_name(text), **values})  # type: ignore[attr-defined]  # as above


def _json_or_text(text: str) -> Any:
    try:
        return parse_json(text, "")
    except ValueError:
        return text


def is_file(scenario: object) -> bool:
    """Return whether a scenario is the path of a file with a scenario or a list."""
    return isinstance(scenario, os.PathLike) or (isinstance(scenario, str) and scenario.lower().endswith(SUFFIXES))
