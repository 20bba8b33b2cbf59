"""The ten personas: what draws each to a house, and how it is told who it is.

Source: HARBOR, arXiv 2502.12149, names the ten; likings and descriptions are ours.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

SPLITS = ("train", "evaluation")
PERSONAS = (
    "first_time",
    "larger_home",
    "downsizing",
    "investment",
    "relocation",
    "vacation",
    "eco",
    "urban",
    "rural",
    "multigenerational",
)
"""In the order of every vector over personas."""


@dataclasses.dataclass(frozen=True)
class Persona:
    """One of the ten.

    Attributes:
        name: as people read it.
        likes: the weight of each trait that counts (`houses.traits`); below 0: the less the better.
        descriptions: in the second person, by split: "train" or "evaluation".
    """

    id: str
    name: str
    likes: Mapping[str, float]
    descriptions: Mapping[str, tuple[str, ...]]


@lru_cache
def personas() -> tuple[Persona, ...]:
    """All ten, in the order of PERSONAS."""
    data = json.loads((files("aucenv.envs.harbor") / "data" / "personas.json").read_text(encoding="utf-8"))
    return tuple(
        Persona(
            id=name,
            name=data[name]["name"],
            likes=data[name]["likes"],
            descriptions={split: tuple(data[name]["descriptions"][split]) for split in SPLITS},
        )
        for name in PERSONAS
    )
