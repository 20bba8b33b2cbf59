"""`aucenv new game` and `new bidder` write packages whose tests pass."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from packages import install, with_package
from run_command import command
from typer.testing import CliRunner

import aucenv
from aucenv import registration
from aucenv.registration import EnvFamily


@pytest.mark.parametrize(
    ("kind", "name", "is_compiled"),
    [
        ("game", "corner_shop", False),
        pytest.param("game", "corner_shop", True, marks=pytest.mark.slow),
        ("bidder", "early_bird", True),
    ],
)
def test_the_tests_of_a_new_package_pass(tmp_path, kind, name, is_compiled):
    assert command("new", kind, tmp_path / "work" / name) == 0
    package = tmp_path / "work" / name
    assert [path.name for path in (tmp_path / "work").iterdir()] == [name]
    assert not [path for path in package.rglob("*") if path.is_file() and "TITLE" in path.read_text()]
    env = with_package(install(package, tmp_path))
    env.pop("PYTEST_ADDOPTS", None)
    env["NUMBA_DISABLE_JIT"] = str(int(not is_compiled))
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(package / "tests")]
    result = subprocess.run(tests, env=env, cwd=tmp_path / "work", capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    lint = [sys.executable, "-m", "ruff", "check", "--select", "F,E,W", "--ignore", "E501", str(package)]
    assert subprocess.run(lint, capture_output=True).returncode == 0
    if kind == "game":
        play = f"leaderboard --game {name} --bidder truthful --bidder random --bidder llm:scripted --games 6 --out run"
        printed, _ = run(env, tmp_path, play, "report run --out report.html")
        assert "truthful" in printed
        rows = json.loads((tmp_path / "run" / "table.json").read_text())
        assert {row["failed_bid_rate"] for row in rows} == {0}  # of models, too
        assert (tmp_path / "report.html").stat().st_size > 50_000


@pytest.mark.slow
def test_a_network_learns_a_new_game(tmp_path):
    assert command("new", "game", tmp_path / "work" / "corner_shop") == 0
    env = with_package(install(tmp_path / "work" / "corner_shop", tmp_path))
    game = "--game corner_shop --scenario five-rounds"
    train = "--rivals truthful --set eval_games=0 --set num_envs=64 --set updates=2 --set minibatches=2 --out ppo"
    play = f"leaderboard {game} --bidder truthful --bidder ppo:ppo/model.safetensors --games 2"
    assert "ppo" in run(env, tmp_path, f"train ppo {game} {train}", play)[1]


def run(env, folder, *commands):
    """Return what commands of `aucenv` print in processes with a package."""
    printed = []
    for words in commands:
        done = [sys.executable, "-c", "from aucenv.cli import main; main()", *words.split()]
        result = subprocess.run(done, env=env, cwd=folder, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        printed.append(result.stdout)
    return printed


def test_a_new_game_is_short():
    folder = Path(aucenv.__file__).parent / "commands" / "skeletons" / "game" / "src" / "NAME"
    lines = {file.name.partition(".")[0]: len(file.read_text().splitlines()) for file in folder.iterdir()}
    assert sorted(lines) == ["__init__", "game", "rules", "words"]
    assert sum(lines.values()) <= 180


@pytest.mark.parametrize("name", ["Lottery", "1st", "a-b", "class", "json", "english"])
def test_bad_names_are_refused(tmp_path, name, capsys):
    assert command("new", "game", tmp_path / name) == 2
    assert f"got {name!r}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_keyword_is_refused_as_one(tmp_path, capsys):
    assert command("new", "game", tmp_path / "class") == 2
    assert "expected a name that is no keyword of Python, such as posted_price, got 'class'" in capsys.readouterr().err


def test_the_error_of_a_name_names_the_installed_package_that_has_it(tmp_path, capsys, monkeypatch):
    family = EnvFamily("lottery", 0, "lottery.env", "lottery-package")
    monkeypatch.setitem(registration.FAMILIES, "lottery", family)
    assert command("new", "game", tmp_path / "lottery") == 2
    hint = "got 'lottery', which the installed package lottery-package has (pip uninstall lottery-package)"
    assert hint in capsys.readouterr().err


def test_the_name_of_a_bidder_is_new(tmp_path, capsys):
    assert command("new", "bidder", tmp_path / "rule") == 2
    assert "expected a name that no module, game or bidder has, got 'rule'" in capsys.readouterr().err


def test_an_existing_folder_is_left_as_it_is(tmp_path, capsys):
    (tmp_path / "lottery").mkdir()
    (tmp_path / "lottery" / "mine").write_text("mine")
    assert command("new", "game", tmp_path / "lottery") == 2
    assert "expected a new folder" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "lottery").iterdir()] == ["mine"]


def test_help_is_there():
    from aucenv.cli import app

    assert "posted-price" in CliRunner().invoke(app, ["new", "game", "--help"]).output
