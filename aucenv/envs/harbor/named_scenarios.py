"""Scenarios by name: three bidders, ten of the houses of a split, personas of each published sort."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import ClassVar

from aucenv.core.checks import one_of
from aucenv.envs.english.scenario import NAMES
from aucenv.envs.harbor.personas import SPLITS
from aucenv.envs.harbor.scenario import Bidder, Scenario

SORTS = {"single": 1, "mixed": 2, "none": 0}
"""How many personas each bidder is drawn."""


class _Named(Mapping[str, Scenario]):
    """The published sorts on both splits, made when they are asked for: importing reads no houses."""

    _names: ClassVar = {f"{split}-{sort}": (split, sort) for split in ("evaluation", "train") for sort in SORTS}

    def __getitem__(self, name: str) -> Scenario:
        split, sort = self._names[name]
        return drawn_scenario(name, split, sort)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


SCENARIOS = _Named()
DEFAULT_SCENARIO = "evaluation-single"


@lru_cache(maxsize=64)
def drawn_scenario(name: str, houses: str, sort: str) -> Scenario:
    """Three bidders whose personas are drawn, and ten of these houses.

    Args:
        houses: "train", "evaluation" or "fresh-N"; fresh ones come with the descriptions of "evaluation".
        sort: "single", "mixed" or "none": how many personas each bidder has.
    """
    personas = ("drawn",) * SORTS[one_of("sort", sort, SORTS)]
    split = houses if houses in SPLITS else "evaluation"
    return Scenario(name, tuple(Bidder(who, personas=personas) for who in NAMES[:3]), houses, split=split)
