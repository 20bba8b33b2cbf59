"""The ten personas: which houses they like, and the descriptions that bidders read.

Source of the ten names: HARBOR, arXiv 2502.12149. Their likes and descriptions are ours.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from aucenv.core.checks import FieldError, excerpt, nonempty_text, number, one_of
from aucenv.core.files import JsonObject
from aucenv.core.names import MAX_NAME, checked_description, checked_name

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
"""The ids of the personas, in the order that all arrays with one number for each persona use."""
TRAITS = (
    *("price", "size", "bedrooms", "bathrooms", "newness", "lot", "schools", "walkability", "transit", "energy"),
    *("commute", "income", "suite", "step_free", "urban", "rural", "leisure"),
)
"""The traits that a persona may like: those of a house that `houses.traits` returns, in the same order."""


@dataclasses.dataclass(frozen=True)
class Persona:
    """A persona.

    Attributes:
        id: letters a-z, digits and _, at most 60.
        name: the displayed name, one line of at most 60 characters.
        likes: weights of the traits that matter to it (`houses.traits`); with a negative weight, less is better.
        descriptions: texts in the second person, for each split, "train" and "evaluation"; 2,000 characters at most.

    Raises:
        ValueError: a field has an invalid value, or a trait is unknown.
    """

    id: str
    name: str
    likes: Mapping[str, float] = dataclasses.field(hash=False)
    descriptions: Mapping[str, tuple[str, ...]] = dataclasses.field(hash=False)

    def __post_init__(self) -> None:
        nonempty_text("id", self.id)
        where = f"persona {excerpt(self.id)}"
        if not re.fullmatch(rf"[a-z0-9_]{{1,{MAX_NAME}}}", self.id) or self.id in ("drawn", "none"):
            raise FieldError(f"{where}, id", "expected a-z, 0-9 and _, and neither 'drawn' nor 'none'")
        checked_name(f"{where}, name", self.name)
        if not isinstance(self.likes, Mapping) or not self.likes:
            raise FieldError(f"{where}, likes", f"expected weights by trait, got {excerpt(self.likes)}")
        for trait, weight in self.likes.items():
            one_of(f"{where}, likes", trait, TRAITS)
            number(f"{where}, likes.{trait}", weight, -10, 10)
        if not any(self.likes.values()):
            raise FieldError(f"{where}, likes", "expected a weight that is not 0")
        for split in SPLITS:
            texts = self.descriptions.get(split) if isinstance(self.descriptions, Mapping) else None
            if not isinstance(texts, (list, tuple)) or not texts:
                problem = f"expected one or more for {split!r}, got {excerpt(texts)}"
                raise FieldError(f"{where}, descriptions", problem)
            for number_, text in enumerate(texts):
                checked_description(f"{where}, descriptions.{split}[{number_}]", text)
        put = object.__setattr__
        put(self, "likes", dict(self.likes))
        put(self, "descriptions", {split: tuple(self.descriptions[split]) for split in SPLITS})

    def to_dict(self) -> JsonObject:
        """Return the fields as plain data, from which the persona can be restored."""
        descriptions = {split: [*texts] for split, texts in self.descriptions.items()}
        return {"id": self.id, "name": self.name, "likes": dict(self.likes), "descriptions": descriptions}


@lru_cache
def personas() -> tuple[Persona, ...]:
    """Return the ten personas of HARBOR, in the order of PERSONAS."""
    data = json.loads((files("aucenv.envs.harbor") / "data" / "personas.json").read_text(encoding="utf-8"))
    return tuple(Persona(id=name, **data[name]) for name in PERSONAS)
