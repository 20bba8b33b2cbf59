"""Scenarios by name and from files."""

from __future__ import annotations

from aucenv.core.scenarios import find_scenario
from uniform_price.scenario import UniformPriceScenario

SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        UniformPriceScenario("two-of-four"),
        UniformPriceScenario("three-of-eight", 8, num_units=3),
        UniformPriceScenario("ten-rounds", num_rounds=10),
    )
}
DEFAULT_SCENARIO = "two-of-four"


def load_scenario(scenario: object) -> UniformPriceScenario:
    """Return a scenario by name, from a file or a dict; a scenario is returned unchanged."""
    return find_scenario(scenario, UniformPriceScenario, SCENARIOS)
