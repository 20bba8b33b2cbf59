"""Load scenarios of sealed-bid auctions by name or from files."""

from __future__ import annotations

import warnings

from aucenv.core.scenarios import find_scenario
from aucenv.envs.sealed_bid.scenario import DEFAULT_SCENARIO, SCENARIOS, Scenario, cap_warning

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario", "warn_about_cap"]


def load_scenario(scenario: object) -> Scenario:
    """Return a scenario by name, from a file, or from a dict; a `Scenario` is returned unchanged.

    Args:
        scenario: a name; the path of a JSON file with the output of `Scenario.to_dict`; a dict as `Scenario.to_dict`
            returns it; or a `Scenario`.

    Raises:
        ValueError: the name is unknown, or a file does not describe a scenario; the message names file and field.
        OSError: a file cannot be read.
    """
    return find_scenario(scenario, Scenario, SCENARIOS)


def warn_about_cap(scenario: Scenario) -> Scenario:
    """Return the scenario unchanged; warn if its bid cap is below the highest bid of the equilibrium."""
    warning = cap_warning(scenario)
    if warning is not None:
        warnings.warn(warning, stacklevel=4)
    return scenario
