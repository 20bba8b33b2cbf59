"""Scenarios by name and from files."""

from __future__ import annotations

import warnings

from aucenv.core.scenarios import find_scenario, is_file
from aucenv.envs.water_allocation.scenario import DEFAULT_SCENARIO, SCENARIOS, Scenario, need_warnings

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario", "warn_of_needs"]


def load_scenario(scenario: object) -> Scenario:
    """A scenario by name, from a file `x.json` or a dict as `Scenario.to_dict` makes it, or as it is.

    Warns of residents in a file whom no supply can serve.

    Raises:
        ValueError: no such name; or a file does not describe a scenario: names file and field.
        OSError: a file cannot be read.
    """
    found = find_scenario(scenario, Scenario, SCENARIOS)
    return warn_of_needs(found) if is_file(scenario) else found


def warn_of_needs(scenario: Scenario) -> Scenario:
    """The scenario, with a warning for each resident whom no possible supply can serve."""
    for words in need_warnings(scenario):
        warnings.warn(words, stacklevel=4)
    return scenario
