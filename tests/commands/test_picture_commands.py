"""`aucenv records picture` and `aucenv report --figures`: the table of a recorded game, and the figures of a run."""

from __future__ import annotations

import csv
from xml.etree import ElementTree

import pytest
from PIL import Image
from run_command import command

import aucenv
from aucenv.runs.recorded.boards import boards_of, prices_of

LINEUP = ["rule", "value", "pace"]


@pytest.fixture(scope="module")
def record():
    return aucenv.play("english", "standard-20k-random", LINEUP, seed=(5, 0))


@pytest.fixture(scope="module")
def games(tmp_path_factory, record):
    """Return a file with two games."""
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    other = aucenv.play("english", "standard-20k-random", LINEUP, seed=(5, 1), index=1)
    path.write_text(record.to_json() + "\n" + other.to_json() + "\n", encoding="utf-8")
    return path


def test_a_picture_shows_the_table_before_a_round(games, tmp_path, capsys):
    assert command("records", "picture", games, "--round", 3, "--out", tmp_path / "third.svg") == 0
    assert "third.svg" in capsys.readouterr().out
    root = ElementTree.fromstring((tmp_path / "third.svg").read_text(encoding="utf-8"))
    words = " ".join("".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))
    assert "round 3" in words
    assert command("records", "picture", games, 1, "--out", tmp_path / "end.png") == 0
    with Image.open(tmp_path / "end.png") as image:
        assert min(image.size) > 200


def test_a_picture_of_a_seat_hides_what_the_seat_does_not_know(games, record, tmp_path):
    everything, mine = (tmp_path / name for name in ("all.svg", "mine.svg"))
    assert command("records", "picture", games, "--round", 1, "--out", everything) == 0
    assert command("records", "picture", games, "--round", 1, "--seat", 0, "--out", mine) == 0
    assert "true value" in everything.read_text(encoding="utf-8")
    assert "true value" not in mine.read_text(encoding="utf-8")


def test_an_animation_has_every_round(games, record, tmp_path):
    assert command("records", "picture", games, "--out", tmp_path / "game.gif", "--animate", 0.2) == 0
    with Image.open(tmp_path / "game.gif") as image:
        assert image.n_frames == len(list(boards_of(record)))
    assert command("records", "picture", games, "--out", tmp_path / "game.svg", "--animate", 0.7) == 0
    ElementTree.fromstring((tmp_path / "game.svg").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "Missing option '--out'"),
        (("--out", "x.jpg"), "expected one of .svg, .png"),
        (("--out", "x.png", "--animate", 1), "expected one of .svg, .gif"),
        (("--out", "x.gif", "--round", 2), "--round: expected none with --animate"),
        (("--out", "x.svg", "--round", 500), "--round: expected a round of game 0, from 1 to"),
        (("--out", "x.svg", "--seat", 3), "--seat: expected a seat of game 0, from 0 to 2, got 3"),
        ((7, "--out", "x.svg"), "expected the number of one of its games, got 7; it has 0 to 1"),
        (("--out", "x.gif", "--animate", 0), "'--animate': expected a number from 0.05 to 60"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_refused(games, tmp_path, monkeypatch, capsys, arguments, error):
    monkeypatch.chdir(tmp_path)
    assert command("records", "picture", games, *arguments) == 2
    assert error in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_prices_are_those_of_the_outcome(record):
    assert prices_of(record) == [item["price"] for item in record.outcome["items"]]


def test_a_report_writes_the_figures_of_its_games(games, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command("report", games, "--figures", "figures") == 0
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {
        f"{name}.{kind}" for name in ("ranking", "scores", "wins", "prices") for kind in ("svg", "png", "csv")
    }
    with (tmp_path / "figures" / "prices.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == [str(number + 1) for number in range(len(rows))]
    assert all(float(row["price"]) > 0 for row in rows)
    assert command("report", games, "--figures", "figures") == 2
    assert "expected a new folder" in capsys.readouterr().err
