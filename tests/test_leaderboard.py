from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from aucenv.benchmarks.leaderboard import Settings, honest_bidders, matches, run

from aucenv.cli import main
from aucenv.records import read_records

AUCENV = Path(sys.executable).with_name("aucenv")


def command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(list(arguments))
    return int(exit_.value.code or 0)


def test_in_a_round_robin_every_set_meets_in_every_seat_on_one_deal():
    schedule = matches(Settings(games=30))
    assert len(schedule) == 30
    assert {frozenset(match.bidders) for match in schedule} == {
        frozenset(lineup) for lineup in combinations(honest_bidders("english"), 3)
    }
    seated = Counter((bidder, seat) for match in schedule for seat, bidder in enumerate(match.bidders))
    assert set(seated.values()) == {6}
    for block in range(0, 30, 3):
        assert len({match.seed for match in schedule[block : block + 3]}) == 1
    assert [match.index for match in schedule] == list(range(30))


@pytest.mark.parametrize(("games", "seats", "played"), [(1, 3, 3), (30, 3, 30), (31, 3, 33), (10, 5, 10), (11, 4, 12)])
def test_games_are_rounded_up_to_whole_rotations(games, seats, played):
    assert len(matches(Settings(games=games, seats=seats))) == played


def test_too_few_bidders_sit_more_than_once():
    schedule = matches(Settings(bidders=("rule", "value"), games=6))
    assert {tuple(sorted(match.bidders)) for match in schedule} == {
        ("rule", "rule", "value"),
        ("rule", "value", "value"),
    }


def test_the_standard_format_is_the_papers():
    schedule = matches(Settings(bidders=("rule", "value", "pace"), format="standard"))
    assert len(schedule) == 60
    settings = Counter(match.scenario.name for match in schedule)
    assert len(settings) == 6
    assert set(settings.values()) == {10}
    assert {bidder.budget for match in schedule for bidder in match.scenario.bidders} == {20_000, 40_000}
    assert all(set(match.bidders) == {"rule", "value", "pace"} for match in schedule)
    for seats in (schedule, [match for match in schedule if match.scenario.name == "standard-20k-random"]):
        first = Counter(match.bidders[0] for match in seats)
        assert max(first.values()) - min(first.values()) <= 1
    several = matches(Settings(format="standard"))
    assert len(several) == 180
    assert all({"rule", "value"} < set(match.bidders) for match in several)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(game="chess"), "game: expected one of english, got 'chess'"),
        (Settings(bidders=("rule", "rul")), r"expected one of rule, .*got 'rul'"),
        (Settings(bidders=("a=rule", "a=value")), "bidders: expected no duplicates, got a more than once"),
        (Settings(format="knockout"), "format: expected one of round-robin, standard, got 'knockout'"),
        (Settings(scenario="nowhere"), "scenario: expected one of standard-10k-random, .*got 'nowhere'"),
        (Settings(items=0), "num_items: expected a whole number from 1 to 10, got 0"),
        (Settings(budget=0), "budget: expected dollars .*got 0"),
        (Settings(budget=float("nan")), "got nan"),
        (Settings(seats=1), "num_bidders: expected a whole number from 2 to 16, got 1"),
        (Settings(games=0), "games: expected a whole number of at least 1, got 0"),
        (Settings(seed=-1), "seed: expected a whole number of at least 0, got -1"),
        (Settings(format="standard", bidders=("rule", "value")), "two baselines and at least 1 challenger"),
        (Settings(format="standard", budget=5), "budget cannot be chosen"),
        (Settings(format="standard", scenario="niche-10k"), "scenario cannot be chosen"),
        (Settings(format="standard", seats=4), "expected 3 seats, got 4"),
    ],
)
def test_bad_settings(settings, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        run(settings, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_results_folder_holds_everything_and_the_table_follows_from_it(tmp_path, capsys):
    out, table = tmp_path / "out", tmp_path / "table.json"
    assert command("leaderboard", "--games", "30", "--out", str(out), "--json", str(table), "--seed", "4") == 0
    assert "rating" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == ["games.jsonl", "run.json", "table.json", "table.md"]
    rows = json.loads((out / "table.json").read_text())
    assert rows == json.loads(table.read_text())
    assert list(rows[0]) == [
        "bidder", "rank", "rating", "profit_mean", "profit_ratio", "items_mean", "failed_bid_rate", "games",
    ]  # fmt: skip
    assert {row["bidder"] for row in rows} == set(honest_bidders("english"))
    assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["rating"] for row in rows] == sorted((row["rating"] for row in rows), reverse=True)
    records = list(read_records(out))
    assert [record.index for record in records] == list(range(30))
    profits = [
        result["profit"]
        for record in records
        for who, result in zip(record.seats, record.outcome["seats"], strict=True)
        if who["bidder"] == rows[0]["bidder"]
    ]
    assert rows[0]["games"] == len(profits) == 18
    assert rows[0]["profit_mean"] == pytest.approx(sum(profits) / len(profits))
    done = json.loads((out / "run.json").read_text())
    assert done["settings"]["games"] == 30
    assert done["finished"]
    assert done["versions"]["aucenv"]
    assert (out / "table.md").read_text().count("\n") == 7


def test_a_folder_with_games_is_not_played_into(tmp_path, capsys):
    out = tmp_path / "out"
    assert command("leaderboard", "--games", "3", "--out", str(out)) == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert command("leaderboard", "--games", "3", "--seed", "1", "--out", str(out)) == 2
    assert "expected a folder without games" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_unwritable_output_is_named_before_a_game_is_played(tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("")
    for arguments in (["--out", str(file)], ["--out", str(file / "below")], ["--json", str(tmp_path / "no" / "x")]):
        assert command("leaderboard", "--games", "3", *arguments) == 2
        shown = capsys.readouterr()
        assert str(tmp_path) in shown.err
        assert "rank" not in shown.out
    assert command("leaderboard", "--games", "3", "--json", str(tmp_path)) == 2


def test_same_seed_same_bytes_for_any_workers_and_hash_seed(tmp_path):
    files = []
    for workers, hash_seed in (("1", "0"), ("2", "1"), ("3", "2")):
        out = tmp_path / workers
        arguments = ["leaderboard", "--games", "60", "--seed", "3", "--workers", workers, "--out", str(out)]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        subprocess.run([AUCENV, *arguments], check=True, env=environment, capture_output=True)
        files.append([(out / name).read_bytes() for name in ("games.jsonl", "table.json", "table.md")])
    assert files[0] == files[1] == files[2]


MINE = """
class Mine:
    interface = "amount"

    def __init__(self, most="2000"):
        self.most = float(most)

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return view.least_bid if view.least_bid <= self.most else -1

    def close_game(self, view):
        pass
"""


def test_a_bidder_from_a_file_plays_in_several_processes(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    rows = run(Settings(bidders=(f"mine=py:{file}:Mine,most=1500", "rule", "value"), games=12), workers=2)
    assert {row["bidder"] for row in rows} == {"mine", "rule", "value"}


def test_the_command_lists_envs_and_bidders(capsys):
    assert command("envs") == 0
    shown = capsys.readouterr().out
    assert "aucenv.english_v0" in shown
    assert "niche-30k" in shown
    assert command("bidders") == 0
    shown = capsys.readouterr().out
    for name in (*honest_bidders("english"), "oracle", "Cheats", "py:"):
        assert name in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["leaderboard", "--game", "chess"], "game: expected one of english, got 'chess'"),
        (["leaderboard", "--bidder", "rule,q=1"], "parameter: expected one of k, got 'q'"),
        (["leaderboard", "--workers", "0"], "workers: expected a whole number of at least 1, got 0"),
        (["replay", "--game", "chess", "x"], "got 'chess'"),
        (["bidders", "--game", "chess"], "got 'chess'"),
        (["leaderbord"], "leaderbord"),
        (["leaderboard", "--format", "knockout"], "knockout"),
    ],
)
def test_bad_commands_are_one_clear_error(arguments, message, capsys):
    assert command(*arguments) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
