"""Houses: structured features, how well they suit each persona, and the fixed houses of the splits.

Source: HARBOR, arXiv 2502.12149: forty houses, four for each of ten personas, with features of these kinds, starting
prices of $150,000 to $240,000 and true values 2.22 to 2.75 times as high. The paper's texts and numbers are not used:
houses, ranges and likings are ours.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Annotated

from aucenv.core.checks import one_of
from aucenv.core.declared import Declared, Description, Flag, Money, Name, OneOf, Part, Real, Text, Whole
from aucenv.envs.harbor.houses.personas import SPLITS, Persona, personas

KINDS = ("apartment", "loft", "townhouse", "bungalow", "cottage", "detached house", "duplex", "farmhouse")
PLACES = {
    "city centre": (1.0, 0.0, 0.0),
    "inner suburb": (0.5, 0.0, 0.0),
    "outer suburb": (0.1, 0.1, 0.0),
    "small town": (0.2, 0.3, 0.0),
    "countryside": (0.0, 1.0, 0.0),
    "lakeside": (0.0, 0.3, 1.0),
    "mountains": (0.0, 0.3, 1.0),
}
"""Locations: how urban, how rural and how good for leisure they are, from 0 to 1."""


@dataclasses.dataclass(frozen=True)
class House(Declared):
    """The features of a house."""

    kind: Annotated[str, OneOf(KINDS), "The kind of building."]
    place: Annotated[str, OneOf(PLACES), "The location."]
    size: Annotated[int, Whole(300, 6000), "Living area in square feet."]
    bedrooms: Annotated[int, Whole(1, 8), "Number of bedrooms."]
    bathrooms: Annotated[float, Real(1, 6), "Number of bathrooms; half ones count."]
    year: Annotated[int, Whole(1850, 2026), "When it was built."]
    lot: Annotated[float, Real(0, 40), "Land in acres; 0 = none."]
    schools: Annotated[int, Whole(1, 10), "Rating of the nearby schools."]
    walkability: Annotated[int, Whole(0, 100), "Score; higher is better."]
    transit: Annotated[int, Whole(0, 100), "Score; higher is better."]
    energy: Annotated[int, Whole(0, 100), "Score; higher is better."]
    commute: Annotated[int, Whole(3, 120), "Minutes of travel to the business district."]
    rent: Annotated[int, Whole(300, 8000), "Monthly rent that tenants would pay, in dollars."]
    suite: Annotated[bool, Flag(), "Whether there is a separate suite with its own bath and kitchen."]
    step_free: Annotated[bool, Flag(), "Whether all rooms are on one level."]


NEUTRAL = House(
    kind="detached house",
    place="outer suburb",
    size=2100,
    bedrooms=3,
    bathrooms=2.5,
    year=1977,
    lot=3,
    schools=5,
    walkability=50,
    transit=50,
    energy=59,
    commute=40,
    rent=2250,
    suite=False,
    step_free=False,
)
"""A house in the middle of each trait: its features stand for those that a list of houses lacks."""

PRICES = (150_000, 240_000)
VALUE_RATIOS = (2.22, 2.75)


def traits(house: House, starting_price: float) -> dict[str, float]:
    """Return the traits of a house, numbers from 0 to 1, by the names that personas' `likes` use."""
    urban, rural, leisure = PLACES[house.place]

    def share(value: float, low: float, high: float) -> float:
        return min(1.0, max(0.0, (value - low) / (high - low)))

    return {
        "price": share(starting_price, *PRICES),
        "size": share(house.size, 600, 3600),
        "bedrooms": share(house.bedrooms, 1, 6),
        "bathrooms": share(house.bathrooms, 1, 4),
        "newness": share(house.year, 1930, 2024),
        "lot": share(math.log1p(house.lot), 0, math.log1p(15)),
        "schools": share(house.schools, 1, 10),
        "walkability": house.walkability / 100,
        "transit": house.transit / 100,
        "energy": share(house.energy, 20, 98),
        "commute": share(house.commute, 75, 5),  # 1 = next to the office
        "income": share(house.rent, 900, 3600),
        "suite": float(house.suite),
        "step_free": float(house.step_free),
        "urban": urban,
        "rural": rural,
        "leisure": leisure,
    }


def liking(likes: Mapping[str, float], house: Mapping[str, float]) -> float:
    """Return how well a house suits a persona, from 0 to 1.

    It is the weighted mean of the house's traits, where a trait with negative weight counts as 1 minus its value.

    Args:
        likes: weights of traits.
        house: the traits of the house.
    """
    weighted = total = 0.0
    for name, weight in likes.items():  # `sum` rounds in another way since Python 3.12, which changes games
        weighted += abs(weight) * (house[name] if weight > 0 else 1 - house[name])
        total += abs(weight)
    return weighted / total


def likings(house: House, starting_price: float, kinds: tuple[Persona, ...] | None = None) -> dict[str, float]:
    """Return how well a house suits each persona, by id; by default for the ten personas of HARBOR."""
    house_traits = traits(house, starting_price)
    return {persona.id: liking(persona.likes, house_traits) for persona in kinds or personas()}


@dataclasses.dataclass(frozen=True)
class Listing(Declared):
    """A house for sale."""

    name: Annotated[str, Name(), "The house's name, unlike those of the scenario's other houses."]
    persona: Annotated[str, Description(), "The id of the persona that the house suits best."]
    house: Annotated[House, Part(House), "Its features."]
    starting_price: Annotated[float, Money(), "The least legal first bid."]
    true_value: Annotated[float, Money(0), "The resale value, the same for all bidders and unknown to them."]
    description: Annotated[str, Text(), "The text that bidders read."]

    @property
    def id(self) -> str:
        """The name, which identifies the house."""
        return self.name


def best_persona(listing: Listing, kinds: tuple[Persona, ...]) -> str:
    """Return the id of the persona that a house suits best; of several, the first."""
    by_persona = likings(listing.house, listing.starting_price, kinds)
    return max(by_persona, key=lambda name: by_persona[name])


@lru_cache
def fixed_houses(split: str) -> tuple[Listing, ...]:
    """Return the forty houses of a split, "train" or "evaluation", four for each persona in turn.

    `generate` created them once; they are stored in `data/houses.json`.

    Raises:
        ValueError: the split is unknown.
    """
    data = json.loads((files("aucenv.envs.harbor") / "data" / "houses.json").read_text(encoding="utf-8"))
    listings = data[one_of("split", split, SPLITS)]
    return tuple(Listing(**{**listing, "house": House(**listing["house"])}) for listing in listings)
