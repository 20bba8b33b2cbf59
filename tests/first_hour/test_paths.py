"""Paths that cannot be used: empty ones, those with a comma in the name of a bidder, and a current folder that is gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from first_hour.commands import COMMANDS, options_for_paths, takes_paths
from first_hour.lines import GOOD, exit_status
from first_hour.written import WRITTEN

from aucenv.commands.options.errors import PATHS

AUCENV = str(Path(sys.executable).with_name("aucenv"))


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "option"), [(words, option) for words in COMMANDS for option in options_for_paths(COMMANDS[words])]
)
@pytest.mark.parametrize("typed", [" ''", "="])
def test_an_empty_path_is_not_the_current_folder(words, option, typed, empty_folder, capsys):
    assert exit_status(f"{words} {option}{typed}") == 2
    assert capsys.readouterr().err == f"aucenv: {option}: expected a path, got ''\n"
    assert not [*empty_folder.iterdir()]


@pytest.mark.parametrize("words", [words for words in COMMANDS if takes_paths(COMMANDS[words])])
def test_an_empty_argument_is_not_the_current_folder(words, empty_folder, capsys):
    assert exit_status(f"{words} ''") == 2
    place = len(words.split()) + 1
    assert capsys.readouterr().err == f"aucenv: argument {place}: expected a name or a path, got ''\n"
    assert not [*empty_folder.iterdir()]


def test_options_that_are_no_paths_have_values(empty_folder, capsys):
    assert "--scenario" not in PATHS
    assert exit_status("watch --scenario ''") == 2
    assert capsys.readouterr().err == "aucenv: --scenario: expected a value, got ''\n"


@pytest.mark.parametrize("line", [line for line, _ in (*GOOD, *WRITTEN)])
def test_a_deleted_current_folder_is_a_clear_error(line, tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert exit_status(line) == 2
    assert capsys.readouterr().err == ("aucenv: the current folder has been deleted or moved: change to another one\n")


@pytest.mark.parametrize("command", [AUCENV, f"{sys.executable} -m aucenv"])
def test_the_command_starts_in_a_deleted_folder(command, tmp_path):
    line = f"mkdir gone && cd gone && rmdir ../gone && {command} leaderboard --games 3 --out kept"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "aucenv: the current folder has been deleted or moved: change to another one\n"


COMMAS = {
    "train ppo --out a,b": "--out: a,b: expected a path without ',', which ends a path in the name of a bidder",
    "exploit shade --game sealed_bid --method ppo --out a,b/c": "--out: a,b/c: expected a path without ','",
    "rlact probe a b --out a,b.json": "--out: a,b.json: expected a path without ','",
    "study prompts --set templates=a,b --set templates=c --bidder llm:scripted": "--set templates: a,b: expected a path without ','",
    "study rl/closed-forms --out a,b": "--out: a,b: expected a path without ','",
    "train rlact --preset tiny --out a,b": "--out: a,b: expected a path without ','",
    "train league --preset tiny --out a,b": "--out: a,b: expected a path without ','",
    "train league --preset tiny --out a+b": "--out: a+b: expected a path without '+'",
    **{
        f"leaderboard --bidder {name} --bidder rule": f"got {name!r}"
        for name in ("ppo:a,b/c", "py:a,b.py:Bidder", "probe:a,b.json", "llm:scripted,cache=a,b")
    },
}


@pytest.mark.parametrize(("line", "text"), COMMAS.items())
def test_a_comma_in_a_path_is_a_clear_error_before_the_work(line, text, empty_folder, capsys):
    (empty_folder / "a,b").mkdir()
    (empty_folder / "c").mkdir()
    assert exit_status(line) == 2
    err = capsys.readouterr().err
    assert text in err
    assert "comma" in err or "without" in err
    assert not [*(empty_folder / "a,b").iterdir()]


def test_files_in_a_folder_with_a_comma_are_read_and_written(folder, capsys):
    (folder / "a,b").mkdir()
    (folder / "a,b" / "items.jsonl").write_text('{"name": "Vase", "price": 100, "true_value": 200}\n')
    (folder / "a,b" / "bidders.jsonl").write_text('{"name": "Ann", "budget": 900}\n{"name": "Bo", "budget": 900}\n')
    files = "a,b/items.jsonl,a,b/bidders.jsonl"
    line = f"leaderboard --games 2 --scenario {files} --bidder rule --bidder value --out a,b/run --json a,b/y.json"
    assert exit_status(line) == 0, capsys.readouterr().err
    assert exit_status("records table a,b/run") == 0
    assert (folder / "a,b" / "y.json").exists()
