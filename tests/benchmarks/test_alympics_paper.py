"""Alympics as one run: parts, ratings by judges, and bad input."""

from __future__ import annotations

import json

import pytest
from aucenv.benchmarks.studies.registry import PAPERS
from aucenv.benchmarks.studies.study import Study
from run_command import command


def test_the_run_has_the_published_games_of_each_setting():
    run = PAPERS["alympics"].run_of(["new=llm:scripted", "planner"], None, 0, True)
    assert {name: len(matches) for name, matches in run.parts.items()} == {
        "first games": 2 * 6,
        "other games": 2 * 6 * 9,
    }
    assert {name for match in run.matches for name in match.bidders} == {"new=llm:scripted,agent=resident", "planner"}
    with pytest.raises(ValueError, match="expected no --set ask_broke=false, which only aucarena has"):
        PAPERS["alympics"].run_of(["planner"], None, 0, False)


def test_one_run_has_all_tables_and_figures_with_ratings_by_the_judge(tmp_path, capsys, monkeypatch):
    out = tmp_path / "alympics"
    judged = ("--set", "judge=llm:scripted")
    assert command("study", "alympics", "--bidder", "new=llm:scripted", "--games", "1", "--out", out, *judged) == 0
    page = (out / "index.html").read_text()
    for name in ("settings", "prices", "curves", "rubrics", "curse", "words", "price-model"):
        assert json.loads((out / name / "table.json").read_text())
        assert f'src="{name}/figure.png"' in page
    rated = [row for row in json.loads((out / "rubrics" / "table.json").read_text()) if "new" in row["bidder"]]
    assert {row["residents"] for row in rated} == {15}
    capsys.readouterr()
    again = tmp_path / "again"
    monkeypatch.setattr(Study, "plot", lambda self, rows, *paths: None)
    assert command("study", "alympics", "--from-records", out, "--out", again) == 0
    assert "alympics/rubrics is left out: expected --set judge=MODEL" in capsys.readouterr().out
    assert (again / "settings" / "table.md").read_bytes() == (out / "settings" / "table.md").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("alympics", "--bidder", "planner", "--set", "judge=planner"), "planner"),
        (("labs", "--bidder", "shade", "--set", "judge=llm:scripted"), "its results are no ratings"),
        (("alympics",), "expected --bidder NAME=MODEL"),
    ],
)
def test_bad_input_is_an_error_and_leaves_nothing(tmp_path, capsys, arguments, message):
    assert command("study", *arguments, "--games", "1", "--out", tmp_path / "out") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_records_of_another_paper_are_an_error(tmp_path, capsys):
    assert command("study", "harbor/1", "--bidder", "value", "--games", "1", "--out", tmp_path / "other") == 0
    capsys.readouterr()
    assert command("study", "alympics", "--from-records", tmp_path / "other", "--out", tmp_path / "out") == 2
    assert "expected a run of `aucenv study alympics`, got 'harbor/1'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
