"""Recorded playthroughs, one per game, compared line by line; `pytest --write-golden` rewrites them."""

from __future__ import annotations

import pytest
from games import CASES
from paths import GOLDEN

from aucenv.registration import FAMILIES
from aucenv.testing import check_game


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_playthrough(family, request):
    file = GOLDEN / f"{family.name}_v{family.version}.txt"
    if request.config.getoption("--write-golden"):
        file.unlink(missing_ok=True)
    assert file.exists() or request.config.getoption("--write-golden"), "pytest --write-golden writes it"
    scenario = family.game.load_scenario(family.game.default_scenario).changed(**CASES[family.name].golden)
    assert check_game(family, scenario=scenario, golden=file, only=("golden",)) == ["golden"]
