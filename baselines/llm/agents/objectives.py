"""The option `objective` of agents: profit, items or item:NAME, in the items of a scenario."""

from __future__ import annotations

from aucenv.core.policy import Objective
from aucenv.core.scenarios import Scenario
from aucenv.envs.english.stated_beliefs import normalized_name


def stated_objective(option: str | None, scenario: Scenario) -> Objective | None:
    """Return the objective that the option sets in a scenario that the agent can play; None: the scenario's."""
    if option is None:
        return None
    objective, _, target = option.partition(":")
    return objective, next((name for name in _names(scenario) if target and _same(name, target)), None)


def why_no_target(option: str | None, scenario: Scenario) -> str | None:
    """Return why the agent cannot play a scenario (its objective must name exactly one item), or None if it can."""
    _, _, target = (option or "").partition(":")
    names = _names(scenario)
    if not target or not names or sum(_same(name, target) for name in names) == 1:
        return None
    return f"objective: expected item:NAME of one item among {', '.join(names)}, got {target!r}"


def _names(scenario: Scenario) -> list[str]:
    return [item.name for item in getattr(scenario, "items", ())]


def _same(name: str, target: str) -> bool:
    return normalized_name(name) == normalized_name(target)
