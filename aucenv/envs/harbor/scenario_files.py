"""Load scenarios of housing auctions by name or from files, including user-defined houses and personas."""

from __future__ import annotations

import dataclasses
import os
import re

import numpy as np

from aucenv.core.checks import build, one_of
from aucenv.core.files import JsonMapping, JsonObject, parse_object, read_lines
from aucenv.core.names import DistinctNames, checked_description, scenario_name
from aucenv.core.scenarios import find_scenario
from aucenv.envs.english.scenario import NAMES
from aucenv.envs.harbor.describe import describe
from aucenv.envs.harbor.houses import House, Listing, best_persona
from aucenv.envs.harbor.named_scenarios import DEFAULT_SCENARIO, PERSONA_COUNTS, SCENARIOS, drawn_scenario
from aucenv.envs.harbor.personas import SPLITS, Persona, personas
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.envs.harbor.scenario import Bidder, Scenario

__all__ = [
    "DEFAULT_SCENARIO",
    "SCENARIOS",
    "house_fields",
    "load_scenario",
    "read_house",
    "read_houses",
    "read_personas",
]

FEATURES = tuple(part.name for part in dataclasses.fields(House))
SALE_FIELDS = ("name", "starting_price", "true_value")


def load_scenario(scenario: str | os.PathLike[str] | JsonMapping | Scenario) -> Scenario:
    """Return a scenario by name, from files, or from a dict; a `Scenario` is returned unchanged.

    Args:
        scenario: a name; "fresh-N", "fresh-N-mixed" or "fresh-N-none" for houses generated from seed N; the path of a
            JSON file with the output of `Scenario.to_dict`; one path `houses.jsonl` or two paths
            `houses.jsonl,personas.jsonl`, see `read_houses` and `read_personas`; a dict as `Scenario.to_dict` returns
            it; or a `Scenario`. All houses of a `.jsonl` file are sold, in random order.

    Raises:
        ValueError: the name is unknown, or a file does not describe a scenario; the message names file, line and field.
        OSError: a file cannot be read.
    """
    if isinstance(scenario, os.PathLike):
        scenario = os.fspath(scenario)
    if isinstance(scenario, str) and scenario.endswith(".jsonl"):
        two_paths = re.fullmatch(r"(.*\.jsonl),(.*)", scenario)
        houses, personas_path = two_paths.groups() if two_paths else (scenario, "")
        kinds = read_personas(personas_path) if personas_path else ()
        listings = read_houses(houses, kinds or personas())
        bidders = tuple(Bidder(name) for name in NAMES[:3])
        name = scenario_name(houses, *([personas_path] if personas_path else []))
        return Scenario(name, bidders, listings, len(listings), None, kinds=kinds)
    fresh = (
        re.fullmatch(rf"(fresh-\d{{1,18}})(?:-({'|'.join(PERSONA_COUNTS)}))?", scenario)
        if isinstance(scenario, str)
        else None
    )
    if fresh:
        return drawn_scenario(fresh[0], fresh[1], fresh[2] or "single")
    if isinstance(scenario, str) and not scenario.endswith(".json"):
        one_of("scenario", scenario.partition(",")[0], (*SCENARIOS, "fresh-N", "x.json", "houses.jsonl"))
    return find_scenario(scenario, Scenario, SCENARIOS)


def read_houses(path: str, kinds: tuple[Persona, ...]) -> tuple[Listing, ...]:
    """Return the houses in a file, one JSON object per line.

    The fields are those of `read_house`.

    Raises:
        ValueError: a line does not describe a house, or the file is empty; the message names file, line and field.
        OSError: the file cannot be read.
    """
    listings: list[Listing] = []
    names = DistinctNames()
    for where, line in read_lines(path):
        listing = read_house(parse_object(line, where), where, kinds, len(listings))
        names.add(f"{where}: name", listing.name)
        listings.append(listing)
    if not listings:
        raise ValueError(f"{path}: expected a JSON object on each line, got an empty file")
    return tuple(listings)


def read_house(data: JsonMapping, where: str, kinds: tuple[Persona, ...], seed: int = 0) -> Listing:
    """Return the house that a JSON object describes.

    The fields are name, starting_price, true_value, the features of a House, and optionally description; by default,
    the description is generated from the features. A field persona is ignored, because it follows from the features.

    Args:
        data: the JSON object.
        where: its place, for errors.
        kinds: the personas, of which the house suits one best.
        seed: seed of a generated description.

    Raises:
        ValueError: a field is missing, unknown or invalid; the message names `where` and the field.
    """
    for name in (*SALE_FIELDS, *FEATURES):
        if name not in data:
            raise ValueError(f"{where}: expected the field {name!r}")
    house = build(House, {name: data[name] for name in FEATURES}, where)
    sale = {name: value for name, value in data.items() if name not in FEATURES}
    sale.setdefault("description", describe(house, np.random.default_rng(seed)))
    listing = build(Listing, {**sale, "persona": "", "house": house}, where)
    return dataclasses.replace(listing, persona=best_persona(listing, kinds))


def house_fields(listing: Listing) -> JsonObject:
    """Return the JSON object from which `read_house` restores a house, with its persona for people who read it."""
    fields = {**vars(listing)}
    description, house = fields.pop("description"), fields.pop("house")
    return {**fields, **vars(house), "description": description}


def read_personas(path: str) -> tuple[Persona, ...]:
    """Return the ten personas in a file, one JSON object per line.

    The fields are id, name, likes (a weight for each trait) and descriptions (a list).

    Raises:
        ValueError: a line does not describe a persona, or there are not ten; the message names file, line and field.
        OSError: the file cannot be read.
    """
    result: list[Persona] = []
    names = DistinctNames()
    for where, line in read_lines(path):
        data = parse_object(line, where)
        descriptions = data.get("descriptions")
        if isinstance(descriptions, list):
            for number, text in enumerate(descriptions):
                checked_description(f"{where}: descriptions[{number}]", text)
            data["descriptions"] = dict.fromkeys(SPLITS, descriptions)
        persona = build(Persona, data, where)
        if persona.id in [other.id for other in result]:
            raise ValueError(f"{where}: id: expected a unique id, got {persona.id!r} again")
        names.add(f"{where}: name", persona.name)
        result.append(persona)
    if len(result) != NUM_PERSONAS:
        raise ValueError(f"{path}: expected {NUM_PERSONAS} personas, one on each line, got {len(result)}")
    return tuple(result)
