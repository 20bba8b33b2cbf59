"""The population: families of bidders with drawn parameters, and the file that assigns each family to a split.

A family is a rule bidder with a range for each parameter that is drawn. Families are split into those to train on,
those for validation and those held out, which differ in mechanism; each parameter also has a range that is held out.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from aucenv.baselines.scripted.policy import Parameter, RuleBidder

from aucenv.core.checks import FieldError, excerpt, field, nonempty_text, number, one_of, whole_number
from aucenv.core.checks import Path as Place
from aucenv.core.files import JsonMapping, read_object
from aucenv.policy.registry import rule_bidders
from aucenv.registration import FAMILIES

TRAIN, VALIDATION, HELD_OUT = "train", "validation", "held-out"
SPLITS = (TRAIN, VALIDATION, HELD_OUT)
RANGES = (TRAIN, HELD_OUT)
"""The ranges of a drawn parameter; those of the families of all splits have the same names."""
STEP = 1000
"""Drawn parameters that are not whole numbers are multiples of 1 / STEP, so that names state them exactly."""
FIELDS = ("split", "bidder", "about", "parameters", "fixed")

Range = tuple[float, float]
"""The least and the highest value; if both are of type int, all values are whole numbers."""


@dataclasses.dataclass(frozen=True)
class Family:
    """A family of bidders that behave alike.

    Attributes:
        game: The name of the game.
        name: The name of the family, which is unique in its game.
        split: "train", "validation" or "held-out".
        bidder: The kind of rule bidder.
        about: One sentence on the person who bids like this.
        parameters: The ranges of each parameter that is drawn, by "train" and "held-out"; they do not overlap.
        fixed: The values of parameters that are not drawn.
    """

    game: str
    name: str
    split: str
    bidder: str
    about: str
    parameters: Mapping[str, Mapping[str, Range]]
    fixed: Mapping[str, float]

    def draw(self, rng: np.random.Generator, parameters: str = TRAIN) -> str:
        """Draw the parameters uniformly, and return the name of the bidder that has them.

        Args:
            rng: The random generator.
            parameters: "train" or "held-out", the ranges to draw from.

        Raises:
            ValueError: There are no ranges of this name.
        """
        one_of("parameters", parameters, RANGES)
        values = {name: _draw(rng, *ranges[parameters]) for name, ranges in self.parameters.items()}
        return ",".join([self.bidder, *(f"{name}={value:g}" for name, value in {**values, **self.fixed}.items())])

    def ranges_in_words(self) -> list[str]:
        """Return a line for each parameter: its ranges, or its value if it is not drawn."""
        drawn = [
            f"{name}={_in_words(*ranges[TRAIN])}  (held out: {_in_words(*ranges[HELD_OUT])})"
            for name, ranges in self.parameters.items()
        ]
        return [*drawn, *(f"{name}={value:g}" for name, value in self.fixed.items())]


def _in_words(low: float, high: float) -> str:
    return f"{low:g} to {high:g}" if low < high else f"{low:g}"


def _draw(rng: np.random.Generator, low: float, high: float) -> float:
    scale = 1 if isinstance(low, int) and isinstance(high, int) else STEP
    drawn = int(rng.integers(round(low * scale), round(high * scale), endpoint=True))
    return drawn / scale


@dataclasses.dataclass(frozen=True)
class Population:
    """A population of bidders for each game.

    Attributes:
        version: The version of the file, which changes with the file.
        digest: The SHA-256 digest of the file's data.
        members: The families of each game, in the order of the file.
    """

    version: int
    digest: str
    members: Mapping[str, tuple[Family, ...]]

    def families(self, game: str, split: str | None = None) -> tuple[Family, ...]:
        """Return the families of a game; of one split, if it is given.

        Raises:
            ValueError: There is no such split, or the population has no bidders for the game.
        """
        members = self.members[one_of("game of the population", game, self.members)]
        if split is None:
            return members
        one_of("split", split, SPLITS)
        return tuple(family for family in members if family.split == split)

    def family(self, game: str, name: str) -> Family:
        """Return the family of a game with this name.

        Raises:
            ValueError: There is no such family.
        """
        members = {family.name: family for family in self.families(game)}
        return members[one_of(f"family of {game}", name, members)]


def load_population(path: str | Path | None = None) -> Population:
    """Return the population in a file; without a path, the one that aucenv includes.

    Raises:
        OSError: The file cannot be read.
        ValueError: A value of the file is not allowed; the message names its place.
    """
    return _included() if path is None else _load(Path(path), str(path))


@lru_cache
def _included() -> Population:
    return _load(Path(__file__).with_name("population.json"), "population.json")


def _load(path: Path, where: str) -> Population:
    data = read_object(path, where)
    for name in data:
        one_of(f"{where}: field", name, ("version", "games"))
    version = whole_number(f"{where}: version", data.get("version"), 1)
    games = field(data, "games", dict, where)
    members = {}
    for game, families in games.items():
        one_of(f"{where}: games, game", game, FAMILIES)
        members[game] = _read_game(families, where, game)
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Population(version, hashlib.sha256(text.encode()).hexdigest(), MappingProxyType(members))


def _read_game(families: Any, where: str, game: str) -> tuple[Family, ...]:
    """Return the families of a game, after checks of each of them and of the splits."""
    if not isinstance(families, dict):
        raise FieldError(where, f"expected an object of families, got {excerpt(families)}", ("games", game))
    known = rule_bidders(game)
    members = tuple(_read_family(data, where, game, name, known) for name, data in families.items())
    splits: dict[str, Family] = {}
    for family in members:
        other = splits.setdefault(family.bidder, family)
        if other.split != family.split:
            raise FieldError(
                where,
                f"expected all families of the bidder {family.bidder!r} in one split, because splits differ in "
                f"mechanism, got {other.name!r} in {other.split} and {family.name!r} in {family.split}; give one of "
                "them the split of the other",
                ("games", game, family.name, "split"),
            )
    for split in SPLITS:
        if all(family.split != split for family in members):
            problem = f'expected at least one family of the split {split}, got none; add one with "split": "{split}"'
            raise FieldError(where, problem, ("games", game))
    return members


def _read_family(data: Any, where: str, game: str, name: str, known: JsonMapping) -> Family:
    place: Place = ("games", game, name)

    def check(key: str, read: Callable[[str, Any], Any]) -> Any:
        return _at(where, (*place, key), read, data[key])

    if not isinstance(data, dict):
        raise FieldError(where, f"expected an object, got {excerpt(data)}", place)
    if not re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise FieldError(where, "expected names of families of a-z, 0-9 and -, at most 40", place)
    for key in data:
        _at(where, (*place, key), lambda at, value: one_of(at, value, FIELDS), key)
    for key in FIELDS[:-1]:
        field(data, key, dict if key == "parameters" else object, _label(where, place))
    split = check("split", lambda at, value: one_of(at, value, SPLITS))
    kind = check("bidder", lambda at, value: one_of(at, value, known))
    about = check("about", nonempty_text)
    bidder: RuleBidder = known[kind]
    if bidder.cheats:
        raise FieldError(where, f"expected a bidder that does not cheat, got {kind!r}", (*place, "bidder"))
    by_name = {parameter.name: parameter for parameter in bidder.parameters}
    drawn = {}
    for key, ranges in data["parameters"].items():
        at = (*place, "parameters", key)
        _at(where, at, lambda label, value: one_of(label, value, by_name), key)
        drawn[key] = _read_ranges(ranges, by_name[key], where, at)
    fixed = field(data, "fixed", dict, _label(where, place)) if "fixed" in data else {}
    for key, value in fixed.items():
        at = (*place, "fixed", key)
        _at(where, at, lambda label, value: one_of(label, value, by_name), key)
        if key in drawn:
            raise FieldError(where, f"expected {key!r} under either parameters or fixed, got both", at)
        _check_number(value, by_name[key], where, at)
    return Family(game, name, split, kind, about, MappingProxyType(drawn), MappingProxyType(fixed))


def _read_ranges(data: Any, parameter: Parameter, where: str, place: Place) -> Mapping[str, Range]:
    """Return the ranges of a drawn parameter."""
    if not isinstance(data, dict) or set(data) != set(RANGES):
        raise FieldError(where, f"expected the ranges train and held-out, got {excerpt(data)}", place)
    ranges = {}
    for name in RANGES:
        ends = data[name]
        if not isinstance(ends, list) or len(ends) != 2:
            raise FieldError(where, f"expected [least, highest], got {excerpt(ends)}", (*place, name))
        low, high = (_check_number(end, parameter, where, (*place, name)) for end in ends)
        if low > high:
            raise FieldError(where, f"expected the least value first, got {excerpt(ends)}", (*place, name))
        ranges[name] = low, high
    if min(ranges[TRAIN][1], ranges[HELD_OUT][1]) >= max(ranges[TRAIN][0], ranges[HELD_OUT][0]):
        raise FieldError(where, f"expected ranges that do not overlap, got {excerpt(data)}", place)
    return MappingProxyType(ranges)


def _check_number(value: Any, parameter: Parameter, where: str, place: Place) -> float:
    """Return a value of a parameter if it is in its range, and a multiple of 1 / STEP."""
    checked = _at(where, place, lambda at, given: number(at, given, parameter.least, parameter.most), value)
    if round(checked * STEP) != round(checked * STEP, 6):
        raise FieldError(where, f"expected at most 3 decimals, got {excerpt(value)}", place)
    return checked


def _at(where: str, place: Place, read: Callable[[str, Any], Any], value: Any) -> Any:
    """Return `read(label, value)`; an error names the place of the value."""
    try:
        return read("", value)
    except FieldError as error:
        raise FieldError(where, error.problem, place) from None


def _label(where: str, place: Place) -> str:
    return f"{where}: {'.'.join(map(str, place))}"
