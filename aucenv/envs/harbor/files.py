"""Lists of houses and personas; recorded games have the format of English auctions."""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.checks import FieldError, build
from aucenv.core.declared import declarations
from aucenv.core.files import JsonMapping, JsonObject, parse_object, read_lines
from aucenv.core.formats.list_fields import ListField, ListForm
from aucenv.core.formats.scenario_forms import ScenarioLists
from aucenv.core.words.names import DistinctNames, checked_description, scenario_name
from aucenv.envs.english.files import replay_game as replay_game
from aucenv.envs.english.files import warn_about_budget, warn_about_ignored
from aucenv.envs.english.game import NAMES, longest_budget
from aucenv.envs.harbor.game import BUDGET, HarborBidder, HarborScenario
from aucenv.envs.harbor.houses.describe import describe, describe_known
from aucenv.envs.harbor.houses.house import NEUTRAL, House, Listing, best_persona
from aucenv.envs.harbor.houses.personas import SPLITS, Persona, personas
from aucenv.envs.harbor.rules import NUM_PERSONAS

FEATURES = tuple(part.name for part in dataclasses.fields(House))
SALE_FIELDS = ("name", "starting_price", "true_value")


ALSO = {
    "size": ("sqft", "square_feet", "sqft_living", "living_area"),
    "bedrooms": ("beds",),
    "bathrooms": ("baths",),
    "year": ("year_built", "yr_built"),
    "lot": ("acres",),
}
"""Names that other programs give features."""
READS = {str: "text", bool: "true or false"}
"""Types of features -> how texts become their values; others are numbers."""
HOUSES = ListForm(
    "house",
    (
        ListField("name", "what bidders read, one line of at most 60 characters", also=("title", "address")),
        ListField("starting_price", "the least first bid, in dollars", "number", ("list_price", "price")),
        ListField("true_value", "its value to all bidders, who do not know it, in dollars", "number", ("value",)),
        *(
            ListField(name, feature.help, READS.get(feature.type, "number"), ALSO.get(name, ()), default)
            for name, feature in declarations(House).items()
            for default in [str(getattr(NEUTRAL, name)).lower()]
        ),
        ListField("description", "text that bidders read", default="written from the features"),
        ListField("persona", "ignored, because it follows from the features", default="that which suits best"),
    ),
    (
        "name,price,true_value,sqft,bedrooms,bathrooms",
        'Mill House,"$180,000","$420,000","1,180",3,2.5',
        'Pond House,"$210,000","$500,000","2,570",4,3',
    ),
)
"""A list of houses. If no house has a feature, all have the same one, which stands in the middle of its range."""


def _of_houses(path: str, personas_path: str | None) -> HarborScenario:
    """Return the scenario of a list of houses, and of a file of personas if there is one."""
    kinds = read_personas(personas_path) if personas_path else ()
    listings = read_houses(path, kinds or personas())
    prices = [listing.starting_price for listing in listings]
    budget = min(BUDGET, longest_budget(prices))
    bidders = tuple(HarborBidder(name, budget) for name in NAMES[:3])
    name = scenario_name(path, *([personas_path] if personas_path else []))
    scenario = HarborScenario(name, bidders, listings, len(listings), None, kinds=kinds)
    warn_about_budget(path, "houses", prices, budget)
    return scenario


LISTS = ScenarioLists(HOUSES, _of_houses, "personas.jsonl")


def read_houses(path: str, kinds: tuple[Persona, ...]) -> tuple[Listing, ...]:
    """Return the houses in a list: CSV, a JSON list, or JSON lines, with the fields of HOUSES.

    Raises:
        ValueError: rows do not describe a house; the message names file, lines and fields.
        OSError: the file cannot be read.
    """
    rows = HOUSES.open(path)
    known = [name for name in FEATURES if name in rows.names]
    shared = {name: getattr(NEUTRAL, name) for name in FEATURES if name not in known}

    def house(data: JsonObject, number: int) -> Listing:
        if shared and "description" not in data:
            features = {name: data[name] for name in known if name in data}
            data = {**data, "description": describe_known(dataclasses.replace(NEUTRAL, **features), known)}
        return read_house({**shared, **data}, "", kinds, number)

    listings = rows.build(house)
    alike = f"all houses are alike in {', '.join(shared)}" if shared else ""
    warn_about_ignored(path, rows.ignored, alike)
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
            raise FieldError(where, f"expected the field {name!r}")
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
