"""Read the features of a house from its description."""

from __future__ import annotations

import re

from aucenv.core.files import JsonObject
from aucenv.envs.harbor.houses.describe import PLACE_PHRASES
from aucenv.envs.harbor.houses.house import KINDS, PLACES

_NUMBERS = {
    "size": r"([\d,]+) square feet",
    "bedrooms": r"(\d+) bedrooms?",
    "bathrooms": r"([\d.]+) bathrooms?",
    "year": r"\b(1[89]\d\d|20\d\d)\b",
    "lot": r"([\d.]+) acres",
    "schools": r"(\d+) of 10\b(?!0)",
    "walkability": r"walk score (?:of |at |is )?(\d+)",
    "transit": r"transit score (?:of |stands at )?(\d+)",
    "energy": r"(\d+) of 100\b",
    "commute": r"(\d+) minutes",
    "rent": r"\$([\d,]+) a month",
}


def parse_description(description: str) -> JsonObject:
    """Return the features that a description states, by name; other features are missing or None."""
    features: JsonObject = {}
    for name, pattern in _NUMBERS.items():
        match = re.search(pattern, description)
        if match:
            text = match[1].replace(",", "").rstrip(".")
            features[name] = float(text) if name == "lot" or "." in text else int(text)
    features.setdefault("lot", 0)
    kinds = [kind for kind in KINDS if kind in description]
    places = [place for place in PLACES if PLACE_PHRASES[place] in description]
    features["kind"], features["place"] = kinds[0] if len(kinds) == 1 else None, places[0] if len(places) == 1 else None
    features["suite"] = "separate suite" in description
    features["step_free"] = "one level" in description.lower()
    return features
