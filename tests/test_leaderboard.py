from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations, islice
from pathlib import Path

import pytest
from aucenv.benchmarks.leaderboard import Settings, honest_bidders, lineups, matches, run

from aucenv.cli import main
from aucenv.records import read_records

AUCENV = Path(sys.executable).with_name("aucenv")


def command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(list(arguments))
    return int(exit_.value.code or 0)


def test_in_a_round_robin_every_set_meets_in_every_seat_on_one_deal():
    sets = {frozenset(lineup) for lineup in combinations(honest_bidders("english"), 3)}
    schedule = matches(Settings(games=3 * len(sets)))
    assert len(schedule) == 3 * len(sets)
    assert {frozenset(match.bidders) for match in schedule} == sets
    seated = Counter((bidder, seat) for match in schedule for seat, bidder in enumerate(match.bidders))
    assert len(set(seated.values())) == 1
    for block in range(0, len(schedule), 3):
        assert len({match.seed for match in schedule[block : block + 3]}) == 1
    assert [match.index for match in schedule] == list(range(len(schedule)))


@pytest.mark.parametrize(("number", "seats"), [(5, 3), (7, 4), (2, 3), (3, 8), (40, 3), (12, 16), (3, 3)])
def test_lineups_let_those_who_played_least_sit_down(number, seats):
    names = [f"b{i}" for i in range(number)]
    drawn = list(islice(lineups(names, seats, random.Random(0)), 30))
    assert all(len(lineup) == seats for lineup in drawn)
    first = drawn[: -(-number // seats)]
    assert {name for lineup in first for name in lineup} >= set(names[: len(first) * seats] if number <= 7 else [])
    times = Counter(name for lineup in drawn for name in set(lineup))
    assert len(times) == number
    assert max(times.values()) - min(times.values()) <= (2 if number <= 7 else 30)


def test_bidders_who_did_not_play_are_named(capsys):
    assert command("leaderboard", "--games", "3") == 0
    assert re.search("too few games for .* to play: raise --games", capsys.readouterr().err)


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
    assert len(several) == 60 * (len(honest_bidders("english")) - 2)
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
    honest = honest_bidders("english")
    assert {row["bidder"] for row in rows} == set(honest)
    assert [row["rank"] for row in rows] == list(range(1, len(honest) + 1))
    assert [row["rating"] for row in rows] == sorted((row["rating"] for row in rows), reverse=True)
    records = list(read_records(out))
    assert [record.index for record in records] == list(range(30))
    profits = [
        result["profit"]
        for record in records
        for who, result in zip(record.seats, record.outcome["seats"], strict=True)
        if who["bidder"] == rows[0]["bidder"]
    ]
    assert rows[0]["games"] == len(profits)
    assert rows[0]["profit_mean"] == pytest.approx(sum(profits) / len(profits))
    done = json.loads((out / "run.json").read_text())
    assert done["settings"]["games"] == 30
    assert done["finished"]
    assert done["versions"]["aucenv"]
    assert (out / "table.md").read_text().count("\n") == len(honest) + 2


def test_a_folder_with_games_is_not_played_into(tmp_path, capsys):
    out = tmp_path / "out"
    assert command("leaderboard", "--games", "3", "--out", str(out)) == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert command("leaderboard", "--games", "3", "--seed", "1", "--out", str(out)) == 2
    assert "expected a folder without results" in capsys.readouterr().err
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


def test_a_failing_bidder_ends_the_command_with_its_traceback(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(MINE.replace("return view.least_bid if", "return 1 / 0 if"))
    out = tmp_path / "out"
    assert command("leaderboard", "--bidder", f"py:{file}:Mine", "--bidder", "rule", "--out", str(out)) == 1
    shown = capsys.readouterr().err
    assert re.search(r"mine\.py.*ZeroDivisionError.*aucenv: py:.*failed at bidder_\d, game \d", shown, re.DOTALL)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("class Mine(:", "SyntaxError"),
        ("raise KeyError('no')", "KeyError: 'no'"),
        (MINE.replace("float(most)", "int('x')"), "ValueError: invalid literal"),
    ],
)
def test_a_file_that_makes_no_bidder_is_named(tmp_path, code, message, capsys):
    file = tmp_path / "mine.py"
    file.write_text(code)
    assert command("leaderboard", "--bidder", f"py:{file}:Mine") == 2
    shown = capsys.readouterr().err
    assert f"cannot make Mine of {file}: {message}" in shown
    assert "Traceback" not in shown


def test_a_bidder_may_be_a_dataclass_or_a_module_of_this_folder(tmp_path, monkeypatch):
    code = "from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass" + MINE
    code = code.replace(
        'interface = "amount"\n\n    def __init__(self, most="2000"):\n        self.most = float(most)',
        'most: str = "9"\n    interface: str = "amount"',
    )
    code = code.replace("<= self.most", "<= float(self.most)")
    (tmp_path / "mine.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    rows = run(Settings(bidders=("py:mine:Mine,most=1500", "rule", "value"), games=3))
    assert len(rows) == 3


def test_labels_do_not_break_tables(tmp_path):
    folder = tmp_path / "[b]|"
    folder.mkdir()
    (folder / "mine.py").write_text(MINE)
    out = tmp_path / "out"
    arguments = ["--bidder", f"py:{folder}/mine.py:Mine", "--bidder", "rule", "--games", "3", "--out", str(out)]
    assert command("leaderboard", *arguments) == 0
    assert (out / "table.md").read_text().count(r"\|") == 1


def test_output_may_be_a_link_or_a_pipe(tmp_path):
    real, link, pipe = tmp_path / "real.json", tmp_path / "link.json", tmp_path / "pipe"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert command("leaderboard", "--games", "3", "--json", str(link)) == 0
    assert link.is_symlink()
    assert json.loads(real.read_text())
    assert real.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert command("leaderboard", "--games", "3", "--json", str(pipe)) == 0
    assert json.loads(reader.communicate()[0])
    assert pipe.is_fifo()
    assert command("leaderboard", "--games", "3", "--json", "/dev/null") == 0
    assert Path("/dev/null").is_char_device()


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
