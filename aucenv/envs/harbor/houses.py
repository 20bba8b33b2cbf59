"""Houses: structured features, how much each persona likes them, and those that are always for sale.

Source: HARBOR, arXiv 2502.12149: forty houses, four for each of ten personas, with features of these sorts, starting
prices of $150,000 to $240,000 and true values 2.22 to 2.75 times as high. Its texts and numbers are not used: houses,
ranges and likings are ours.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from aucenv.core.checks import number, one_of, some_text, whole_number, yes_or_no
from aucenv.core.money import checked_dollars
from aucenv.envs.harbor.personas import SPLITS, Persona, personas

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
"""Kinds of location: how urban, how rural, how good for leisure, from 0 to 1."""


@dataclasses.dataclass(frozen=True)
class House:
    """The features of a house.

    Attributes:
        size: square feet.
        lot: acres; 0 = none of its own.
        schools: rating of those nearby, 1 to 10.
        walkability, transit, energy: scores from 0 to 100; more is better.
        commute: minutes to the business district.
        rent: what tenants would pay a month, dollars.
        suite: a separate part with bath and kitchen of its own.
        step_free: all on one level.
    """

    kind: str
    place: str
    size: int
    bedrooms: int
    bathrooms: int
    year: int
    lot: float
    schools: int
    walkability: int
    transit: int
    energy: int
    commute: int
    rent: int
    suite: bool
    step_free: bool

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        one_of("place", self.place, PLACES)
        for name, (least, most) in RANGES.items():
            check = number if name == "lot" else whole_number
            check(name, getattr(self, name), least, most)
        yes_or_no("suite", self.suite)
        yes_or_no("step_free", self.step_free)


RANGES = {
    "size": (300, 6000),
    "bedrooms": (1, 8),
    "bathrooms": (1, 6),
    "year": (1850, 2026),
    "lot": (0, 40),
    "schools": (1, 10),
    "walkability": (0, 100),
    "transit": (0, 100),
    "energy": (0, 100),
    "commute": (3, 120),
    "rent": (300, 8000),
}
"""The least and most of each number."""

PRICES = (150_000, 240_000)
VALUE_RATIOS = (2.22, 2.75)


def traits(house: House, starting_price: float) -> dict[str, float]:
    """A house in numbers from 0 to 1, by the names that `likes` weigh."""
    urban, rural, leisure = PLACES[house.place]

    def share(value: float, least: float, most: float) -> float:
        return min(1.0, max(0.0, (value - least) / (most - least)))

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


def liking(likes: Mapping[str, float], has: Mapping[str, float]) -> float:
    """How well a house suits a persona, from 0 to 1: the weighed mean of traits liked, and of the want of others."""
    total = sum(abs(weight) for weight in likes.values())
    return sum(abs(weight) * (has[name] if weight > 0 else 1 - has[name]) for name, weight in likes.items()) / total


def likings(house: House, starting_price: float, kinds: tuple[Persona, ...] | None = None) -> dict[str, float]:
    """How well a house suits each persona, by id; by default each of the ten."""
    has = traits(house, starting_price)
    return {persona.id: liking(persona.likes, has) for persona in kinds or personas()}


@dataclasses.dataclass(frozen=True)
class Listing:
    """A house for sale.

    Attributes:
        name: unique in its scenario.
        persona: the id of the persona that likes it best.
        starting_price, true_value: dollars.
    """

    name: str
    persona: str
    house: House
    starting_price: float
    true_value: float
    description: str

    def __post_init__(self) -> None:
        some_text("name", self.name)
        some_text("description", self.description)
        put = object.__setattr__
        put(self, "starting_price", checked_dollars(self.starting_price, "starting_price"))
        put(self, "true_value", checked_dollars(self.true_value, "true_value", least=0))

    @property
    def id(self) -> str:
        """By its name."""
        return self.name


def best_liked(listing: Listing, kinds: tuple[Persona, ...]) -> str:
    """The id of the persona that likes a house best; the first of those that do."""
    liked = likings(listing.house, listing.starting_price, kinds)
    return max(liked, key=lambda name: liked[name])


@lru_cache
def standing_houses(split: str) -> tuple[Listing, ...]:
    """The forty houses of a split, "train" or "evaluation", four for each persona in turn; made by `generate`, kept.

    Raises:
        ValueError: no such split.
    """
    data = json.loads((files("aucenv.envs.harbor") / "data" / "houses.json").read_text(encoding="utf-8"))
    listings = data[one_of("split", split, SPLITS)]
    return tuple(Listing(**{**listing, "house": House(**listing["house"])}) for listing in listings)
