"""Recorded games: the same bids give the same winners, prices, budgets and profits."""

from __future__ import annotations

import copy
import json
import re

import pytest
from paths import DATA
from run_command import command

from aucenv.envs.english.files import replay_game

FILE = DATA / "english_replays.jsonl"
GAMES = [json.loads(line) for line in FILE.read_text().splitlines()]


def run(*arguments: str) -> int:
    return command("replay", "--game", "english", *arguments)


@pytest.mark.parametrize("game", GAMES, ids=[game["id"] for game in GAMES])
def test_recorded_games_agree_if_broke_bidders_are_asked_as_in_the_papers_program(game):
    replayed = replay_game({**game, "ask_broke": True}, "file:1")
    assert replayed.difference is None
    assert replayed.output == {"outcome": game["outcome"]}


def test_a_broke_bidder_that_is_not_in_the_record_is_a_difference():
    broke = [
        (number, place, name)
        for number, game in enumerate(GAMES)
        for place, played in enumerate(game["rounds"])
        for name in played["bids"]
        if asked_broke(game, place, name)
    ]
    assert len(broke) > 10
    for number, place, name in broke[:5]:
        game = copy.deepcopy(GAMES[number])
        del game["rounds"][place]["bids"][name]
        assert replay_game(game, "file:1").difference is None
        assert f"also ask ['{name}']" in replay_game({**game, "ask_broke": True}, "file:1").difference


def asked_broke(game: dict, place: int, name: str) -> bool:
    """Return whether a recorded round with other bidders, too, asks a bidder that has spent too much before."""
    played, items = game["rounds"][place], [item["id"] for item in game["items"]]
    before = items[: items.index(played["item"])]
    spent = sum(price for item, price in game["outcome"][name]["won"] if item in before)
    return game["budget"] - spent < game["items"][len(before)]["starting_price"] / 8 and any(
        other != name and bid is not None for other, bid in played["bids"].items()
    )


def with_change(change) -> dict:
    game = copy.deepcopy(GAMES[0])
    change(game)
    return game


def set_at(*path, value):
    def change(game):
        for step in path[:-1]:
            game = game[step]
        game[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (set_at("outcome", "Bidder 1", "profit", value=-1131), "item 8, round .*: profit of Bidder 1 recorded -1131"),
        (
            set_at("outcome", "Bidder 1", "won", value=[[1, 2531]]),
            r"item 1, round 8: recorded Bidder 1 at 2531, our rules give Bidder 1 at 2532",
        ),
        (set_at("rounds", 1, "bids", "Bidder 1", value=1041), r"item 1, round 1: .*refuse.*\$1,041 is below"),
        (set_at("rounds", 1, "bids", "Bidder 1", value=40001), r"item 1, round 1: .*refuse.*\$40,001 is above"),
        (set_at("rounds", 2, "bids", "Bidder 1", value=1400), "item 1, round 2: .*do not ask .'Bidder 1'"),
        (lambda game: game["rounds"][1]["bids"].pop("Bidder 2"), "item 1, round 1: our rules also ask .'Bidder 2'"),
        (
            set_at("rounds", 3, "closed", value=True),
            "item 1, round 3: the record closes the item, our rules continue it",
        ),
        (
            set_at("rounds", 9, "starting_price", value=2000),
            "item 2, round 0: starting price 2000, our rules give 2100",
        ),
        (lambda game: game["rounds"].pop(), "item 8, round .*: the record ends, our rules continue"),
        (lambda game: game["rounds"].pop(2), "item 1, round 3: our rules are at another place: item 1, round 2"),
        (
            set_at("rounds", 8, "closed", value=False),
            "item 1, round 8: our rules close the item, the record continues it",
        ),
        (
            lambda game: game["outcome"]["Bidder 2"]["won"].append([1, 999]),
            "item 1, round 8: recorded Bidder 1 at 2532 and Bidder 2 at 999, our rules give Bidder 1 at 2532",
        ),
        (
            lambda game: game["outcome"]["Bidder 1"]["won"].append([1, 2532]),
            "recorded Bidder 1 at 2532 and Bidder 1 at 2532",
        ),
        (set_at("outcome", "Bidder 1", "won", value=[]), "item 1, round 8: recorded unsold, our rules give Bidder 1"),
    ],
)
def test_the_first_difference_is_named(change, difference, tmp_path, capsys):
    game = with_change(change)
    file = tmp_path / "games.jsonl"
    file.write_text(f"{json.dumps(GAMES[1])}\n{json.dumps(game)}\n")
    assert run(str(file)) == 1
    printed = capsys.readouterr()
    assert "1/2 games agree" in printed.out
    assert "first difference: game auction-000, item" in printed.err
    replayed = replay_game(game, "file:2")

    assert re.search(difference, replayed.difference)


@pytest.mark.parametrize("winner", [0, 1])
def test_a_tie_is_broken_as_recorded(winner):
    names = ["a", "b", "c"]
    other = names[1 - winner]
    game = {
        "id": "tie",
        "bidders": names,
        "budget": 5000,
        "discount": False,
        "min_increment": 0.1,
        "items": [
            {"id": 7, "name": "x", "starting_price": 100, "true_value": 200},
            {"id": 8, "name": "y", "starting_price": 50.5, "true_value": 20},
        ],
        "rounds": [
            {"item": 7, "round": 0, "bids": {"a": 150, "b": 150, "c": 120}},
            {"item": 7, "round": 1, "bids": {other: None, "c": None}, "closed": True},
            {"item": 8, "round": 0, "bids": {"a": 60.25, "b": 60.25, "c": None}},
            {"item": 8, "round": 1, "bids": {other: None}},
        ],
    }
    replayed = replay_game(game, "file:1")
    assert (replayed.difference, replayed.compared) == (None, False)
    assert replayed.output["outcome"][names[winner]] == {
        "profit": 9.75,
        "budget": 4789.75,
        "won": [[7, 150], [8, 60.25]],
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{,", "not JSON"),
        ("[1]", "expected a JSON object, got list"),
        ("{}", "expected the field 'id'"),
        (json.dumps({**GAMES[0], "bidders": ["x"]}), "number of bidders: expected a whole number from 2 to 16, got 1"),
        (json.dumps({**GAMES[0], "bidders": ["x", "x"]}), r"bidders\[1\].name: expected a unique name, got 'x' again"),
        (json.dumps({**GAMES[0], "bidders": "xy"}), "bidders: expected a list, got 'xy'"),
        (json.dumps({**GAMES[0], "bidders": [1, 2]}), r"bidders\[0\]: expected some text, got 1"),
        (json.dumps({**GAMES[0], "budget": -4}), "budget: expected dollars .* got -4"),
        (json.dumps({**GAMES[0], "budget": float("nan")}), "budget: expected a finite number, got NaN"),
        (json.dumps({**GAMES[0], "items": [{"id": 1}]}), "expected the field 'name'"),
        (json.dumps({**GAMES[0], "items": [{**GAMES[0]["items"][0], "id": []}]}), "id: expected a number or text"),
        (json.dumps({**GAMES[0], "rounds": [{"item": 1, "round": 0}]}), "item 1, round 0: expected the field 'bids'"),
        (
            json.dumps({**GAMES[0], "rounds": [{"item": 99, "round": 0, "bids": {}}]}),
            "expected an item of the auction, got 99",
        ),
        (
            json.dumps(with_change(set_at("rounds", 0, "bids", value={"Eve": 5}))),
            "item 1, round 0, bidder: expected one of .* got 'Eve'",
        ),
        (json.dumps(with_change(set_at("rounds", 0, "bids", "Bidder 1", value="5"))), "bid of Bidder 1: .* got '5'"),
        (json.dumps(with_change(set_at("rounds", 0, "bids", "Bidder 1", value=-5))), "bid of Bidder 1: .* got -5"),
        (json.dumps(with_change(set_at("rounds", 0, "round", value="0"))), "round: expected a whole number"),
        (json.dumps(with_change(set_at("rounds", 0, "starting_price", value="7"))), "starting_price: .* got '7'"),
        (json.dumps({**GAMES[0], "outcome": []}), "outcome: expected an object, got"),
        (json.dumps({**GAMES[0], "outcome": {}}), "outcome: expected one for each of Bidder 1, .*got none"),
        (json.dumps(with_change(set_at("outcome", "Eve", value={}))), "outcome: expected one for each of .*Eve"),
        (
            json.dumps(with_change(set_at("outcome", "Bidder 1", value=3))),
            "outcome.*Bidder 1.*: expected an object, got 3",
        ),
        (
            json.dumps(with_change(set_at("outcome", "Bidder 1", "won", value=[[[1], 5]]))),
            "an item of the auction, got",
        ),
        (json.dumps(with_change(set_at("outcome", "Bidder 1", "won", value=[[77, 5]]))), "of the auction, got 77"),
        (json.dumps(with_change(set_at("outcome", "Bidder 1", "won", value=[5]))), r"expected \[item, price\], got 5"),
        (json.dumps(with_change(set_at("outcome", "Bidder 1", "profit", value="5"))), "profit: .* got '5'"),
        (json.dumps(with_change(lambda game: game["outcome"]["Bidder 1"].pop("budget"))), "budget: .* got None"),
        (json.dumps({**GAMES[0], "discount": "no"}), "discount: expected true or false, got 'no'"),
        (
            json.dumps(with_change(set_at("rounds", 0, "closed", value="no"))),
            "closed: expected true or false, got 'no'",
        ),
        (json.dumps(with_change(set_at("rounds", 0, "item", value=True))), "expected an item of the auction, got True"),
        ("[" * 100_000, "not JSON"),
        (json.dumps({**GAMES[0], "id": None}), "expected the field 'id'"),
    ],
)
def test_malformed_lines_are_named_by_file_and_line(line, message, tmp_path, capsys):

    file = tmp_path / "games.jsonl"
    file.write_text(f"{json.dumps(GAMES[1])}\n\n{line}\n")
    out = tmp_path / "out"
    assert run(str(file), "--out", str(out)) == 1
    printed = capsys.readouterr()
    assert printed.out == "1/1 games agree\n"
    (error,) = printed.err.splitlines()
    assert re.match(rf"not replayed: (game auction-000: )?{re.escape(str(file))}:3: ", error), error
    assert re.search(message, error), error
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines[0]["id"] == GAMES[1]["id"]
    assert re.search(message, lines[1]["error"])
    file.write_text(f"{line}\n")
    assert run(str(file), "--out", str(tmp_path / "none")) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert f"{file}:1: " in printed.err
    assert not (tmp_path / "none").exists()


def test_games_after_a_malformed_line_are_replayed(tmp_path, capsys):
    file = tmp_path / "games.jsonl"
    good = [json.dumps(game).encode() for game in GAMES[:3]]
    bad = json.dumps({**GAMES[3], "rounds": 3}).encode()
    file.write_bytes(b"\n".join([b"{", good[0], b"\xff\xfe", good[1], bad, good[2], b"[1]"]) + b"\n")
    assert run(str(file)) == 1
    printed = capsys.readouterr()
    assert printed.out == "3/3 games agree\n"
    starts = [f"{file}:1: not JSON", f"{file}:3: not UTF-8", f"game auction-010: {file}:5: rounds:", f"{file}:7: "]
    lines = [line for line in printed.err.splitlines() if not line.startswith("compiling ")]
    assert len(lines) == len(starts)
    for line, start in zip(lines, starts, strict=True):
        assert line.startswith(f"not replayed: {start}"), line
    file.write_bytes(b"[1]\n" * 25 + good[0])
    assert run(str(file)) == 1
    lines = capsys.readouterr().err.splitlines()
    assert (len(lines), lines[-1]) == (21, "and 5 more")


def test_bids_with_fractions_of_a_cent_are_rounded_and_printed(tmp_path, capsys):
    game = tie({"b": None, "c": None}, {"a": [[7, 105.005]]})
    game["budget"] = 200
    game["rounds"][0]["bids"] = {"a": 105.005, "b": 101, "c": 100.0000000001}
    game["outcome"] = {name: {"profit": 0, "budget": 200, "won": []} for name in "bc"}
    game["outcome"]["a"] = {"profit": 95.095, "budget": 94.995, "won": [[7, 105.005]]}
    file, out = tmp_path / "games.jsonl", tmp_path / "out.jsonl"
    file.write_text(f"{json.dumps(game)}\n")
    assert run(str(file), "--out", str(out)) == 0
    note = "item 7, round 0, bid of a: $105.005 is rounded to $105.01"
    assert capsys.readouterr().out == f"1/1 games agree\ngame tie, {note}\n"
    assert json.loads(out.read_text())["rounded"] == [note]
    game["outcome"]["a"]["profit"] = 95.1
    assert "profit of a recorded 95.1, our rules give 95.09" in replay_game(game, "x").difference


def tie(next_bids: dict, won: dict) -> dict:
    """Return a recorded game in which two bidders tie and nobody can raise; `next_bids` and `won` show who won the tie."""
    rounds = [{"item": 7, "round": 0, "bids": {"a": 105, "b": 105, "c": 100}}]
    if next_bids is not None:
        rounds.append({"item": 7, "round": 1, "bids": next_bids, "closed": True})
    return {
        "id": "tie",
        "bidders": ["a", "b", "c"],
        "budget": 105,
        "min_increment": 0.1,
        "items": [{"id": 7, "name": "x", "starting_price": 100, "true_value": 200.1}],
        "rounds": rounds,
        "outcome": {
            name: {"profit": 95.1 if name in won else 0, "budget": 0 if name in won else 105, "won": won.get(name, [])}
            for name in "abc"
        },
    }


@pytest.mark.parametrize("winner", ["a", "b"])
@pytest.mark.parametrize(
    "evidence", ["nothing follows", "nobody is asked", "the third is asked", "all are listed", "loser"]
)
def test_a_tie_is_broken_as_the_rest_of_the_record_shows(winner, evidence):
    loser = "b" if winner == "a" else "a"
    following = {
        "nothing follows": None,
        "nobody is asked": {},
        "the third is asked": {"c": None},
        "all are listed": dict.fromkeys("abc"),
        "loser": {loser: None, "c": None},
    }[evidence]
    replayed = replay_game(tie(following, {winner: [[7, 105]]}), "file:1")
    assert replayed.difference is None


ITEM = {"id": 7, "name": "x", "starting_price": 100, "true_value": 200}


@pytest.mark.parametrize(
    ("rounds", "difference"),
    [
        (
            [{"a": None, "b": None}, {"a": None, "b": None}],
            "item 7, round 1: our rules are at another place: the auction is over",
        ),
        ([{"a": 100, "b": None}, {"b": None}], "item 7, round 1: our rules are at another place"),
        (
            [{"a": 100, "b": 100}, {"a": None, "b": None}, {"a": None}],
            "item 7, round 2: our rules are at another place",
        ),
    ],
)
def test_rounds_without_bids_that_our_rules_do_not_open_are_differences(rounds, difference):
    game = {"id": 1, "bidders": ["a", "b"], "budget": 1000, "items": [ITEM]}
    game["rounds"] = [{"item": 7, "round": number, "bids": bids} for number, bids in enumerate(rounds)]
    assert difference in (replay_game(game, "file:1").difference or "")


def test_rounds_in_which_nobody_can_pay_agree():
    rounds = [{"a": 100, "b": 100}, {"b": None, "a": None}]
    game = {
        "id": 1,
        "bidders": ["a", "b"],
        "budget": 105,
        "items": [ITEM, {**ITEM, "id": 8, "name": "y", "starting_price": 500}],
    }
    game["rounds"] = [{"item": 7, "round": number, "bids": bids} for number, bids in enumerate(rounds)]
    game["rounds"] += [
        {"item": 8, "round": number, "starting_price": price, "bids": {"a": None, "b": None}}
        for number, price in enumerate([500, 250, 125])
    ]
    assert replay_game(
        {**game, "discount": True, "rounds": [*game["rounds"], {"item": 8, "round": 3, "bids": {"a": None}}]}, "x"
    )
    assert "round 1: our rules are at another place" in replay_game({**game, "discount": False}, "x").difference


def test_dollars_are_compared_as_cents():
    game = tie(None, {"a": [[7, 105]]})
    game["outcome"]["a"]["profit"] = 31.7 * 3 + 1e-13
    assert game["outcome"]["a"]["profit"] != 95.1
    assert replay_game(game, "file:1").difference is None


def test_files_may_begin_with_a_byte_order_mark_and_must_be_utf8(tmp_path, capsys):
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + FILE.read_bytes())
    assert run(str(file)) == 0
    file.write_bytes(FILE.read_bytes() + b"\xff\xfe\n")
    assert run(str(file)) == 1
    assert f"{file}:{len(GAMES) + 1}: not UTF-8" in capsys.readouterr().err


def test_an_empty_file_is_an_error(tmp_path, capsys):
    file = tmp_path / "games.jsonl"
    file.write_text("\n")
    assert run(str(file)) == 2
    assert "got an empty file" in capsys.readouterr().err


def test_files_that_cannot_be_read_or_written_are_named(tmp_path, capsys):
    assert run(str(tmp_path / "none.jsonl")) == 2
    assert "none.jsonl" in capsys.readouterr().err
    assert run(str(FILE), "--out", str(tmp_path / "no" / "folder")) == 2
    assert "expected a file in an existing folder" in capsys.readouterr().err
