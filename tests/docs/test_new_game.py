"""The smallest game on docs/new_game.md is that of `aucenv new game`."""

from __future__ import annotations

import re

import pytest
from paths import ROOT

from aucenv.commands.new import new_game

PAGE = ROOT / "docs" / "new_game.md"
PARTS = ("rules", "words", "game")


@pytest.mark.parametrize("part", PARTS)
def test_the_page_has_the_modules_of_the_smallest_game(part, tmp_path, request):
    new_game(tmp_path / "posted_price")
    source = (tmp_path / "posted_price" / "src" / "posted_price" / f"{part}.py").read_text()
    shown = f"<!-- {part} -->\n\n```py\n{source}```\n"
    text = PAGE.read_text()
    if request.config.getoption("--write-golden"):
        pattern = rf"<!-- {part} -->\n(\n```py\n.*?\n```\n)?"
        PAGE.write_text(re.sub(pattern, lambda match: shown, text, count=1, flags=re.DOTALL))
    assert shown in PAGE.read_text(), "pytest tests/docs/test_new_game.py --write-golden writes it"
