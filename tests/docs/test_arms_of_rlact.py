"""The tables of docs/rlact.md on online DPO and supervised finetuning, from the results in docs/data/rlact-arms."""

from __future__ import annotations

import pytest
from aucenv.benchmarks.rlact_arms import PLAN, Experiment
from paths import ROOT

from aucenv.core.files import read_object

PAGE = ROOT / "docs" / "rlact.md"
RESULTS = ROOT / "docs" / "data" / "rlact-arms"
START, END = "<!-- rlact-arms: start -->\n", "<!-- rlact-arms: end -->\n"


@pytest.mark.docs
def test_the_page_has_the_tables(request, tmp_path):
    experiment = Experiment(tmp_path, read_object(PLAN, str(PLAN)), lambda text: None, RESULTS)
    experiment.restore()
    experiment.write_tables()
    tables = (tmp_path / "table.md").read_text()
    before, _, rest = PAGE.read_text().partition(START)
    _, _, after = rest.partition(END)
    if request.config.getoption("--write-golden"):
        PAGE.write_text(f"{before}{START}{tables}{END}{after}")
    assert PAGE.read_text().partition(START)[2].partition(END)[0] == tables
