"""Errors name games whose folders are incomplete or broken, and the other games still work."""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path

import pytest

import aucenv
from aucenv import registration
from aucenv.analysis.ranking.standings import standings
from aucenv.analysis.ranking.tables import ranking_tables
from aucenv.cli import main
from aucenv.core.game import REQUIRED, GameError
from aucenv.core.play.table import Table
from aucenv.registration import EnvFamily
from aucenv.runs.records import make_record

SEALED = Path(aucenv.__file__).parent / "envs" / "sealed_bid"


@pytest.fixture
def copy_game(tmp_path, monkeypatch):
    """Return a function that copies the sealed-bid game into another package, without some of its modules."""
    monkeypatch.syspath_prepend(tmp_path)

    def copy(name: str, *without: str) -> EnvFamily:
        folder = tmp_path / name
        shutil.copytree(SEALED, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file in folder.glob("*.py"):
            file.write_text(
                file.read_text().replace("aucenv.envs.sealed_bid", name).replace('"sealed_bid",', f'"{name}",')
            )
        for module_name in without:
            (folder / f"{module_name}.py").unlink()
        family = EnvFamily(name, 0, f"{name}.game")
        monkeypatch.setitem(registration.FAMILIES, name, family)
        return family

    yield copy
    for module in [module for module in sys.modules if module.startswith("custom_")]:
        del sys.modules[module]


@pytest.mark.parametrize("module_name", REQUIRED)
def test_the_error_for_a_missing_module_names_it(copy_game, module_name):
    family = copy_game(f"custom_without_{module_name}", module_name)
    env = (Path(sys.path[0]) / family.name / "game.py").read_text()
    assert f"import {module_name}" not in env
    with pytest.raises(GameError) as error:
        family()
    prefix = f"game {family.name!r}: "
    assert str(error.value).startswith(prefix)
    assert f"{family.name}.{module_name}" in str(error.value)


def test_the_error_for_a_missing_function_names_it(copy_game):
    family = copy_game("custom_without_function")
    text = Path(sys.path[0]) / family.name / "words.py"
    text.write_text(text.read_text().replace("def waiting_text(", "def replied("))
    with pytest.raises(
        GameError, match=r"'custom_without_function': expected waiting_text in custom_without_function.words: describe"
    ):
        family.game  # noqa: B018  (a property that loads)


def test_the_error_for_a_failing_module_names_it_and_other_games_work(copy_game, capsys):
    family = copy_game("custom_fails")
    (Path(sys.path[0]) / family.name / "features.py").write_text("raise RuntimeError('no numbers today')\n")
    message = "game 'custom_fails': custom_fails.features cannot be imported: RuntimeError: no numbers today"
    with pytest.raises(GameError, match=message):
        family.parallel_env()
    with pytest.raises(SystemExit, match="0"):
        main(["envs"])
    printed = capsys.readouterr()
    assert "low-personas" in printed.out
    assert printed.err == f"aucenv: {message}\n"
    with pytest.raises(SystemExit, match="2"):
        main(["leaderboard", "--game", "custom_fails"])
    assert message in capsys.readouterr().err


def test_the_error_for_an_env_module_without_a_game_names_it(copy_game):
    family = copy_game("custom_nothing")
    (Path(sys.path[0]) / family.name / "game.py").write_text("")
    with pytest.raises(GameError, match=r"game 'custom_nothing': expected GAME, a Game, in custom_nothing\.game"):
        family.game  # noqa: B018


def recorded(table, actions):
    """Play a game in which each seat repeats its action, and return the record."""
    table.reset(3)
    while not table.over:
        for seat in table.pending:
            table.submit(seat, actions[seat])
    return make_record(table, [3], 0, ["a", "b", "c"])


def test_the_error_for_a_module_whose_default_needs_a_form_of_replies_names_both(copy_game):
    family = copy_game("custom_without_features", "features")
    expected = r"expected the module features, or REPLY, such as BidOrNothing\(\), in custom_without_features\.words"
    with pytest.raises(GameError, match=expected):
        family()


FORM = "from aucenv.core.defaults.bid_forms import BidOrNothing\nREPLY = BidOrNothing()\n"
WORDS = {
    "no names": ("", r"expected describe, .* in custom_words\.words: .*; or REPLY, rules, question"),
    "a form of another type": ("REPLY = 'bid'\n", r"expected REPLY to be a BidForm in custom_words\.words, got 'bid'"),
    "a form alone": (FORM, r"expected rules, question, or describe, in custom_words\.words"),
    "no question": (f"{FORM}\ndef rules(view): ...\n", r"expected question, or describe, in custom_words\.words"),
}
"""The words of a game, and the error."""


@pytest.mark.parametrize("name", WORDS)
def test_the_error_for_words_without_a_form_of_replies_or_its_parts_names_them(copy_game, name):
    text, expected = WORDS[name]
    family = copy_game("custom_words")
    (Path(sys.path[0]) / family.name / "words.py").write_text(text)
    with pytest.raises(GameError, match=f"game 'custom_words': {expected}"):
        family.game  # noqa: B018  (a property that loads)


def test_the_error_for_bidders_without_a_kernel_names_it(copy_game):
    family = copy_game("custom_bidders")
    (Path(sys.path[0]) / family.name / "bidders.py").write_text("BIDDERS = ()\n")
    env = Path(sys.path[0]) / family.name / "game.py"
    lines = env.read_text().splitlines()
    env.write_text("\n".join(line for line in lines if not line.startswith(("    bidders=", "    population="))))
    assert family.game.bidders == "custom_bidders.bidders"
    with pytest.raises(GameError, match=r"expected ROLLOUTS, or the kernel decide of BIDDERS, in custom_bidders\.bidd"):
        family.game.rollouts  # noqa: B018  (a property that loads)


def test_the_error_for_a_field_without_what_its_default_needs_names_it(copy_game):
    family = copy_game("custom_without_most", "features")
    text = Path(sys.path[0]) / family.name / "words.py"
    text.write_text(f"{text.read_text()}\n{FORM}")
    with pytest.raises(
        GameError, match=r"State\.\w+: features by default: expected .*; or the module custom_without_most"
    ):
        family()


def test_defaults_replace_omitted_modules(copy_game):
    family = copy_game("custom_plain", "board", "figures", "transcript", "files", "learning", "record_format")
    game = family.game
    table = Table(game, game.load_scenario(game.default_scenario).changed(num_rounds=2), ["amount"] * 3)
    record = recorded(table, [0.0, 10.0, 20.0])
    figures = {name: figure(game.figures.seat_figures(record)[2]) for name, figure in game.figures.FIGURES.items()}
    assert figures["profit_mean"] == (record.outcome["seats"][2]["profit"], 1)
    assert figures["failed_bid_rate"] == (0, 2)
    assert not any(
        "unreadable" in table.headings for table in ranking_tables(standings([record]), family.name, "title")
    )
    lines = list(game.transcript.transcript(record))
    assert "Round 2: Andy $0; Betty $10; Charles $20." in lines
    assert any(line.startswith("Round 2: ") and "winner Charles, price $20" in line for line in lines)
    assert game.board.board(table.view(0, reveal=True)).title == "The game terminated"
    assert game.learning is None
    with pytest.raises(ValueError, match=r"x: game 'custom_plain' cannot replay recorded games: it has no files.py"):
        game.files.replay_game({}, "x")
    assert pickle.loads(pickle.dumps(game)) is game
    # without figures, rankings show the unreadable replies of models
    table = Table(game, table.scenario, ["text", "amount", "amount"], max_retries=1)
    shown = ranking_tables(standings([recorded(table, ["Well.", 10.0, 10.0])]), family.name, "title")[0]
    assert shown.headings[-3:] == ("failed bids", "unreadable", "games")
    assert {line[1]: line[-3:-1] for line in shown.lines} == {
        "a": ["-", "100.0%"],
        "b": ["0.0%", "0.0%"],
        "c": ["0.0%", "0.0%"],
    }
    assert shown.note


def test_records_of_an_unknown_game_are_refused(tmp_path, capsys):
    record = aucenv.play("english", "standard-20k-random", ["rule"] * 3, 1)
    line = record.to_json().replace('"game":"english"', '"game":"englsh"')
    (tmp_path / "games.jsonl").write_text(line + "\n")
    with pytest.raises(SystemExit, match="2"):
        main(["records", "show", str(tmp_path)])
    assert "game: expected one of english, " in capsys.readouterr().err
