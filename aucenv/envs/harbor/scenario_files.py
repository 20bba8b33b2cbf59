"""Scenarios by name and from files, with houses and personas of the user's own among them."""

from __future__ import annotations

import dataclasses
import os
import re

import numpy as np

from aucenv.core.checks import build, one_of
from aucenv.core.files import JsonMapping, parse_object, read_lines
from aucenv.core.scenarios import find_scenario
from aucenv.envs.english.scenario import NAMES
from aucenv.envs.harbor.describe import describe
from aucenv.envs.harbor.houses import House, Listing, best_liked
from aucenv.envs.harbor.named_scenarios import DEFAULT_SCENARIO, SCENARIOS, SORTS, drawn_scenario
from aucenv.envs.harbor.personas import SPLITS, Persona, personas
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.envs.harbor.scenario import Bidder, Scenario

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario", "read_houses", "read_personas"]

FEATURES = tuple(part.name for part in dataclasses.fields(House))
TERMS = ("name", "starting_price", "true_value")


def load_scenario(scenario: str | os.PathLike[str] | JsonMapping | Scenario) -> Scenario:
    """A scenario by name, from files, from a dict as `Scenario.to_dict` makes it, or as it is.

    Args:
        scenario: besides the names, "fresh-N", "fresh-N-mixed", "fresh-N-none": houses from the generator with seed N.
            A file is `x.json` with what `Scenario.to_dict` makes; `houses.jsonl`; or `houses.jsonl,personas.jsonl`: see
            `read_houses` and `read_personas`. Of houses from a file all are sold, in a drawn order.

    Raises:
        ValueError: no such name; or a file does not describe one: names file, line and field.
        OSError: a file cannot be read.
    """
    if isinstance(scenario, os.PathLike):
        scenario = os.fspath(scenario)
    if isinstance(scenario, str) and scenario.endswith(".jsonl"):
        both = re.fullmatch(r"(.*\.jsonl),(.*)", scenario)
        houses, kinds = both.groups() if both else (scenario, "")
        own = read_personas(kinds) if kinds else ()
        listings = read_houses(houses, own or personas())
        bidders = tuple(Bidder(name) for name in NAMES[:3])
        return Scenario(scenario, bidders, listings, len(listings), None, kinds=own)
    fresh = (
        re.fullmatch(rf"(fresh-\d{{1,18}})(?:-({'|'.join(SORTS)}))?", scenario) if isinstance(scenario, str) else None
    )
    if fresh:
        return drawn_scenario(fresh[0], fresh[1], fresh[2] or "single")
    if isinstance(scenario, str) and not scenario.endswith(".json"):
        one_of("scenario", scenario, (*SCENARIOS, "fresh-N", "x.json", "houses.jsonl"))
    return find_scenario(scenario, Scenario, SCENARIOS)


def read_houses(path: str, kinds: tuple[Persona, ...]) -> tuple[Listing, ...]:
    """The houses of a file, an object on each line.

    Its fields are name, starting_price, true_value, the features of a House and, if you like, description; else the
    house is described from its features.

    Raises:
        ValueError: a line does not describe one, or there are none: names file, line and field.
        OSError: the file cannot be read.
    """
    listings: dict[str, Listing] = {}
    for where, line in read_lines(path):
        data = parse_object(line, where)
        for name in (*TERMS, *FEATURES):
            if name not in data:
                raise ValueError(f"{where}: expected the field {name!r}")
        features = {name: data.pop(name) for name in FEATURES}
        house = build(House, features, where)
        data.setdefault("description", describe(house, np.random.default_rng(len(listings))))
        listing = build(Listing, {"persona": "", **data, "house": house}, where)
        if listing.name in listings:
            raise ValueError(f"{where}: name: expected one of its own, got {listing.name!r} again")
        listings[listing.name] = dataclasses.replace(listing, persona=best_liked(listing, kinds))
    if not listings:
        raise ValueError(f"{path}: expected a JSON object on each line, got an empty file")
    return tuple(listings.values())


def read_personas(path: str) -> tuple[Persona, ...]:
    """The ten personas of a file, an object on each line: id, name, likes (a weight by trait), descriptions (a list).

    Raises:
        ValueError: a line does not describe one, or there are not ten: names file, line and field.
        OSError: the file cannot be read.
    """
    made: list[Persona] = []
    for where, line in read_lines(path):
        data = parse_object(line, where)
        told = data.get("descriptions")
        if isinstance(told, list):
            data["descriptions"] = dict.fromkeys(SPLITS, told)
        persona = build(Persona, data, where)
        if persona.id in [other.id for other in made]:
            raise ValueError(f"{where}: id: expected one of its own, got {persona.id!r} again")
        made.append(persona)
    if len(made) != NUM_PERSONAS:
        raise ValueError(f"{path}: expected {NUM_PERSONAS} personas, one on each line, got {len(made)}")
    return tuple(made)
