"""A house in about a hundred words, from its features alone; and what a description says, read back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import numpy as np

from aucenv.core.files import JsonObject
from aucenv.envs.harbor.houses import KINDS, PLACES, House

PLACED = {
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
    """Sentences to fill in, by what they are about."""
    return json.loads((files("aucenv.envs.harbor") / "data" / "phrases.json").read_text(encoding="utf-8"))


def describe(house: House, rng: np.random.Generator) -> str:
    """The house in words: every feature, in sentences drawn by `rng`."""
    way = "suite" if house.suite else "step_free" if house.step_free else "way"
    aspects = ["rooms", "ground" if house.lot else "no_ground", "around", way]
    told = [_said(aspects[i], house, rng) for i in rng.permutation(len(aspects))]
    return " ".join([_said("opening", house, rng), *told])


def _said(aspect: str, house: House, rng: np.random.Generator) -> str:
    options = phrases()[aspect]
    a_kind = f"{'an' if house.kind[0] in 'aeiou' else 'a'} {house.kind}"
    words = {
        **vars(house),
        "a_kind": a_kind,
        "A_kind": a_kind.capitalize(),
        "place": PLACED[house.place],
        "size": f"{house.size:,}",
        "rent": f"{house.rent:,}",
        "lot": f"{house.lot:g}",
        "bedrooms": _count(house.bedrooms, "bedroom"),
        "bathrooms": _count(house.bathrooms, "bathroom"),
    }
    return options[int(rng.integers(len(options)))].format(**words)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number > 1)}"


_NUMBERS = {
    "size": r"([\d,]+) square feet",
    "bedrooms": r"(\d+) bedrooms?",
    "bathrooms": r"(\d+) bathrooms?",
    "year": r"\b(1[89]\d\d|20\d\d)\b",
    "lot": r"([\d.]+) acres",
    "schools": r"(\d+) of 10\b(?!0)",
    "walkability": r"walk score (?:of |at |is )?(\d+)",
    "transit": r"transit score (?:of |stands at )?(\d+)",
    "energy": r"(\d+) of 100\b",
    "commute": r"(\d+) minutes",
    "rent": r"\$([\d,]+) a month",
}


def read_back(description: str) -> JsonObject:
    """The features that a description tells, by name; those it does not tell are absent."""
    found: JsonObject = {}
    for name, pattern in _NUMBERS.items():
        match = re.search(pattern, description)
        if match:
            text = match[1].replace(",", "").rstrip(".")
            found[name] = float(text) if name == "lot" else int(text)
    found.setdefault("lot", 0)
    kinds = [kind for kind in KINDS if kind in description]
    places = [place for place in PLACES if PLACED[place] in description]
    found["kind"], found["place"] = kinds[0] if len(kinds) == 1 else None, places[0] if len(places) == 1 else None
    found["suite"] = "separate suite" in description
    found["step_free"] = "one level" in description.lower()
    return found
