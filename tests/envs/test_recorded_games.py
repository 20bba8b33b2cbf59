"""Recorded games of the papers: the same bids give the same results; the games' own tests name the sources."""

from __future__ import annotations

import json

import pytest
from paths import DATA
from run_command import command

from aucenv.registration import find_family


def check_english(ours, data):
    assert ours == {"outcome": data["outcome"]}


def check_prizes(ours, data):
    for round_, played in zip(ours["rounds"], data["rounds"], strict=True):
        assert {*round_} == {"winner", "price", "profits"}
        assert round_["winner"] == played["winner"]
        assert [round_["price"], *round_["profits"]] == pytest.approx([played["price"], *played["profits"]], abs=1e-9)


def check_ebay(ours, data):
    assert {*ours} == {"sold", "winner", "price", "days"}
    assert all(ours[name] == data[name] for name in ("sold", "winner", "price"))
    first_bid = False
    for moves, recorded in zip(ours["days"], data["days"], strict=True):
        for mine, move in zip(moves, recorded, strict=True):
            first_bid = first_bid or move["bid"] is not None
            assert mine == {"price": move["price"], "leader": move["leader"] if first_bid else None}


def check_water(ours, data):
    assert {*ours} == {"days", "survivors"}
    assert ours["survivors"] == data["survivors"]
    for mine, day in zip(ours["days"], data["days"], strict=True):
        assert {*mine} == {"winners", "after"}
        assert mine == {name: day.get(name, value) for name, value in mine.items()}  # most records have no `after`


CHECKS = {
    "english": check_english,
    "sealed_bid": check_prizes,
    "clock": check_prizes,
    "ebay": check_ebay,
    "water_allocation": check_water,
}
"""By game: compares what a replay writes with the record."""


def recorded(game: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / f"{game}_replays.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("game", "data"),
    [pytest.param(game, data, id=f"{game}-{data['id']}") for game in CHECKS for data in recorded(game)],
)
def test_recorded_games_agree(game, data):
    replayed = find_family(game).game.files.replay_game(data, "file:1")
    assert replayed.difference is None
    assert replayed.compared
    CHECKS[game]({name: value for name, value in replayed.output.items() if name != "id"}, data)


@pytest.mark.parametrize("game", CHECKS)
def test_the_command_writes_one_line_per_game(game, tmp_path, capsys):
    out, games = tmp_path / "out.jsonl", recorded(game)
    assert not command("replay", "--game", game, DATA / f"{game}_replays.jsonl", "--out", out)
    assert f"{len(games)}/{len(games)} games agree\n" in capsys.readouterr().out
    for line, data in zip(out.read_text().splitlines(), games, strict=True):
        written = json.loads(line)
        assert written.pop("id") == data["id"]
        CHECKS[game](written, data)
