"""The documentation site builds without a warning, and works from files."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from paths import ROOT

from aucenv.policy.registry import rule_bidders
from aucenv.registration import FAMILIES

# Two builds at a time would write the same generated pages.
pytestmark = [pytest.mark.docs, pytest.mark.xdist_group("site")]
TUTORIALS = sorted(path.stem for path in (ROOT / "docs" / "tutorials").glob("*.ipynb"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, with all warnings as errors: links to pages and headings lead somewhere."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"})
    assert done.returncode == 0, done.stderr
    return folder


def test_there_is_a_page_for_each_game_bidder_and_command(site):
    generated = site / "generated"
    for game, family in FAMILIES.items():
        page = (generated / "games" / f"{family.label}.html").read_text()
        assert "<img" in page
        assert "Arguments" in page
        for name in rule_bidders(game):
            assert (generated / "bidders" / f"{game}-{name}.html").exists()
    for command in ("leaderboard", "benchmark", "benchmark-verify", "records-show", "train-rlact", "new-game"):
        assert "aucenv" in (generated / "commands" / f"{command}.html").read_text()
    assert "check_game" in (generated / "api" / "testing.html").read_text()
    settings = (generated / "api" / "rlact.html").read_text()
    assert all(name in settings for name in ("num_states", "warm_up_steps", "GRPOConfig"))
    rules = (generated / "api" / "rules.html").read_text()
    assert all(name in rules for name in ("draw_below", "round_", "RESAMPLE", "RuleBidder", "about_default"))


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorials_are_pages_with_a_download(site, name):
    page = (site / "tutorials" / f"{name}.html").read_text()
    assert "Runs in about" in page
    assert re.search(rf'href="\.\./_downloads/\w+/{name}\.ipynb"', page)
    assert list((site / "_downloads").glob(f"*/{name}.ipynb"))


def test_pages_load_nothing_from_the_network(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(https?://[^\"]+)", page.read_text())
        assert not loaded, page


def test_formulas_are_mathml_and_amounts_of_dollars_are_none(site):
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html") if "<math" in page.read_text()}
    assert pages == {"theory.html", "start/economics.html", "tutorials/theory.html"}


def test_links_to_files_of_the_site_lead_to_files(site):
    for page in site.rglob("*.html"):
        for target in re.findall(r'href="(?!\w+:)([^"#?]+)[^"]*"', page.read_text()):
            assert (page.parent / target).exists(), (page.name, target)
