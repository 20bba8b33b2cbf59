"""The table of the papers' figures in docs/papers.md, from docs/data/figures.json."""

from __future__ import annotations

import json

import pytest
from aucenv.benchmarks.studies.registry import PAPERS
from paths import ROOT

PAGE = ROOT / "docs" / "papers.md"
FIGURES = json.loads((ROOT / "docs" / "data" / "figures.json").read_text())
TITLES = {"aucarena": "AucArena", "harbor": "HARBOR", "labs": "Synthetic Labs", "alympics": "Alympics"}
START, END = "<!-- figures.json: start -->\n", "<!-- figures.json: end -->\n"


def table():
    lines = ["| paper | table or figure | shows | study | status |", "|---|---|---|---|---|"]
    for figure in FIGURES:
        study = {"listing": "`listing.md` of the run", "": "-"}.get(figure["study"], f"`{figure['study']}`")
        status = ": ".join(filter(None, [figure["status"], figure["reason"]]))
        lines.append(
            f"| {TITLES[figure['paper']]} | {figure['figure']} | {figure['shows']} | {study} | {status} |",
        )
    return "\n".join(lines) + "\n"


def test_the_page_has_the_table(request):
    text = PAGE.read_text()
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    if request.config.getoption("--write-golden"):
        PAGE.write_text(f"{before}{START}{table()}{END}{after}")
    assert PAGE.read_text().partition(START)[2].partition(END)[0] == table()


@pytest.mark.parametrize("paper", PAPERS)
def test_the_run_of_a_paper_makes_its_figures(paper):
    drawn = {*(study.name for study in PAPERS[paper].studies), "listing"}
    for figure in FIGURES:
        if figure["paper"] == paper and figure["status"] != "not possible":
            assert figure["study"] in drawn


def test_every_figure_that_is_not_the_papers_has_a_reason():
    for figure in FIGURES:
        assert figure["status"] in ("same", "other", "not possible")
        assert bool(figure["reason"]) == (figure["status"] != "same")
