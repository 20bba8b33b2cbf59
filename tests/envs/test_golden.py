"""Recorded playthroughs, one per game, compared line by line; `pytest --write-golden` rewrites them."""

from __future__ import annotations

import pytest
from paths import GOLDEN

from aucenv.registration import FAMILIES
from aucenv.testing import check_game

SHORT = {
    "english": {"num_items": 4},
    "harbor": {"num_items": 4, "matches": 1},
    "sealed_bid": {"num_rounds": 5},
    "clock": {"num_rounds": 3, "tick": 2},
    "water_allocation": {"days": 9},
}


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_playthrough(family, request):
    file = GOLDEN / f"{family.name}_v{family.version}.txt"
    if request.config.getoption("--write-golden"):
        file.unlink(missing_ok=True)
    assert file.exists() or request.config.getoption("--write-golden"), "pytest --write-golden writes it"
    scenario = family.game.load_scenario(family.game.default_scenario).changed(**SHORT[family.name])
    assert check_game(family, scenario=scenario, golden=file, only=("golden",)) == ["golden"]
