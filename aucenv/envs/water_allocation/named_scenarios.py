"""Alympics' residents, the six settings of its paper, and settings with neutral personas.

Source: Alympics, arXiv 2311.03220, section 4: three ranges of the supply, each without and with personas.
"""

from __future__ import annotations

from collections.abc import Mapping

from aucenv.envs.water_allocation.personas import NEUTRAL_PERSONAS, PERSONAS
from aucenv.envs.water_allocation.scenario import Resident, Scenario

PUBLISHED = (("Alex", 8, 70), ("Bob", 9, 75), ("Cindy", 10, 100), ("David", 11, 120), ("Eric", 12, 120))
"""Alympics' residents: name, daily need in units, daily salary in dollars."""
SUPPLIES = {"low": (10, 20), "medium": (15, 25), "high": (20, 30)}
"""Alympics' ranges of the supply, in units."""


def _settings(ending: str, personas: Mapping[str, str]) -> dict[str, Scenario]:
    residents = tuple(Resident(*row, personas.get(row[0], "")) for row in PUBLISHED)
    return {
        f"{name}{ending}": Scenario(f"{name}{ending}", residents, supply_range=supply)
        for name, supply in SUPPLIES.items()
    }


SETTINGS = {**_settings("", {}), **_settings("-personas", PERSONAS)}
"""The paper's settings 1 to 6 by name, in order."""
SCENARIOS = {**SETTINGS, **_settings("-neutral-personas", NEUTRAL_PERSONAS)}
DEFAULT_SCENARIO = "low"
