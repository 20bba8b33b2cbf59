"""Scenarios by name and from files."""

from __future__ import annotations

import warnings

from aucenv.core.scenarios import find_scenario
from aucenv.envs.sealed_bid.scenario import DEFAULT_SCENARIO, SCENARIOS, Scenario, cap_warning

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario", "warn_of_cap"]


def load_scenario(scenario: object) -> Scenario:
    """A scenario by name, from a file `x.json` or a dict as `Scenario.to_dict` makes it, or as it is.

    Raises:
        ValueError: no such name; or a file does not describe a scenario: names file and field.
        OSError: a file cannot be read.
    """
    return find_scenario(scenario, Scenario, SCENARIOS)


def warn_of_cap(scenario: Scenario) -> Scenario:
    """The scenario, with a warning where its cap lies below the equilibrium's highest bid."""
    words = cap_warning(scenario)
    if words is not None:
        warnings.warn(words, stacklevel=4)
    return scenario
