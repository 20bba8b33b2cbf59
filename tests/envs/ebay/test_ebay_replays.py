"""Recorded proxy auctions: the same moves give the same prices, leaders and sales.

The data are 16 auctions of GPT-4o, two of each condition, from Synthetic Labs' logs (github.com/KeHang-Zhu/llm-auction,
MIT): long ones, unsold ones, and one with a bid below the price.
"""

from __future__ import annotations

import copy
import json
import re

import pytest
from paths import DATA

from aucenv.envs.ebay.files import replay_game

GAMES = [json.loads(line) for line in (DATA / "ebay_replays.jsonl").read_text().splitlines()]


def changed(change, closing="hard"):
    data = copy.deepcopy(next(game for game in GAMES if game["closing"] == closing))
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data["days"][3][1].update(price=1), r"day 4, \w+: price recorded 1, our rules give"),
        (lambda data: data["days"][5][2].update(leader="Andy"), r"day 6, \w+: leader recorded Andy, our rules give"),
        (lambda data: data.update(winner="Andy"), "winner recorded Andy, our rules give"),
        (lambda data: data.update(price=98.5), "price recorded 98.5, our rules give"),
        (lambda data: data.update(sold=not data["sold"]), "sold recorded"),
        (lambda data: data.update(days=[*data["days"], data["days"][-1]], announced_days=10), "our rules end the auction"),
        (lambda data: data["days"][-1][0].update(bid=0.5), "below the earlier maximum"),
    ],
)  # fmt: skip
def test_differences_name_the_day_and_the_field(change, words):
    assert re.search(words, replay_game(changed(change), "f").difference)


def test_a_soft_close_that_ends_too_early_is_a_difference():
    assert "our rules continue" in replay_game(changed(lambda data: data["days"].pop(), "soft"), "f").difference


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(days=[]), "days: expected 1 to 20, got 0"),
        (lambda data: data.update(days=[data["days"][0]] * 21), "days: expected 1 to 20, got 21"),
        (lambda data: data.update(seats=["Andy"]), "seats: expected 2 to 10, got 1"),
        (lambda data: data["days"][2][0].update(seat="Zoe"), r"days\[2\]\[0\].seat: expected one of Andy, Betty, Charles"),
        (lambda data: data["days"][2][0].update(seat=data["days"][2][1]["seat"]), r"days\[2\]: expected one move of each"),
        (lambda data: data["days"][2].pop(), r"days\[2\]: expected one move of each of Andy, Betty, Charles, got"),
        (lambda data: data.update(closing="late"), "closing: expected one of hard, soft, got 'late'"),
        (lambda data: data.update(reserve=-1), "reserve: expected a number from 0"),
        (lambda data: data["days"][0][0].update(bid="forty"), r"days\[0\]\[0\].bid"),
        (lambda data: data.update(winner="Zoe"), "winner: expected one of Andy, Betty, Charles, got 'Zoe'"),
        (lambda data: data.update(id=None), "expected the field 'id'"),
    ],
)  # fmt: skip
def test_malformed_records_are_refused_with_their_place(change, words):
    with pytest.raises(ValueError, match=f"^file:7: {words}"):
        replay_game(changed(change), "file:7")


def test_a_bid_below_the_price_is_taken_and_changes_nothing_if_it_is_low():
    moves = [("Ann", 40), ("Ben", 50), ("Cyd", 20), ("Ann", None), ("Ben", None), ("Cyd", 45)]
    days = [[{"seat": seat, "bid": bid} for seat, bid in moves[at : at + 3]] for at in (0, 3)]
    replayed = replay_game({"id": 1, "closing": "hard", "seats": ["Ann", "Ben", "Cyd"], "days": days}, "f")
    assert not replayed.compared
    assert [move["price"] for day in replayed.output["days"] for move in day] == [0, 41, 41, 41, 41, 46]
    assert replayed.output["winner"] == "Ben"


def test_a_recorded_leader_among_equal_maxima_leads():
    days = [[{"seat": "Ben", "bid": 40}, {"seat": "Ann", "bid": 40, "leader": "Ann"}]]
    data = {"id": 1, "closing": "hard", "seats": ["Ann", "Ben"], "days": days}
    assert replay_game(data, "f").output["winner"] == "Ann"
    del days[0][1]["leader"]
    assert replay_game(data, "f").output["winner"] == "Ben"


@pytest.mark.parametrize("leader", ["Ann", None, "", "nobody"])
def test_what_a_record_names_as_leader_before_the_first_bid_is_not_read(leader):
    days = [[{"seat": "Ben", "bid": None, "leader": leader}, {"seat": "Ann", "bid": 40, "leader": "Ann"}]]
    replayed = replay_game({"id": 1, "closing": "hard", "seats": ["Ann", "Ben"], "days": days}, "f")
    assert replayed.difference is None
    assert [move["leader"] for move in replayed.output["days"][0]] == [None, "Ann"]
