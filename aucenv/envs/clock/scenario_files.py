"""Scenarios by name and from files."""

from __future__ import annotations

from aucenv.core.scenarios import find_scenario
from aucenv.envs.clock.scenario import DEFAULT_SCENARIO, SCENARIOS, Scenario

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario"]


def load_scenario(scenario: object) -> Scenario:
    """A scenario by name, from a file `x.json` or a dict as `Scenario.to_dict` makes it, or as it is.

    Raises:
        ValueError: no such name; or a file does not describe a scenario: names file and field.
        OSError: a file cannot be read.
    """
    return find_scenario(scenario, Scenario, SCENARIOS)
