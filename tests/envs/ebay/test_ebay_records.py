"""Records of proxy auctions: moves, figures, transcripts and texts, which never show the maxima of others."""

from __future__ import annotations

import json

import pytest

import aucenv
from aucenv.core.play.table import Table
from aucenv.envs.ebay.figures import FIGURES, agent_tables, moves_of, seat_figures
from aucenv.envs.ebay.game import EbayScenario
from aucenv.envs.ebay.transcript import transcript
from aucenv.runs.records import replay

BIDDERS = ["truthful", "incremental,steps=4", "random,chance=0.4"]


@pytest.fixture(scope="module")
def record():
    scenario = EbayScenario("three-rounds", num_rounds=3, closing="soft", reserve=50, days=4)
    return aucenv.play("ebay", scenario, BIDDERS, seed=11)


def test_moves_of_a_record_are_those_of_the_table(record):
    table = Table(aucenv.ebay_v0.game, aucenv.ebay_v0.game.load_scenario(record.scenario), ["amount"] * 3)
    assert replay(record) is not None
    table.reset(tuple(record.seed))
    for j in range(3):
        expected = moves_of(record, j)
        for number, move in enumerate(expected):
            [seat] = table.pending
            decision = next(one for one in record.decisions if (one["item"], one["round"]) == (j, number))
            table.submit(seat, -1 if decision["amount"] is None else decision["amount"])
            row = table.state[0]
            leader = int(row["leader_after"][number])
            assert move.price == row["price_after"][number] / 100
            assert move.leader == (None if leader < 0 else f"bidder_{leader}")
            assert (move.raised, move.seat) == (bool(row["raised"][number]), f"bidder_{seat}")
            assert move.day == number // 3 + 1
        assert expected[-1].day == record.outcome["prizes"][j]["days"]
        assert expected[-1].leader == record.outcome["prizes"][j]["leader"]


def test_the_record_of_an_unsold_prize_has_its_leader():
    table = Table(aucenv.ebay_v0.game, EbayScenario("reserved", num_bidders=2, days=1, reserve=60), ["amount"] * 2)
    table.reset(3)
    moved = []
    for maximum in (30, 40):
        moved += table.pending
        table.submit(moved[-1], maximum)
    [prize] = table.game.record_format.OUTCOME.data(table.view(0, reveal=True))["prizes"]
    assert (prize["winner"], prize["price"], prize["revenue"], prize["days"]) == (None, None, 0, 1)
    assert prize["leader"] == f"bidder_{moved[1]}"
    assert [prize["bids"][seat] for seat in moved] == [30, 40]


def test_figures_by_hand(record):
    figures = {seat.seat: seat for seat in seat_figures(record)}
    prizes = record.outcome["prizes"]
    for number, seat in enumerate(record.seats):
        mine = figures[seat["seat"]]
        moves = [
            (move, prizes[j]["days"]) for j in range(3) for move in moves_of(record, j) if move.seat == seat["seat"]
        ]
        assert mine.bid_days == tuple((move.day, days) for move, days in moves if move.raised)
        values = record.deal["seats"][number]["values"]
        ratios = [prize["bids"][number] / value for prize, value in zip(prizes, values, strict=True) if prize["bids"][number] is not None and value]  # fmt: skip
        assert FIGURES["bid_per_value"](mine) == (pytest.approx(sum(ratios)), len(ratios))
        assert FIGURES["sold"](mine) == (sum(prize["winner"] is not None for prize in prizes), 3)
        assert FIGURES["bids_on_last_day"](mine)[0] == sum(day == last for day, last in mine.bid_days)
    ratios, by_day = agent_tables([record])
    assert ratios.headings == ("bidder", "three-rounds")
    assert by_day.headings[:3] == ("bidder", "scenario", "1")
    assert by_day.lines[0][2] == f"{sum(day == 1 for day, _ in figures['bidder_0'].bid_days) / 3:.2f}"


def test_the_transcript_has_each_day_and_the_result(record):
    lines = list(transcript(record))
    days = [line for line in lines if line.startswith("  day ")]
    assert len(days) == sum(prize["days"] for prize in record.outcome["prizes"])
    assert "price $" in days[0]
    assert any("holds" in line for line in days)
    for prize in record.outcome["prizes"]:
        names = {player["seat"]: player["name"] for player in record.seats}
        result = "  not sold" if prize["winner"] is None else f"  {names[prize['winner']]} wins at ${prize['price']:g}"
        assert result in lines


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("prizes", 0, "leader"), "bidder_9", "outcome.prizes[0].leader: expected one of bidder_0, bidder_1, bidder_2"),
        (("prizes", 0, "days"), 3, "outcome.prizes[0].days: expected 4 to 20, got 3"),
        (("prizes", 0, "days"), 21, "outcome.prizes[0].days: expected 4 to 20, got 21"),
        (("prizes", 0, "leader"), None, "outcome.prizes[0].leader: expected one of"),
    ],
)
def test_a_changed_outcome_is_refused_with_its_place(record, path, value, words, tmp_path):
    data = json.loads(record.to_json())
    *path, last = path
    place = data["outcome"]
    for key in path:
        place = place[key]
    place[last] = value
    (tmp_path / "games.jsonl").write_text(json.dumps(data) + "\n")
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is compared below
        list(aucenv.read_records(tmp_path / "games.jsonl"))
    assert words in str(error.value)


def test_a_truncated_game_has_the_order_of_its_last_day():
    record = aucenv.play("ebay", "hard", BIDDERS, seed=2, max_rounds=4)
    table = Table(aucenv.ebay_v0.game, aucenv.ebay_v0.game.load_scenario("hard"), ["amount"] * 3)
    table.reset(tuple(record.seed))
    for decision in record.decisions:
        [seat] = table.pending
        table.submit(seat, -1 if decision["amount"] is None else decision["amount"])
    assert record.outcome["order"] == [f"bidder_{seat}" for seat in table.state["order"][0, :3]]
    assert record.outcome["order"][0] == record.decisions[-1]["seat"]
    assert "  not decided when the game was truncated" in transcript(record)
