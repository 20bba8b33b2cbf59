"""Auction environments for reinforcement learning and language models, with the PettingZoo API."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from aucenv.core import hooks
from aucenv.registration import FAMILIES, register_all

__version__ = "1.0.0rc1"

_LAZY = {
    "ClockScenario": "aucenv.envs.clock.game",
    "EbayScenario": "aucenv.envs.ebay.game",
    "EnglishScenario": "aucenv.envs.english.game",
    "GameRecord": "aucenv.core.records.record",
    "HarborScenario": "aucenv.envs.harbor.game",
    "Match": "aucenv.runs.play",
    "Policy": "aucenv.core.policy",
    "Resident": "aucenv.envs.water_allocation.game",
    "SealedBidScenario": "aucenv.envs.sealed_bid.game",
    "Snapshot": "aucenv.core.play.snapshot",
    "WaterScenario": "aucenv.envs.water_allocation.game",
    "continue_from": "aucenv.baselines.scripted.rollout",
    "make_policy": "aucenv.policy.registry",
    "play": "aucenv.runs.play",
    "play_many": "aucenv.runs.executors",
    "read_calls": "aucenv.runs.model_calls.journal",
    "read_records": "aucenv.runs.records",
    "register_game": "aucenv.registration",
    "resample_hidden": "aucenv.core.play.snapshot",
    "rollout": "aucenv.baselines.scripted.rollout",
    "rollout_record": "aucenv.baselines.scripted.rollout",
    "show": "aucenv.benchmarks.report.notebook",
}
"""Public name -> its module, which is imported when the name is first used."""
hooks.ENTRIES.update({
    "show": "aucenv.benchmarks.report.notebook:show",
    "tables_html": "aucenv.benchmarks.report.notebook:tables_html",
})  # fmt: skip
__all__ = sorted([*_LAZY, *(family.label for family in FAMILIES.values())])  # type: ignore[assignment]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    for family in FAMILIES.values():
        if family.label == name:
            return family
    raise AttributeError(f"module 'aucenv' has no attribute {name!r}", name=name, obj=import_module(__name__))


def __dir__() -> list[str]:
    return list(__all__)


class _Package(ModuleType):
    """The package's module class, which keeps `aucenv.play` the function when the module `aucenv.play` is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _LAZY and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple:  # pickled by name, because functions in users' scripts refer to it
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package
register_all()
