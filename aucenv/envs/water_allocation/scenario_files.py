"""Load scenarios of the water allocation challenge by name or from files."""

from __future__ import annotations

import warnings

from aucenv.core.scenarios import find_scenario, is_file
from aucenv.envs.water_allocation.named_scenarios import DEFAULT_SCENARIO, SCENARIOS
from aucenv.envs.water_allocation.scenario import Scenario, need_warnings

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario", "warn_about_needs"]


def load_scenario(scenario: object) -> Scenario:
    """Return a scenario by name, from a file, or from a dict; a `Scenario` is returned unchanged.

    It warns if a resident in a file needs more water than any possible supply.

    Args:
        scenario: a name; the path of a JSON file with the output of `Scenario.to_dict`; a dict as `Scenario.to_dict`
            returns it; or a `Scenario`.

    Raises:
        ValueError: the name is unknown, or a file does not describe a scenario; the message names file and field.
        OSError: a file cannot be read.
    """
    loaded = find_scenario(scenario, Scenario, SCENARIOS)
    return warn_about_needs(loaded) if is_file(scenario) else loaded


def warn_about_needs(scenario: Scenario) -> Scenario:
    """Return the scenario unchanged; warn about each resident that needs more water than any possible supply."""
    for warning in need_warnings(scenario):
        warnings.warn(warning, stacklevel=4)
    return scenario
