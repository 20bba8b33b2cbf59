"""The pages lead to files, targets and paths that exist, and their Python code runs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from doc_pages import DOCS, GUIDE, PAGES, README, all_blocks, name_of
from forks import PACKAGES, Forks
from paths import ROOT

from aucenv.analysis.agents import model_figures
from aucenv.analysis.ranking import meta_game
from aucenv.registration import FAMILIES

LINKED = [*PAGES, ROOT / "CONTRIBUTING.md"]


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """Copies of a process that has not imported aucenv, in which warnings are errors, but for docstrings of trueskill."""
    flags = ("-W", "error", "-W", "ignore:invalid escape sequence")
    with Forks(tmp_path_factory.mktemp("forks"), PACKAGES, flags=flags) as forks:
        yield forks


@pytest.mark.parametrize("block", all_blocks("python"), ids=lambda block: block.place)
def test_snippets_run(block, strict, tmp_path):
    done = strict.run(block.text, folder=tmp_path)
    assert done.returncode == 0, f"{block.place}: {done.stderr}"
    assert len(block.text.strip().splitlines()) <= 16, block.place


def test_the_readme_is_short_and_the_index_links_to_every_page():
    assert len(README.read_text().splitlines()) <= 130
    index = (DOCS / "index.md").read_text()
    assert {page.stem for page in GUIDE} - {"index"} <= set(re.findall(r"^([\w-]+)$", index, re.MULTILINE))


def test_the_description_of_the_package_holds_outside_of_the_repository():
    command = [sys.executable, "setup.py", "--quiet", "--long-description"]
    shown = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert shown.startswith("# aucenv\n\n**Auctions behind")
    assert "![" not in shown
    assert "<picture>" not in shown
    assert re.findall(r"\]\((?!https://)[^)]*\)", shown) == []
    assert shown.split("```")[1::2] == README.read_text().split("```")[1::2]


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_links_lead_to_files(page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for target in re.findall(
            r"\]\((?!http|generated/|mailto:)([^)#]+)[^)]*\)", line
        ):  # `make docs` generates pages
            assert (page.parent / target).exists(), f"{name_of(page)}:{number}: dead link {target}"


def test_ci_runs_the_readmes_test_command():
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_every_target_mentioned_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in (*LINKED, ROOT / ".ci" / "run"):
        unknown = set(re.findall(r"make ([a-z-]+)`", page.read_text())) - targets
        assert not unknown, name_of(page)


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_paths_mentioned_exist(page):
    for path in re.findall(r"`((?:aucenv|baselines|tests|core|envs|benchmarks)/[\w./]+)`", page.read_text()):
        assert (ROOT / path).exists() or (ROOT / "aucenv" / path).exists(), f"{name_of(page)}: {path}"


def test_the_glossary_defines_the_columns_of_tables():
    words = " ".join(re.findall(r"^\| ([^|]+) \|", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)).lower()
    headings = [*model_figures.COLUMNS[1:], *meta_game.HEADINGS[1:]]
    for family in FAMILIES.values():
        figures = family.game.figures
        for _, columns in (("", figures.SHOWN), figures.ALSO_SHOWN):
            headings += [heading for heading, _ in columns.values()]
    undefined = {heading for heading in headings if re.sub(r", (\$|nats|1/\$)$", "", heading).lower() not in words}
    assert not undefined
