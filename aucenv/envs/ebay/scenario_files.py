"""Load scenarios of proxy auctions by name or from files."""

from __future__ import annotations

from aucenv.core.scenarios import find_scenario
from aucenv.envs.ebay.scenario import DEFAULT_SCENARIO, SCENARIOS, Scenario

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario"]


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
