"""Auctions behind the PettingZoo API."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from aucenv.registration import clock_v0, english_v0, harbor_v0, register_all, sealed_bid_v0, water_allocation_v0

if TYPE_CHECKING:
    from aucenv.baselines.scripted.rollout import continue_from, rollout, rollout_record
    from aucenv.core.record import GameRecord
    from aucenv.core.snapshot import Snapshot, resample_hidden
    from aucenv.envs.clock.scenario import Scenario as ClockScenario
    from aucenv.envs.english.scenario import Scenario as EnglishScenario
    from aucenv.envs.harbor.scenario import Scenario as HarborScenario
    from aucenv.envs.sealed_bid.scenario import Scenario as SealedBidScenario
    from aucenv.envs.water_allocation.scenario import Resident
    from aucenv.envs.water_allocation.scenario import Scenario as WaterScenario
    from aucenv.policy.protocol import Policy
    from aucenv.policy.registry import make_policy
    from aucenv.runs.executors import play_many
    from aucenv.runs.journal import read_calls
    from aucenv.runs.play import Match, play
    from aucenv.runs.records import read_records


__version__ = "0.1.0"

_LAZY = {
    "ClockScenario": "aucenv.envs.clock.scenario:Scenario",
    "EnglishScenario": "aucenv.envs.english.scenario:Scenario",
    "HarborScenario": "aucenv.envs.harbor.scenario:Scenario",
    "Resident": "aucenv.envs.water_allocation.scenario:Resident",
    "SealedBidScenario": "aucenv.envs.sealed_bid.scenario:Scenario",
    "WaterScenario": "aucenv.envs.water_allocation.scenario:Scenario",
    "GameRecord": "aucenv.core.record:GameRecord",
    "Match": "aucenv.runs.play:Match",
    "Policy": "aucenv.policy.protocol:Policy",
    "Snapshot": "aucenv.core.snapshot:Snapshot",
    "continue_from": "aucenv.baselines.scripted.rollout:continue_from",
    "make_policy": "aucenv.policy.registry:make_policy",
    "play": "aucenv.runs.play:play",
    "play_many": "aucenv.runs.executors:play_many",
    "read_calls": "aucenv.runs.journal:read_calls",
    "read_records": "aucenv.runs.records:read_records",
    "resample_hidden": "aucenv.core.snapshot:resample_hidden",
    "rollout": "aucenv.baselines.scripted.rollout:rollout",
    "rollout_record": "aucenv.baselines.scripted.rollout:rollout_record",
}

__all__ = [
    "ClockScenario",
    "EnglishScenario",
    "GameRecord",
    "HarborScenario",
    "Match",
    "Policy",
    "Resident",
    "SealedBidScenario",
    "Snapshot",
    "WaterScenario",
    "clock_v0",
    "continue_from",
    "english_v0",
    "harbor_v0",
    "make_policy",
    "play",
    "play_many",
    "read_calls",
    "read_records",
    "resample_hidden",
    "rollout",
    "rollout_record",
    "sealed_bid_v0",
    "water_allocation_v0",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'aucenv' has no attribute {name!r}")
    module, _, attribute = _LAZY[name].partition(":")
    return getattr(import_module(module), attribute)


class _Package(ModuleType):
    """Keeps `aucenv.play` the function when the module of that name is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _LAZY and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
register_all()
