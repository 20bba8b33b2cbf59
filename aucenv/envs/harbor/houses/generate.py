"""Generate new houses, so that bidders cannot memorize them; each house suits one persona clearly best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from aucenv.core.checks import nonempty_text, one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.envs.harbor.houses.describe import describe
from aucenv.envs.harbor.houses.house import PRICES, VALUE_RATIOS, House, Listing, fixed_houses, likings
from aucenv.envs.harbor.houses.personas import PERSONAS, SPLITS

MARGIN = 0.08
"""The least difference between a house's liking by its persona and by any other persona."""

DEFAULT_RANGES: JsonObject = {
    "kind": ("townhouse", "detached house", "duplex", "bungalow"),
    "place": ("inner suburb", "outer suburb", "small town"),
    "size": (1300, 2300),
    "bedrooms": (2, 3),
    "bathrooms": (1, 2),
    "year": (1955, 2008),
    "lot": (0.1, 0.6),
    "schools": (3, 7),
    "walkability": (20, 60),
    "transit": (10, 50),
    "energy": (35, 65),
    "commute": (25, 60),
    "rent": (1200, 1900),
    "suite": (False,),
    "step_free": (False,),
    "price": PRICES,
}
PERSONA_RANGES: dict[str, JsonObject] = {
    "first_time": {"kind": ("apartment", "townhouse"), "size": (560, 900), "bedrooms": (1, 2), "bathrooms": (1, 1),
                   "transit": (55, 85), "price": (150_000, 170_000), "lot": (0, 0), "rent": (950, 1300)},
    "larger_home": {"kind": ("detached house",), "place": ("outer suburb",), "size": (3000, 4300), "bedrooms": (5, 6),
                    "bathrooms": (3, 4), "schools": (8, 10), "lot": (0.4, 1.2)},
    "downsizing": {"kind": ("bungalow", "apartment"), "size": (650, 1050), "bedrooms": (1, 2), "bathrooms": (1, 1),
                   "lot": (0, 0), "step_free": (True,), "walkability": (40, 70), "schools": (2, 5),
                   "price": (185_000, 240_000)},
    "investment": {"kind": ("duplex", "apartment", "townhouse"), "rent": (3200, 4300), "transit": (30, 65)},
    "relocation": {"kind": ("townhouse", "apartment"), "place": ("inner suburb",), "year": (2014, 2025),
                   "commute": (4, 12), "walkability": (15, 45)},
    "vacation": {"kind": ("cottage", "bungalow"), "place": ("lakeside", "mountains"), "commute": (60, 110),
                 "transit": (0, 15), "lot": (0.3, 2), "walkability": (5, 30)},
    "eco": {"kind": ("townhouse", "detached house", "cottage"), "energy": (92, 100), "year": (2000, 2025),
            "walkability": (35, 65), "size": (1000, 1700)},
    "urban": {"kind": ("loft", "apartment"), "place": ("city centre",), "walkability": (88, 100),
              "transit": (75, 100), "lot": (0, 0), "energy": (30, 50), "commute": (15, 30)},
    "rural": {"kind": ("farmhouse", "cottage"), "place": ("countryside",), "lot": (6, 30), "walkability": (0, 12),
              "transit": (0, 8), "commute": (45, 100)},
    "multigenerational": {"kind": ("detached house", "duplex"), "suite": (True,), "bedrooms": (4, 6),
                          "bathrooms": (3, 4), "size": (2000, 2800)},
}  # fmt: skip
"""The features in which a house for a persona differs from DEFAULT_RANGES."""

NAMES = (
    *("Acorn", "Alder", "Amber", "Anchor", "Apple", "Ash", "Aspen", "Aster", "Badger", "Barley", "Beacon", "Beech"),
    *("Birch", "Bluebell", "Bramble", "Briar", "Brook", "Bunting", "Cedar", "Cherry", "Chestnut", "Clover", "Copper"),
    *("Coral", "Cricket", "Crocus", "Cypress", "Dahlia", "Daisy", "Dove", "Elder", "Elm", "Falcon", "Fern", "Finch"),
    *("Foxglove", "Garnet", "Gorse", "Hawthorn", "Hazel", "Heather", "Heron", "Holly", "Iris", "Ivory", "Jasmine"),
    *("Juniper", "Kestrel", "Lantern", "Larch", "Laurel", "Lavender", "Lilac", "Linden", "Magpie", "Mallow", "Maple"),
    *("Marigold", "Meadow", "Mulberry", "Myrtle", "Nettle", "Oak", "Olive", "Opal", "Orchard", "Otter", "Pebble"),
    *("Pine", "Plover", "Poplar", "Poppy", "Primrose", "Quail", "Quince", "Raven", "Robin", "Rowan", "Saffron"),
    *("Sage", "Sorrel", "Sparrow", "Spruce", "Swallow", "Sycamore", "Tansy", "Teal", "Thistle", "Thyme", "Tulip"),
    *("Violet", "Walnut", "Willow", "Wren", "Yarrow", "Yew"),
)
"""Names of houses, none of which is the name of a place or person."""


def generate(kinds: Sequence[str], seed: int | Sequence[int]) -> tuple[Listing, ...]:
    """Generate a house for each of these personas; no two houses share a name or a sentence of their descriptions.

    Args:
        kinds: one of PERSONAS for each house, in order; at most as many as there are NAMES.
        seed: seed of the random numbers; the same seed generates the same houses.

    Raises:
        ValueError: a persona is unknown, or there are too many houses.
    """
    whole_number("number of houses", len(kinds), 1, len(NAMES))
    rng = np.random.default_rng(seed)
    names = rng.permutation(len(NAMES))
    used_sentences: set[str] = set()
    listings = []
    for number, kind in enumerate(kinds):
        one_of("persona", kind, PERSONAS)
        listings.append(_draw_listing(kind, f"{NAMES[names[number]]} House", rng, used_sentences))
    return tuple(listings)


def _draw_listing(kind: str, name: str, rng: np.random.Generator, used_sentences: set[str]) -> Listing:
    ranges = {**DEFAULT_RANGES, **PERSONA_RANGES[kind]}
    while True:
        features = {feature: _draw_feature(feature, options, rng) for feature, options in ranges.items()}
        price = round(features.pop("price") / 1000) * 1000
        house = House(**features)
        others = likings(house, price)
        liking = others.pop(kind)
        if liking < max(others.values()) + MARGIN:
            continue
        description = describe(house, rng)
        sentences = {sentence.rstrip(".") for sentence in description.split(". ")}
        if sentences & used_sentences:
            continue
        used_sentences |= sentences
        value = round(price * float(rng.uniform(*VALUE_RATIOS)) / 100) * 100
        return Listing(name, kind, house, price, value, description)


def _draw_feature(feature: str, options: Any, rng: np.random.Generator) -> Any:
    if feature in ("kind", "place", "suite", "step_free"):
        return options[int(rng.integers(len(options)))]
    low, high = options
    if feature == "lot":
        return round(float(rng.uniform(low, high)), 1 if high > 3 else 2)
    step = {"size": 10, "rent": 10}.get(feature, 1)
    return int(rng.integers(low // step, high // step + 1)) * step


@lru_cache(maxsize=1024)
def fresh_houses(seed: int) -> tuple[Listing, ...]:
    """Generate forty houses, four for each persona in turn, like `house.fixed_houses`."""
    return generate([kind for kind in PERSONAS for _ in range(4)], seed)


def listings_of(houses: str | tuple[Listing, ...]) -> tuple[Listing, ...]:
    """Return the houses that the `houses` field of a scenario specifies.

    Raises:
        ValueError: the name is unknown.
    """
    if isinstance(houses, tuple):
        return houses
    nonempty_text("houses", houses)
    match = re.fullmatch(r"fresh-(\d{1,18})", houses)
    return fresh_houses(int(match[1])) if match else fixed_houses(one_of("houses", houses, (*SPLITS, "fresh-N")))
