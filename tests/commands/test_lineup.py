"""Files of settings, and the other files that a command writes."""

from __future__ import annotations

import csv
import io
import json

import pytest
from run_command import command

from aucenv.core.files import to_csv
from aucenv.runs.records import read_records

CHANGES = ["num_items=2", "budget=9000"]
LINEUP = {"bidders": ["a=rule", "value", "pace"], "games": 6, "set": CHANGES, "seed": 3, "max_cost": 1}


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_saved_lineup_plays_the_same_games(suffix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lineup.json").write_text(json.dumps(LINEUP))
    saved = f"saved.{suffix}"
    assert command("leaderboard", "--config", "lineup.json", "--out", "first", "--save-config", saved) == 0
    assert command("leaderboard", "--config", saved, "--out", "second") == 0
    assert (tmp_path / "first" / "games.jsonl").read_bytes() == (tmp_path / "second" / "games.jsonl").read_bytes()
    settings = json.loads((tmp_path / "second" / "run.json").read_text())["settings"]
    assert settings["bidders"] == LINEUP["bidders"]
    assert (settings["changes"], settings["games"]) == (CHANGES, 6)


def test_options_override_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lineup.json").write_text(json.dumps(LINEUP))
    assert command("leaderboard", "--config", "lineup.json", "--seed", "8", "--bidder", "drain", "--out", "out") == 0
    settings = json.loads((tmp_path / "out" / "run.json").read_text())["settings"]
    assert (settings["seed"], settings["bidders"], settings["changes"]) == (8, ["drain"], CHANGES)


def test_quick_plays_two_deals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bidders = [word for name in LINEUP["bidders"] for word in ("--bidder", name)]
    assert command("leaderboard", "--quick", "--set", "num_items=1", *bidders, "--out", "out") == 0
    seeds = [tuple(record.seed) for record in read_records("out")]
    assert len(seeds) == 6
    assert len(set(seeds)) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bidder": ["rule"]}, "lineup.json: bidder: expected only the fields game, bidders"),
        ({"bidders": "rule"}, "lineup.json: bidders: expected a list of at least 1, got 'rule'"),
        ({"bidders": ["rule", 3]}, "lineup.json: bidders[1]: expected some text, got 3"),
        ({"bidders": []}, "lineup.json: bidders: expected a list of at least 1, got 0"),
        ({"seats": 3}, "lineup.json: seats: expected only the fields game, bidders"),
        ({"games": 0}, "lineup.json: games: expected a whole number from 1 to 1,000,000,000, got 0"),
        ({"games": True}, "lineup.json: games: expected a whole number from 1 to 1,000,000,000, got True"),
        ({"max_cost": -1}, "lineup.json: max_cost: expected a number from 0"),
        ({"set": {"budget": 5}}, "lineup.json: set: expected a list"),
        ({"format": "standrd"}, "'--format': expected one of round-robin, standard, got 'standrd'"),
        ({"game": "englsh"}, "--game: expected one of english"),
        ({"on_model_failure": "x"}, "'--on-model-failure': expected one of stop, forfeit, got 'x'"),
    ],
)
def test_wrong_fields_are_named(change, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lineup.json").write_text(json.dumps(LINEUP | change))
    assert command("leaderboard", "--config", "lineup.json", "--out", "out") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["[1]", "a: [", "3", "1: 2", "a: !!python/object:os.system x"])
def test_other_yaml_is_refused(text, tmp_path, capsys):
    file = tmp_path / "lineup.yaml"
    file.write_text(text)
    assert command("leaderboard", "--config", str(file)) == 2
    assert str(file) in capsys.readouterr().err


def test_csv_has_a_column_for_each_value():
    rows = [
        {"bidder": 'a,"b"', "duels": {"x": {"wins": 1}}, "samples": [1, 2], "low": None},
        {"bidder": "c", "more": 1},
    ]
    read = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert read[0] == {"bidder": 'a,"b"', "duels.x.wins": "1", "samples": "[1, 2]", "low": "", "more": ""}
    assert read[1]["more"] == "1"
    assert to_csv([]) == "\n"
