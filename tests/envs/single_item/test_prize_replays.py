"""Recorded sealed-bid and clock auctions: the same bids give the same winners, prices and profits.

The data are Synthetic Labs' logs (github.com/KeHang-Zhu/llm-auction, MIT): one session of each kind of sealed-bid
auction, the sealed-bid sessions with cents, and all clock auctions.
"""

from __future__ import annotations

import copy
import json

import pytest
from paths import DATA

from aucenv.envs.clock.files import replay_game as replay_clock
from aucenv.envs.sealed_bid.files import replay_game as replay_sealed

REPLAYS = {"sealed_bid": replay_sealed, "clock": replay_clock}
GAMES = [
    pytest.param(game, json.loads(line), id=f"{game}-{number}")
    for game in REPLAYS
    for number, line in enumerate((DATA / f"{game}_replays.jsonl").read_text().splitlines())
]
RESULT_FIELDS = ("winner", "price", "profits")


def changed(game: str, change) -> dict:
    data = copy.deepcopy(next(param.values[1] for param in GAMES if param.values[0] == game))
    change(data)
    return data


@pytest.mark.parametrize("game", list(REPLAYS))
def test_differences_name_round_and_field(game):
    def loser_wins(data):
        data["rounds"][1]["winner"] = (data["rounds"][1]["winner"] + 1) % 3

    def another_price(data):
        data["rounds"][2]["price"] += 1

    def another_profit(data):
        data["rounds"][0]["profits"][0] -= 0.5

    for change, words in (
        (loser_wins, "round 1: winner recorded"),
        (another_price, "round 2: price recorded"),
        (another_profit, "round 0: profits recorded"),
    ):
        assert words in REPLAYS[game](changed(game, change), "f").difference


@pytest.mark.parametrize("game", list(REPLAYS))
def test_bids_alone_are_replayed_but_not_compared(game):
    def without_results(data):
        for played in data["rounds"]:
            for name in RESULT_FIELDS:
                del played[name]

    replayed = REPLAYS[game](changed(game, without_results), "f")
    assert not replayed.compared
    assert len(replayed.output["rounds"]) > 1


@pytest.mark.parametrize("game", list(REPLAYS))
def test_bids_with_fractions_of_a_cent_are_rounded(game):
    bids = {"sealed_bid": [20, 30.125, 10], "clock": [20.125, 40, 10]}[game]
    played = {"values": [50, 60, 70], "common": 0, "bids": bids, "winner": 1}
    price = 30.125 if game == "sealed_bid" else 20.125
    played |= {"price": price, "profits": [0, 60 - price, 0]}
    data = {"id": 1, "values": "ipv", "rounds": [{**played, "bids": [1, 2, 0], "winner": 1}, played]}
    data["rounds"][0] |= {"price": 2 if game == "sealed_bid" else 1}
    data["rounds"][0]["profits"] = [0, 58 if game == "sealed_bid" else 59, 0]
    data |= {"pricing": "first"} if game == "sealed_bid" else {}
    replayed = REPLAYS[game](data, "f")
    assert replayed.difference is None
    seat = 1 if game == "sealed_bid" else 0
    assert replayed.rounded == (f"rounds[1]: bid {seat}: ${price} is rounded to ${price + 0.005:.2f}",)
    data["rounds"][0]["profits"][1] += 0.005
    assert "round 0: profits recorded" in REPLAYS[game](data, "f").difference


def setting(*path, value):
    def change(data):
        for step in path[:-1]:
            data = data[step]
        if value is KeyError:
            del data[path[-1]]
        else:
            data[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (setting("id", value=KeyError), "f: expected the field 'id'"),
        (setting("values", value="xyz"), "f: values: expected one of ipv, apv, cv, got 'xyz'"),
        (setting("rounds", value=[]), "f: rounds: expected at least 1, got none"),
        (setting("rounds", 0, value=7), r"f: rounds\[0\]: expected an object, got 7"),
        (setting("rounds", 1, "values", value=[1, 2]), r"f: rounds\[1\]: values: expected 3 to 3, got 2"),
        (setting("rounds", 0, "values", value=[1, "x", 2]), r"f: rounds\[0\]: values: expected a number"),
        (
            setting("rounds", 0, "bids", value=[1, 2]),
            r"f: rounds\[0\]: bids: expected one for each of 3 bidders, got 2",
        ),
        (
            setting("rounds", 0, "bids", 0, value=-3),
            r"f: rounds\[0\]: bids: expected dollars between 0 and 1,000,000,000, got -3",
        ),
        (
            setting("rounds", 0, "winner", value=3),
            r"f: rounds\[0\]: winner: expected null or a number from 0 to 2, got 3",
        ),
        (setting("rounds", 0, "price", value="9"), r"f: rounds\[0\]: price: expected a number"),
        (setting("rounds", 0, "profits", value=[0]), r"f: rounds\[0\]: profits: expected one for each of 3 bidders"),
    ],
)
@pytest.mark.parametrize("game", list(REPLAYS))
def test_malformed_records_raise_errors_that_name_the_field(game, change, message):
    with pytest.raises(ValueError, match=message):
        REPLAYS[game](changed(game, change), "f")
