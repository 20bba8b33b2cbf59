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
from typing import Annotated, Any, ClassVar

from aucenv.core.checks import FieldError, excerpt, nonempty_text, number, one_of
from aucenv.core.declared import Accepts, Declared, Name
from aucenv.core.words.names import MAX_NAME, checked_description

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
"""The traits that a persona may like: those of a house that `house.traits` returns, in the same order."""


class PersonaId(Accepts):
    """The id of a persona."""

    words = f"letters a-z, digits and _, at most {MAX_NAME}"

    def check(self, place: str, value: Any) -> str:
        nonempty_text(place, value)
        if not re.fullmatch(rf"[a-z0-9_]{{1,{MAX_NAME}}}", value) or value in ("drawn", "none"):
            raise FieldError(place, "expected a-z, 0-9 and _, and neither 'drawn' nor 'none'")
        return value


class Likes(Accepts):
    """Weights of traits."""

    words = f"weights from -10 to 10 by trait: {', '.join(TRAITS)}"

    def check(self, place: str, value: Any) -> dict[str, float]:
        if not isinstance(value, Mapping) or not value:
            raise FieldError(place, f"expected weights by trait, got {excerpt(value)}")
        for trait, weight in value.items():
            one_of(place, trait, TRAITS)
            number(f"{place}.{trait}", weight, -10, 10)
        if not any(value.values()):
            raise FieldError(place, "expected a weight that is not 0")
        return dict(value)


class Descriptions(Accepts):
    """Texts for each split."""

    words = f"a list of texts for each of {' and '.join(SPLITS)}"

    def check(self, place: str, value: Any) -> dict[str, tuple[str, ...]]:
        for split in SPLITS:
            texts = value.get(split) if isinstance(value, Mapping) else None
            if not isinstance(texts, (list, tuple)) or not texts:
                raise FieldError(place, f"expected one or more for {split!r}, got {excerpt(texts)}")
            for number_, text in enumerate(texts):
                checked_description(f"{place}.{split}[{number_}]", text)
        return {split: tuple(value[split]) for split in SPLITS}

    def to_json(self, value: Any) -> Any:
        return {split: [*texts] for split, texts in value.items()}


@dataclasses.dataclass(frozen=True)
class Persona(Declared):
    """A persona."""

    KIND: ClassVar[str] = "persona"
    KEY: ClassVar[str] = "id"

    id: Annotated[str, PersonaId(), "What identifies it."]
    name: Annotated[str, Name(), "The displayed name."]
    likes: Annotated[
        Mapping[str, float], Likes(), "What matters to it in a house; with a negative weight, less is better."
    ] = dataclasses.field(hash=False)
    descriptions: Annotated[
        Mapping[str, tuple[str, ...]], Descriptions(), "Texts in the second person, one of which the bidder reads."
    ] = dataclasses.field(hash=False)


@lru_cache
def personas() -> tuple[Persona, ...]:
    """Return the ten personas of HARBOR, in the order of PERSONAS."""
    data = json.loads((files("aucenv.envs.harbor") / "data" / "personas.json").read_text(encoding="utf-8"))
    return tuple(Persona(id=name, **data[name]) for name in PERSONAS)
