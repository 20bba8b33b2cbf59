from __future__ import annotations

import dataclasses
import re

from run_command import command
from tables import Wild, scenario_of

import aucenv
from aucenv.analysis.agents.transcript import transcript
from aucenv.core.defaults.modules import DecisionTranscript


def test_a_transcript_shows_every_bid():
    record = aucenv.play(
        "english", scenario_of([1000, 500, 9e6], values=[1500, 400, 1]), ["rule,k=1", "rule,k=2", "value"]
    )
    text = "\n".join(transcript(record))
    assert "bidder_1: b1 (rule,k=2), budget $20,000, wants profit." in text
    assert "1. item 0: starting price $1,000. Estimates: b0 $1,650, b1 $1,650, b2 $1,650." in text
    first = next(line for line in text.splitlines() if line.startswith("  round 1: b0 $1,000; b1 $1,000; b2 $1,000; "))
    second = [decision["seat"] for decision in record.decisions if (decision["item"], decision["round"]) == (0, 1)]
    (leader,) = {"bidder_0", "bidder_1", "bidder_2"} - set(second)
    assert first.endswith(f"; tie: b{leader[-1]} leads")
    assert "not sold: nobody could pay" in text
    for item in record.outcome["items"][:2]:
        name = record.seats[int(item["winner"][-1])]["name"]
        assert f"SOLD to {name} for ${item['price']:,}" in text
    for player, result in zip(record.seats, record.outcome["seats"], strict=True):
        left = f"${result['budget_left']:,} left."
        assert re.search(rf"{player['name']} \({player['bidder']}\): profit .*{re.escape(left)}", text)
        last_budgets = [line for line in text.splitlines() if line.startswith("  left:")][-1]
        assert f"{player['name']} {left.split()[0]}" in last_budgets


def test_a_transcript_shows_refusals():
    record = aucenv.play("english", scenario_of([1000.0] * 4), [Wild(), Wild(), Wild()], 1, max_retries=1)
    text = "\n".join(transcript(record))
    assert "is below the least legal bid of" in text
    assert "is out of tries" in text


def test_a_transcript_shows_a_truncation():
    record = aucenv.play("english", "standard-20k-random", ["rule"] * 3, 1, max_rounds=2)
    lines = list(transcript(record))
    assert "The auction was truncated after 2 rounds." in lines
    assert "  not decided when the auction was truncated" in lines
    assert "  not sold" not in lines
    assert "Alex (rule): profit $0, 0 items, $20,000 left." in lines


def test_one_thing_is_not_many_things():
    record = aucenv.play("english", scenario_of([1000], values=[1500]), ["value", "rule", "rule"], 4, max_rounds=1)
    assert "The auction was truncated after 1 round." in list(transcript(record))
    sold = "\n".join(transcript(aucenv.play("english", scenario_of([1000], values=[1500]), ["value", "rule", "rule"])))
    assert sold.count(", 1 item, ") == 1
    assert "1 items" not in sold
    once = list(transcript(aucenv.play("sealed_bid", "first-ipv-once", ["truthful", "shade", "naive"], 0)))
    assert once[0] == "Game 0 of sealed_bid, scenario first-ipv-once, seed 0."
    assert "The game terminated after 1 round." in once
    assert [line.endswith(", 1 prize.") for line in once[-3:]] == [True, False, False]
    assert once[-5 - 3].startswith("  bids: Andy $")


def test_the_seed_of_a_game_of_a_run_names_its_deal():
    record = aucenv.play("sealed_bid", "first-ipv-once", ["truthful", "shade", "naive"], [3, 7])
    assert next(transcript(record)) == "Game 0 of sealed_bid, scenario first-ipv-once, seed 3, deal 7."


def test_the_transcript_of_a_game_without_one_has_rounds_units_and_singulars():
    played = aucenv.play("sealed_bid", "first-ipv,num_rounds=2", ["truthful", "shade", "naive"], 0)
    facts = {"winners": [played.seats[0]["name"], None], "units": [1, 2], "seats": played.outcome["seats"]}
    record = dataclasses.replace(played, deal={"prices": [6, 6.5], "seats": []}, outcome=facts)
    lines = list(DecisionTranscript("profit").transcript(record))
    first, second = (line for line in lines if line.startswith("Round") and "price" in line)
    assert first == "Round 1: price $6, winner Andy, unit 1."
    assert second == "Round 2: price $6.50, no winner, unit 2."
    assert lines[3].startswith("Round 1: Andy $")
    of_items = dataclasses.replace(record, scenario={"name": "two-items"})
    assert "Item 2: price $6.50, no winner, unit 2." in list(DecisionTranscript("profit").transcript(of_items))


def test_watch_plays_and_prints_a_game(capsys):
    assert command("watch", "--seed", "3", "--set", "num_items=2") == 0
    first = capsys.readouterr().out
    assert "SOLD" in first or "not sold" in first
    assert "seed 3" in first
    assert command("watch", "--seed", "3", "--set", "num_items=2") == 0
    assert capsys.readouterr().out == first
    assert (
        command("watch", "--bidder", "rule", "--bidder", "x=value", "--bidder", "random", "--set", "budget=9000") == 0
    )
    assert "(x=value), budget $9,000" in capsys.readouterr().out
    assert command("watch", "--bidder", "rule") == 2
    assert "expected one for each of 3 seats, got 1" in capsys.readouterr().err


def test_records_are_listed_and_shown(tmp_path, capsys):
    out = tmp_path / "out"
    assert command("leaderboard", "--games", "6", "--out", str(out)) == 0
    capsys.readouterr()
    assert command("records", "list", str(out)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(6))
    assert {tuple(line.split()[1:3]) for line in lines} == {("standard-20k-random", "terminated")}
    assert command("records", "show", str(out), "4") == 0
    assert capsys.readouterr().out.startswith("Game 4 of english")
    assert command("records", "show", str(out), "6") == 2
    assert "expected the number of one of its games, got 6; it has 0 to 5" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "games.jsonl").touch()
    assert command("records", "show", str(tmp_path / "empty")) == 2
    assert "expected a finished game, but there is none yet" in capsys.readouterr().err
    assert command("records", "list", str(tmp_path / "empty")) == 0
    assert capsys.readouterr().err == f"{tmp_path / 'empty'}: no game is finished\n"
    assert command("records", "list", str(tmp_path / "none")) == 2
    assert "none" in capsys.readouterr().err
