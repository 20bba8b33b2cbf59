"""Named scenarios: three bidders, ten of a split's houses, and no personas, single personas or mixed personas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import ClassVar

from aucenv.core.checks import one_of
from aucenv.envs.english.scenario import NAMES
from aucenv.envs.harbor.personas import SPLITS
from aucenv.envs.harbor.scenario import Bidder, Scenario

PERSONA_COUNTS = {"single": 1, "mixed": 2, "none": 0}
"""The number of personas that the deal draws for each bidder."""


class _NamedScenarios(Mapping[str, Scenario]):
    """The named scenarios of both splits, created on access so that importing this module reads no houses."""

    _names: ClassVar = {
        f"{split}-{kind}": (split, kind) for split in ("evaluation", "train") for kind in PERSONA_COUNTS
    }

    def __getitem__(self, name: str) -> Scenario:
        split, kind = self._names[name]
        return drawn_scenario(name, split, kind)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


SCENARIOS = _NamedScenarios()
DEFAULT_SCENARIO = "evaluation-single"


@lru_cache(maxsize=64)
def drawn_scenario(name: str, houses: str, kind: str) -> Scenario:
    """Return a scenario with three bidders, whose personas are drawn, and ten of these houses.

    Args:
        houses: "train", "evaluation" or "fresh-N"; "fresh-N" uses the descriptions of personas of "evaluation".
        kind: the number of personas of each bidder: "single", "mixed" (two) or "none".
    """
    personas = ("drawn",) * PERSONA_COUNTS[one_of("kind", kind, PERSONA_COUNTS)]
    split = houses if houses in SPLITS else "evaluation"
    return Scenario(name, tuple(Bidder(bidder, personas=personas) for bidder in NAMES[:3]), houses, split=split)
