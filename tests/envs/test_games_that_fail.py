"""Games whose folders are incomplete or broken are named, and the others still work."""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path

import pytest

import aucenv
from aucenv import registration
from aucenv.cli import main
from aucenv.core.game import GameError
from aucenv.core.game_modules import OPTIONAL, REQUIRED
from aucenv.core.table import Table
from aucenv.registration import EnvFamily
from aucenv.runs.records import make_record

SEALED = Path(aucenv.__file__).parent / "envs" / "sealed_bid"


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Makes a copy of the sealed-bid game, in a package of its own and without some of its modules."""
    monkeypatch.syspath_prepend(tmp_path)

    def copy(name: str, *without: str) -> EnvFamily:
        folder = tmp_path / name
        shutil.copytree(SEALED, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file in folder.glob("*.py"):
            file.write_text(
                file.read_text().replace("aucenv.envs.sealed_bid", name).replace('"sealed_bid",', f'"{name}",')
            )
        for room in without:
            (folder / f"{room}.py").unlink()
        family = EnvFamily(name, 0, name)
        monkeypatch.setitem(registration.FAMILIES, name, family)
        return family

    yield copy
    for module in [module for module in sys.modules if module.startswith("mine_")]:
        del sys.modules[module]


@pytest.mark.parametrize("room", sorted({*REQUIRED} - {"scenario_files"}))
def test_a_missing_module_is_named_with_what_it_must_have(copied, room):
    family = copied(f"mine_without_{room}", room)
    env = (Path(sys.path[0]) / family.name / "env.py").read_text()
    assert f"import {room}" not in env
    with pytest.raises(GameError) as caught:
        family()
    told = f"game {family.name!r}: "
    assert str(caught.value).startswith(told)
    assert f"{family.name}.{room}" in str(caught.value)


def test_what_a_module_must_have_is_named(copied):
    family = copied("mine_without_words")
    text = Path(sys.path[0]) / family.name / "text.py"
    text.write_text(text.read_text().replace("def waiting_text(", "def replied("))
    with pytest.raises(
        GameError, match=r"'mine_without_words': expected waiting_text in mine_without_words.text: describe"
    ):
        family.game  # noqa: B018  (a property that loads)


def test_a_module_that_fails_is_named_and_the_others_work(copied, capsys):
    family = copied("mine_fails")
    (Path(sys.path[0]) / family.name / "vector.py").write_text("raise RuntimeError('no numbers today')\n")
    message = "game 'mine_fails': mine_fails.vector cannot be imported: RuntimeError: no numbers today"
    with pytest.raises(GameError, match=message):
        family.parallel_env()
    with pytest.raises(SystemExit, match="0"):
        main(["envs"])
    shown = capsys.readouterr()
    assert "low-personas" in shown.out
    assert shown.err == f"aucenv: {message}\n"
    with pytest.raises(SystemExit, match="2"):
        main(["leaderboard", "--game", "mine_fails"])
    assert message in capsys.readouterr().err


def test_an_env_module_without_a_game_is_named(copied):
    family = copied("mine_nothing")
    (Path(sys.path[0]) / family.name / "env.py").write_text("")
    with pytest.raises(GameError, match=r"game 'mine_nothing': expected GAME, a Game, in mine_nothing\.env"):
        family.game  # noqa: B018


def test_defaults_stand_in_for_modules_that_are_left_out(copied):
    family = copied("mine_plain", *(room for room in OPTIONAL if room not in ("learning", "belief")))
    game = family.game
    scenario = game.load_scenario(game.default_scenario).changed(num_rounds=2)
    table = Table(game, scenario, ["amount"] * 3)
    table.reset(3)
    while not table.over:
        for seat in table.pending:
            table.submit(seat, 10.0 * seat)
    record = make_record(table, [3], 0, ["a", "b", "c"])
    figures = {name: figure(game.figures.seat_figures(record)[2]) for name, figure in game.figures.FIGURES.items()}
    assert figures["profit_mean"] == (record.outcome["seats"][2]["profit"], 1)
    assert figures["failed_bid_rate"] == (0, 2)
    lines = list(game.transcript.transcript(record))
    assert "2, round 1: Andy $0; Betty $10; Charles $20" in lines
    assert game.picture.rgb(table.view(0, reveal=True)).shape[2] == 3
    assert game.learning is None
    with pytest.raises(ValueError, match=r"x: game 'mine_plain' reads no recorded games: it has no replay.py"):
        game.replay.replay_game({}, "x")
    assert pickle.loads(pickle.dumps(game)) is game


def test_records_of_a_game_that_is_not_there_are_named(tmp_path, capsys):
    record = aucenv.play("english", "standard-20k-random", ["rule"] * 3, 1)
    line = record.to_json().replace('"game":"english"', '"game":"englsh"')
    (tmp_path / "games.jsonl").write_text(line + "\n")
    with pytest.raises(SystemExit, match="2"):
        main(["records", "show", str(tmp_path)])
    assert "game: expected one of english, " in capsys.readouterr().err
