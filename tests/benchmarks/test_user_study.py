"""A user's own study: the page's example, everything that a file can do wrong, and studies without a figure."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest
from aucenv.benchmarks.studies import all_studies
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study import StudyError
from aucenv.benchmarks.studies.user_study import load_study
from doc_pages import DOCS, blocks_of
from run_command import command

[PAGE] = [block.text for block in blocks_of(DOCS / "reproducing.md", "py") if "STUDY = Study(" in block.text]
"""The study on the page."""
FIGURES = {"figure.png", "figure.svg"}
TABLES = {"games.jsonl", "run.json", "table.json", "table.md"}


def line_of(text):
    """Return the number of the line of the page's study that has this text."""
    [number] = [number for number, line in enumerate(PAGE.splitlines(), 1) if text in line]
    return number


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed(here, old, new, name="my_study.py"):
    """Write the page's study with a change, and return its file."""
    assert old in PAGE
    (here / name).write_text(PAGE.replace(old, new, 1))
    return name


def test_the_study_of_the_page_plays_resumes_and_reads_records(here, capsys):
    file = changed(here, "", "")
    run = ("study", file, "--games", "2", "--out", "mine")
    assert command(*run, "--json", "-") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["seats"], row["bidder"]) for row in rows[:2]] == [(3, "equilibrium"), (3, "shade,factor=0.5")]
    assert {path.name for path in (here / "mine").iterdir()} == TABLES | FIGURES
    settings = json.loads((here / "mine" / "run.json").read_text())["settings"]
    assert settings["study"] == file
    assert [*settings["bidder_files"]] == [file]
    lines = (here / "mine" / "games.jsonl").read_text().splitlines(keepends=True)
    (here / "mine" / "games.jsonl").write_text("".join(lines[:5]))
    assert command(*run) == 0
    assert (here / "mine" / "games.jsonl").read_text() == "".join(lines)
    capsys.readouterr()
    assert command("study", file, "--from-records", "mine", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out) == rows
    (here / file).write_text(PAGE + "\n")
    assert command(*run) == 2
    assert "files of 'my_study.py' have changed since that run started" in capsys.readouterr().err


def test_shards_of_a_study_are_merged_and_its_command_writes_the_tables(here, capsys):
    file = changed(here, "", "")
    for shard in ("1/2", "2/2"):
        assert command("study", file, "--games", "2", "--shard", shard, "--out", shard[0]) == 0
    assert command("records", "merge", "1", "2", "--out", "whole") == 0
    assert command("study", file, "--games", "2", "--out", "whole") == 0
    assert {path.name for path in (here / "whole").iterdir()} >= TABLES | FIGURES
    capsys.readouterr()
    assert command("records", "table", "whole") == 2
    assert "aucenv study my_study.py --from-records whole shows it" in capsys.readouterr().err


BEFORE_GAMES = {
    "a module that raises": ("SCENARIOS = {", "1 / 0\nSCENARIOS = {", f"{line_of('SCENARIOS = {')}: ZeroDivisionError"),
    "a module that exits": ("SCENARIOS = {", "raise SystemExit\nSCENARIOS = {", ": SystemExit"),
    "no Python": ("STUDY = Study(", "STUDY = Study((", ": SyntaxError: '(' was never closed"),
    "no study": ("STUDY = Study(", "dict(", ": expected one Study, such as STUDY = Study(...), got none"),
    "two studies": ("STUDY = ", "from dataclasses import replace\nOTHER = replace(STUDY := ", "SyntaxError"),
    "no rows": ("    rows=rows,\n", "", ": ValueError: study my-study: expected one of rows, rate and train"),
    "a field that there is not": ("    rows=rows,\n", "    row=rows,\n", "unexpected keyword argument 'row'"),
    "matches that raise": ("    cells = [(\"sealed_bid\", sc", "    1 / 0\n    cells = [(\"sealed_bid\", sc",
                           f"{line_of('cells = [(')}: matches: ZeroDivisionError: division by zero"),
    "matches with another signature": ("def matches(bidders, games, seed)", "def matches(bidders)", ": matches: TypeError"),
    "matches that are none": ("    return list(same", "    return len(same", ": matches: TypeError"),
    "matches of another kind": ("    return list(same_in_all_seats(cells, bidders, games, seed))", "    return [1]",
                                ": matches: expected a list of Match, got a list of int"),
    "a scenario that there is not": ("\"first-ipv\": 3", "\"first-ipw\": 3", ": matches: "),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BEFORE_GAMES.values(), ids=[*BEFORE_GAMES])
def test_a_file_that_cannot_be_played_is_an_error_of_one_line(here, capsys, old, new, message):
    file = changed(here, old, new)
    assert command("study", file, "--games", "1", "--out", "mine") == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"aucenv: {file}")
    assert message in line
    assert not (here / "mine").exists()


AFTER_GAMES = {
    "rows that raise": ("    played = [", "    1 / 0\n    played = [", f":{line_of('played = [')}: rows: ZeroDivisionError"),
    "rows of another kind": ("    return [\n", "    return [1] or [\n", ": rows: expected a list of rows, each a dict"),
    "rows that JSON cannot hold": ("\"seats\": seats,", "\"seats\": {1},", ": rows: expected rows that JSON can hold"),
    "a format that does not fit": ("(\"bidder\", \"{}\")", "(\"bidder\", \"{:.2f}\")",
                                   ": column 'bidder': cannot format 'equilibrium' as '{:.2f}'"),
    "a figure that raises": ("    axes = figure", "    1 / 0\n    axes = figure",
                             f":{line_of('axes = figure')}: draw: ZeroDivisionError"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), AFTER_GAMES.values(), ids=[*AFTER_GAMES])
def test_the_games_of_a_study_that_fails_are_kept_and_read_once_it_is_repaired(here, capsys, old, new, message):
    file = changed(here, old, new)
    assert command("study", file, "--games", "1", "--out", "mine") == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert message in error
    assert file in error
    assert "--from-records mine reads them" in error
    assert len((here / "mine" / "games.jsonl").read_text().splitlines()) == 6
    changed(here, "", "")
    assert command("study", file, "--from-records", "mine", "--out", "again") == 0
    assert {path.name for path in (here / "again").iterdir()} == {"table.json", "table.md"} | FIGURES


def test_a_file_that_does_not_exist_and_a_study_of_aucenv_that_a_file_imports(here, capsys):
    assert command("study", "absent.py") == 2
    assert capsys.readouterr().err == "aucenv: study absent.py: expected a file with a study, got no such file\n"
    (here / "two.py").write_text(PAGE + "\nOTHER = Study(**{**vars(STUDY), 'name': 'other'})\n")
    with pytest.raises(StudyError, match=r"got STUDY and OTHER$"):
        load_study(here / "two.py", ())
    (here / "imports.py").write_text(
        "from aucenv.benchmarks.studies.labs.revenue import STUDY\n" + PAGE.replace("STUDY =", "MINE =")
    )
    assert load_study(here / "imports.py", [*STUDIES.values()]).name == "my-study"


def test_options_that_a_study_does_not_have_are_refused(here, capsys):
    file = changed(here, "", "")
    for option in (
        ("--set", "rivals=shade"),
        ("--set", "judge=llm:scripted"),
        ("--offline",),
        ("--set", "ask_broke=false"),
    ):
        assert command("study", file, *option) == 2
        assert f"study {file}: expected no " in capsys.readouterr().err


def test_a_study_without_a_figure_has_tables_and_no_figure(here, monkeypatch):
    file = changed(here, "    draw=draw,\n", "")
    assert command("study", file, "--games", "1", "--out", "mine") == 0
    assert {path.name for path in (here / "mine").iterdir()} == TABLES
    plain = dataclasses.replace(STUDIES["labs/one-shot"], draw=None, offline_games=1, offline_bidders=())
    monkeypatch.setattr(all_studies, "ordered_studies", lambda full: [plain])
    monkeypatch.setitem(STUDIES, plain.name, plain)
    assert command("study", "all", "--offline", "--out", "all") == 0
    assert not FIGURES & {path.name for path in (here / "all" / plain.name).iterdir()}
    assert "<img" not in (here / "all" / "index.html").read_text()
    assert "| first " in (here / "all" / "index.md").read_text()
    monkeypatch.setattr(all_studies, "MINUTES", here / "minutes.json")
    (here / "docs").mkdir()
    all_studies.write_docs(here / "all", here / "docs" / "STUDIES.md")
    assert not [*(here / "docs" / "studies").iterdir()]
    shutil.rmtree(here / "docs")
