"""Descriptions of houses, about a hundred words from their features alone."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib.resources import files

import numpy as np

from aucenv.core.files import JsonObject
from aucenv.envs.harbor.houses.house import House

PLACE_PHRASES = {
    "city centre": "in the city centre",
    "inner suburb": "in an inner suburb",
    "outer suburb": "in an outer suburb",
    "small town": "in a small town",
    "countryside": "in the countryside",
    "lakeside": "by a lakeside",
    "mountains": "up in the mountains",
}


@lru_cache
def phrases() -> Mapping[str, list[str]]:
    """Return the sentence templates, by topic."""
    return json.loads((files("aucenv.envs.harbor") / "data" / "phrases.json").read_text(encoding="utf-8"))


def describe(house: House, rng: np.random.Generator) -> str:
    """Return a description that states every feature of a house, in sentences drawn by `rng`."""
    access = "suite" if house.suite else "step_free" if house.step_free else "way"
    topics = ["rooms", "ground" if house.lot else "no_ground", "around", access]
    sentences = [_sentence(topics[i], house, rng) for i in rng.permutation(len(topics))]
    return " ".join([_sentence("opening", house, rng), *sentences])


FACTS = {
    "kind": "{a_kind}",
    "place": "{place}",
    "size": "{size} square feet",
    "bedrooms": "{bedrooms}",
    "bathrooms": "{bathrooms}",
    "year": "built in {year}",
    "lot": "{lot} acres of land",
    "schools": "schools rated {schools} of 10",
    "walkability": "walk score {walkability}",
    "transit": "transit score {transit}",
    "energy": "energy rating {energy} of 100",
    "commute": "{commute} minutes to the business district",
    "rent": "a rent of ${rent} a month",
    "suite": "a separate suite",
    "step_free": "all rooms on one level",
}
"""Feature -> what states it in a list of facts."""


def describe_known(house: House, known: Collection[str]) -> str:
    """Return a description that states these features of a house, and nothing about others."""
    facts = [fact for name, fact in FACTS.items() if name in known and getattr(house, name) is not False]
    return f"For sale: {', '.join(facts) or 'a house'}.".format(**_variables(house))


def _sentence(topic: str, house: House, rng: np.random.Generator) -> str:
    options = phrases()[topic]
    return options[int(rng.integers(len(options)))].format(**_variables(house))


def _variables(house: House) -> JsonObject:
    """Return what sentences may state, by the names that they use."""
    kind_with_article = f"{'an' if house.kind[0] in 'aeiou' else 'a'} {house.kind}"
    return {
        **vars(house),
        "a_kind": kind_with_article,
        "A_kind": kind_with_article.capitalize(),
        "place": PLACE_PHRASES[house.place],
        "size": f"{house.size:,}",
        "rent": f"{house.rent:,}",
        "lot": f"{house.lot:g}",
        "bedrooms": _count(house.bedrooms, "bedroom"),
        "bathrooms": _count(house.bathrooms, "bathroom"),
    }


def _count(number: float, noun: str) -> str:
    return f"{number:g} {noun}{'s' * (number != 1)}"
