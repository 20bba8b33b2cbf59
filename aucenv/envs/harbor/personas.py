"""The ten personas: what draws each to a house, and how it is told who it is.

Source: HARBOR, arXiv 2502.12149, names the ten; likings and descriptions are ours.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from aucenv.core.checks import number, one_of, some_text
from aucenv.core.files import JsonObject

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
TRAITS = (
    *("price", "size", "bedrooms", "bathrooms", "newness", "lot", "schools", "walkability", "transit", "energy"),
    *("commute", "income", "suite", "step_free", "urban", "rural", "leisure"),
)
"""What a persona may like: the numbers that `houses.traits` makes of a house, in order."""


@dataclasses.dataclass(frozen=True)
class Persona:
    """One of the ten.

    Attributes:
        id: of a-z, 0-9 and _.
        name: as people read it.
        likes: the weight of each trait that counts (`houses.traits`); below 0: the less the better.
        descriptions: in the second person, by split: "train" or "evaluation".

    Raises:
        ValueError: a field is not of its kind, or a trait unknown.
    """

    id: str
    name: str
    likes: Mapping[str, float] = dataclasses.field(hash=False)
    descriptions: Mapping[str, tuple[str, ...]] = dataclasses.field(hash=False)

    def __post_init__(self) -> None:
        some_text("id", self.id)
        where = f"persona {self.id!r}"
        if not re.fullmatch(r"[a-z0-9_]+", self.id) or self.id in ("drawn", "none"):
            raise ValueError(f"{where}, id: expected a-z, 0-9 and _, and neither 'drawn' nor 'none'")
        some_text(f"{where}, name", self.name)
        if not isinstance(self.likes, Mapping) or not self.likes:
            raise ValueError(f"{where}, likes: expected weights by trait, got {self.likes!r:.80}")
        for trait, weight in self.likes.items():
            one_of(f"{where}, likes", trait, TRAITS)
            number(f"{where}, likes, {trait}", weight, -10, 10)
        if not any(self.likes.values()):
            raise ValueError(f"{where}, likes: expected a weight that is not 0")
        for split in SPLITS:
            told = self.descriptions.get(split) if isinstance(self.descriptions, Mapping) else None
            if not isinstance(told, (list, tuple)) or not told:
                raise ValueError(f"{where}, descriptions: expected one or more for {split!r}, got {told!r:.80}")
            for text in told:
                some_text(f"{where}, descriptions, {split}", text)
        put = object.__setattr__
        put(self, "likes", dict(self.likes))
        put(self, "descriptions", {split: tuple(self.descriptions[split]) for split in SPLITS})

    def to_dict(self) -> JsonObject:
        """Plain data, of which its fields can be made again."""
        told = {split: [*texts] for split, texts in self.descriptions.items()}
        return {"id": self.id, "name": self.name, "likes": dict(self.likes), "descriptions": told}


@lru_cache
def personas() -> tuple[Persona, ...]:
    """All ten, in the order of PERSONAS."""
    data = json.loads((files("aucenv.envs.harbor") / "data" / "personas.json").read_text(encoding="utf-8"))
    return tuple(Persona(id=name, **data[name]) for name in PERSONAS)
