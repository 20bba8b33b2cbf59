"""Scenarios: what is fixed before the deal; by name, from a file, or from data."""

from __future__ import annotations

import dataclasses
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar

import numpy as np

from aucenv.core.checks import FieldError, MissingExtra, excerpt, one_of, whole_number
from aucenv.core.declared import Declaration, Declared, Name, Whole, declarations, declared_parameters
from aucenv.core.fields import GameState
from aucenv.core.files import JsonObject, read_text
from aucenv.core.formats.json_lines import with_line
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.formats.list_fields import FieldsMissing
from aucenv.core.formats.list_files import SUFFIXES, parse_text, read_list
from aucenv.core.formats.scenario_forms import ScenarioLists, is_path, split_paths, unknown_file
from aucenv.core.state import NOBODY
from aucenv.core.words.names import scenario_name

MOST_ROUNDS = 100_000
"""The largest number of rounds that an item may take in any game; scenarios that allow more are refused."""
KEEP = "scenario"
"""The argument that keeps the scenario's value of a field that may be None."""
YAML = (".yaml", ".yml")

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Scenario(Declared):
    """The base of the scenarios of games: frozen dataclasses with declared fields.

    All fields are arguments of the game's environments, of `changed` and of `--set`.

    Class Attributes:
        STATE: The State of the game, for `template`.
        ITEMS: The field with the number of items, rounds or days, which `changed` also takes as `num_items`.
        NO_BUDGET: Why `changed` takes no `budget`, if there is no such argument.
        MAY_BE_NONE: The fields whose argument may be None; the argument KEEP keeps them. For all others None does.
    """

    KIND: ClassVar[str] = "scenario"
    STATE: ClassVar[type[GameState]]
    ITEMS: ClassVar[str] = "num_items"
    NO_BUDGET: ClassVar[str] = "these auctions have none"
    MAY_BE_NONE: ClassVar[tuple[str, ...]] = ()

    name: Annotated[str, Name(), "The scenario's name in records, tables and errors."]

    if TYPE_CHECKING:  # each is a field or a property of the game's class

        @property
        def bidders(self) -> Sequence[Any]:
            """The bidders, by seat: names, or objects with a name."""

        @property
        def num_items(self) -> int:
            """The number of items, rounds or days."""

        @property
        def highest_bid(self) -> float:
            """The highest possible bid, in dollars."""

        @property
        def profit_scale(self) -> float:
            """The scale of rewards: the number of dollars, or days, for which the reward is 1."""

    def _at(self, name: str) -> str:
        return f"scenario, {name}" if name == self.KEY else super()._at(name)

    def template(self) -> np.ndarray:
        """Return a state of one row with this scenario's constants, from which `rules.deal` starts every game."""
        return self.template_of(self.STATE)

    def template_of(self, state: type[GameState], **sizes: int) -> np.ndarray:
        """Return a state of one row with the numbers of seats and items, and the fields that both classes declare.

        Args:
            state: The State of the game.
            sizes: The lengths of further dimensions.
        """
        template = np.zeros(1, state.dtype(seat=len(self.bidders), item=self.num_items, **sizes))
        row = template[0]
        row["num_seats"], row["num_items"], row["forced_tie"] = len(self.bidders), self.num_items, NOBODY
        for name in declarations(type(self)).keys() & state.FIELDS.keys():
            if not state.FIELDS[name].per and (value := getattr(self, name)) is not None:
                row[name] = state.FIELDS[name].unit.integer(value)
        return template

    @property
    def warnings(self) -> list[str]:
        """What users should know about this scenario."""
        return []

    def adapt(self, **fields: Any) -> JsonObject:
        """Return the fields to change for the arguments of `changed`.

        A game overrides it to add arguments that are not fields, with a declaration of each; their default is None. It
        refuses what they do not accept.
        """
        return fields

    def changed(self, **changes: Any) -> Self:
        """Return a copy with other values of `arguments`.

        Args:
            changes: The values by argument; None keeps what the scenario has, or KEEP for fields of MAY_BE_NONE.
                `num_items` is the number of items, rounds or days.

        Raises:
            ValueError: A value is out of range, or there is no such argument.
        """
        known, adapted = arguments(type(self)), declared_parameters(type(self).adapt)
        given = {}
        for name, value in changes.items():
            if value is None if name not in self.MAY_BE_NONE else isinstance(value, str) and value == KEEP:
                continue
            if name == "budget" and name not in known:
                raise ValueError(f"budget: {self.NO_BUDGET}, got {value}")
            if name == "num_items" and name not in known:
                name, value = self.ITEMS, whole_number(name, value, 1)
            one_of(f"scenario {self.name!r}, field", name, known)
            given[name] = adapted[name].accepts.check(name, value) if name in adapted else value
        return dataclasses.replace(self, **self.adapt(**given))


S = TypeVar("S", bound=Scenario)


def arguments(kind: Any) -> Mapping[str, Declaration]:
    """Return the arguments that change a scenario of a class: those of `adapt`, and its fields except the name."""
    return {**declared_parameters(kind.adapt), **{k: v for k, v in declarations(kind).items() if k != "name"}}


@dataclasses.dataclass(frozen=True)
class PlainScenario(Scenario):
    """The base of simple scenarios, whose bidders are equal at the start and have no budgets.

    Class Attributes:
        HIGHEST_BID: The field with the highest possible bid, for which the reward is 1.
    """

    ITEMS: ClassVar[str] = "num_rounds"
    HIGHEST_BID: ClassVar[str] = "highest_value"

    num_bidders: Annotated[int, Whole(2, 16), "Number of seats."] = 3
    num_rounds: Annotated[int, Whole(1, 16), "Number of rounds, each of which sells something."] = 1

    @property
    def bidders(self) -> tuple[str, ...]:
        """The names of the bidders in texts, by seat."""
        return tuple(f"Bidder {seat + 1}" for seat in range(self.num_bidders))

    @property
    def num_items(self) -> int:
        return self.num_rounds

    @property
    def highest_bid(self) -> float:
        return getattr(self, self.HIGHEST_BID)

    @property
    def profit_scale(self) -> float:
        return self.highest_bid


def find_scenario(scenario: object, kind: type[S], named: Mapping[str, S], lists: ScenarioLists[S] | None = None) -> S:
    """Return the scenario for a name, the path of a file, the data of `to_dict`, or a scenario.

    A name may be followed by values of arguments, as in `low,days=10,supply_endpoint=false`. A file is JSON or YAML
    with the data of `to_dict`, CSV with a row of fields and one of values, or one of the lists that the game takes.

    Args:
        scenario: The scenario in one of these forms.
        kind: The class of scenarios of the game.
        named: The scenarios of the game by name. Its attribute `patterns` says what the names of others look like.
        lists: The lists from which the game makes scenarios.

    Raises:
        ValueError: The name is unknown, the scenario is one of another game, or a file does not describe a scenario;
            the message names the file, the line and the field. An `UnknownFile` has none of the forms.
        OSError: The file cannot be read.
    """
    if isinstance(scenario, kind):
        return scenario
    if isinstance(scenario, Mapping):
        return kind.from_dict(scenario)
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
    if name not in named:
        one_of("scenario", name, [*named, *getattr(named, "patterns", ())])
    if not comma:
        return named[name]
    texts = re.split(r",(?=\w+=)", fields)
    if not all("=" in text for text in texts):
        raise ValueError(f"scenario: expected NAME,FIELD=VALUE,..., got {excerpt(scenario)}")
    return changed_by_text(named[name], {"name": scenario_name(scenario), **assigned(texts, "scenario")})


def _of_file(scenario: str, kind: type[S], lists: ScenarioLists[S] | None) -> S:
    """Return the scenario of a file.

    Raises:
        FieldsMissing: The file has none of the forms that the game takes.
        ValueError, OSError: As in `find_scenario`.
    """
    path, second = (scenario, None) if lists is None else split_paths(scenario)
    suffix = Path(path).suffix.lower()
    if lists is not None and suffix in SUFFIXES and suffix != ".json":
        return lists.load(path, second)
    if suffix == ".csv":
        return _of_row(path, kind)
    if suffix in YAML:
        return _of_yaml(path, kind)
    if suffix != ".json":
        raise FieldsMissing("scenario", f"expected another kind of file, got {excerpt(scenario)}")
    text = read_text(path, path)
    data = parse_text(text, path)
    if lists is not None and isinstance(data, list):
        return lists.load(path, second)
    if not isinstance(data, dict):
        raise FieldsMissing(f"{path}:1", f"expected a JSON object, got {type(data).__name__}")
    try:
        return kind.from_dict(data, where=path)
    except FieldError as error:
        refused = with_line(error, text)
    is_other = not any(name in data for name in declarations(kind))
    raise FieldsMissing(refused.place, refused.problem, refused.path) if is_other else refused


def _of_yaml(path: str, kind: type[S]) -> S:
    """Return the scenario of a YAML file with the data of `to_dict`."""
    try:
        parser = import_module("aucenv.core.formats.yaml_parser")
    except ImportError:
        raise MissingExtra(f"{path}: YAML needs pyyaml (pip install pyyaml); or write the file as .json") from None
    data, lines = parser.read_yaml(Path(path))
    try:
        return kind.from_dict(data, where=path)
    except FieldError as error:
        line = lines.get(str(error.path[0])) if error.path else None
        raise FieldError(path if line is None else f"{path}:{line}", error.problem, error.path) from None


def _of_row(path: str, kind: type[S]) -> S:
    """Return the scenario of a CSV file with a row of fields and a row of values."""
    file = read_list(path)
    if len(file.rows) > 1:
        raise FieldError(file.place(1), f"expected one scenario, got {len(file.rows):,} rows")
    row = file.rows[0]
    if isinstance(row, str):
        raise FieldError(file.place(0), row)
    values = {name: json_or_text(value) for name, value in row.items() if value != ""}
    return kind.from_dict({"name": scenario_name(path), **values}, where=file.place(0))


def assigned(texts: Sequence[str], what: str) -> JsonObject:
    """Return the values of texts such as `days=10` by name; a value is JSON, or else the text itself.

    Args:
        texts: The texts.
        what: What they are a part of, for errors.

    Raises:
        ValueError: A text is no assignment, or a name stands twice.
    """
    values: JsonObject = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{what}: expected NAME=VALUE, got {excerpt(text)}")
        if name in values:
            raise ValueError(f"{what}: expected one value of {name}, got two")
        values[name] = json_or_text(value)
    return values


def changed_by_text(scenario: S, values: Mapping[str, Any]) -> S:
    """Return a scenario with values that a text, such as one of the command line, gives to its arguments.

    Args:
        scenario: The scenario.
        values: JSON data by argument; null is None where a field may be None. A `name` replaces that of the scenario.

    Raises:
        ValueError: As in `Scenario.changed`.
    """
    known = arguments(type(scenario))
    given = {
        name: known[name].accepts.of_json(value, "scenario", (name,)) if name in known else value
        for name, value in values.items()
    }
    name = given.pop("name", scenario.name)
    nones: JsonObject = {
        name: None for name, value in given.items() if value is None and name not in scenario.MAY_BE_NONE
    }
    for unset in nones:
        known[one_of(f"scenario {name!r}, field", unset, known)].accepts.check(f"scenario {name!r}, {unset}", None)
    return dataclasses.replace(dataclasses.replace(scenario, name=name).changed(**given), **nones)


def json_or_text(text: str) -> Any:
    """Return the value of JSON, and any other text as it is."""
    try:
        return parse_json(text, "")
    except ValueError:
        return text


def is_file(scenario: object) -> bool:
    """Return whether a scenario is the path of a file with a scenario or a list."""
    endings = (*SUFFIXES, *YAML)
    return isinstance(scenario, os.PathLike) or (isinstance(scenario, str) and scenario.lower().endswith(endings))


def warned(scenario: S, stacklevel: int = 3) -> S:
    """Return a scenario unchanged, after its warnings."""
    for warning in scenario.warnings:
        warnings.warn(warning, stacklevel=stacklevel)
    return scenario
