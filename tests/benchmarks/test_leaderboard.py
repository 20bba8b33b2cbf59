from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from itertools import combinations, islice
from pathlib import Path

import pytest
from aucenv.benchmarks.rankings.leaderboard import Settings, chosen_bidders, honest_bidders, lineups, matches, run
from clusters import finish, start
from run_command import command

import aucenv
from aucenv.envs.english.game import SCENARIOS
from aucenv.registration import FAMILIES
from aucenv.runs.records import read_records
from aucenv.runs.results import ResultsFolder
from aucenv.runs.run_options import RunOptions

AUCENV = Path(sys.executable).with_name("aucenv")


def test_in_a_round_robin_every_set_meets_in_every_seat_on_one_deal():
    sets = {frozenset(lineup) for lineup in combinations(chosen_bidders(Settings()), 3)}
    schedule = matches(Settings(games=3 * len(sets)))
    assert len(schedule) == 3 * len(sets)
    assert {frozenset(match.bidders) for match in schedule} == sets
    seated = Counter((bidder, seat) for match in schedule for seat, bidder in enumerate(match.bidders))
    assert len(set(seated.values())) == 1
    for block in range(0, len(schedule), 3):
        assert len({match.seed for match in schedule[block : block + 3]}) == 1
    assert [match.index for match in schedule] == list(range(len(schedule)))


@pytest.mark.parametrize(("number", "seats"), [(5, 3), (7, 4), (2, 3), (3, 8), (40, 3), (12, 16), (3, 3)])
def test_bidders_who_played_least_play_next(number, seats):
    names = [f"b{i}" for i in range(number)]
    drawn = list(islice(lineups(names, seats, random.Random(0)), 30))
    assert all(len(lineup) == seats for lineup in drawn)
    first = [name for lineup in drawn[: number // seats] for name in lineup]
    assert len(set(first)) == len(first)  # nobody plays twice before all others have played
    times = Counter(name for lineup in drawn for name in set(lineup))
    assert len(times) == number
    assert max(times.values()) - min(times.values()) <= (2 if number <= 7 else 3)


def test_bidders_that_did_not_play_are_reported(capsys):
    assert command("leaderboard", "--games", "3") == 0
    assert re.search("too few games to include .*: raise --games", capsys.readouterr().err)


@pytest.mark.parametrize(("games", "seats", "played"), [(1, 3, 3), (30, 3, 30), (31, 3, 33), (10, 5, 10), (11, 4, 12)])
def test_games_are_rounded_up_to_whole_rotations(games, seats, played):
    assert len(matches(Settings(games=games, changes=(f"num_bidders={seats}",)))) == played


def test_with_fewer_bidders_than_seats_some_play_several_seats():
    schedule = matches(Settings(bidders=("rule", "value"), games=6))
    assert {tuple(sorted(match.bidders)) for match in schedule} == {
        ("rule", "rule", "value"),
        ("rule", "value", "value"),
    }


def test_a_bidder_in_all_seats_plays_each_deal_once():
    schedule = matches(Settings(game="sealed_bid", bidders=("truthful",), games=6))
    assert len(schedule) == len({match.seed for match in schedule}) == 6
    schedule = matches(Settings(bidders=("rule", "value"), games=300, changes=("num_bidders=4",)))
    played = Counter((match.seed, match.bidders) for match in schedule)
    assert set(played.values()) == {1}
    assert ("rule", "value", "rule", "value") in {match.bidders for match in schedule}


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
    assert len(several) == 60 * (len(chosen_bidders(Settings())) - 2)
    assert all({"rule", "value"} < set(match.bidders) for match in several)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            Settings(game="chess"),
            "game: expected one of english, harbor, sealed_bid, clock, ebay, water_allocation, got 'chess'",
        ),
        (Settings(bidders=("rule", "rul")), r"expected one of rule, .*got 'rul'"),
        (Settings(bidders=("a=rule", "a=value")), "bidders: expected no duplicates, got a more than once"),
        (Settings(format="knockout"), "format: expected one of round-robin, standard, got 'knockout'"),
        (Settings(scenario="nowhere"), "scenario: expected one of standard-10k-random, .*got 'nowhere'"),
        (Settings(changes=("num_items=0",)), "num_items: expected a whole number of at least 1, got 0"),
        (Settings(changes=("budget=0",)), "budget: expected dollars .*got 0"),
        (Settings(changes=("num_bidders=1",)), "num_bidders: expected a whole number from 2 to 16, got 1"),
        (Settings(games=0), "games: expected a whole number of at least 1, got 0"),
        (Settings(seed=-1), "seed: expected a whole number of at least 0, got -1"),
        (Settings(format="standard", bidders=("rule", "value")), "two baselines and at least 1 challenger"),
        (Settings(format="standard", changes=("budget=5",)), "budget cannot be chosen"),
        (Settings(format="standard", scenario="niche-10k"), "scenario cannot be chosen"),
        (Settings(format="standard", changes=("num_bidders=4",)), "num_bidders cannot be chosen"),
    ],
)
def test_bad_settings_are_refused(settings, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        run(settings, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_results_folder_holds_everything_from_which_the_table_is_computed(tmp_path, capsys):
    out, table = tmp_path / "out", tmp_path / "table.json"
    assert command("leaderboard", "--games", "30", "--out", str(out), "--json", str(table), "--seed", "4") == 0
    assert "rating" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == ["games.jsonl", "run.json", "table.json", "table.md"]
    rows = json.loads((out / "table.json").read_text())
    assert rows == json.loads(table.read_text())
    figures = ("rating", "profit_mean", "profit_ratio", "items_mean", "failed_bid_rate")
    assert set(rows[0]) >= {
        "bidder",
        "rank",
        "games",
        *(f"{name}{end}" for name in figures for end in ("", "_low", "_high")),
    }
    assert {row["bidder"] for row in rows} == set(chosen_bidders(Settings()))
    assert all(1 <= row["rank"] <= place for place, row in enumerate(rows, start=1))
    assert [row["rating"] for row in rows] == sorted((row["rating"] for row in rows), reverse=True)
    records = list(read_records(out))
    assert [record.index for record in records] == list(range(30))
    profits = [
        result["profit"]
        for record in records
        for player, result in zip(record.seats, record.outcome["seats"], strict=True)
        if player["bidder"] == rows[0]["bidder"]
    ]
    assert rows[0]["games"] == len(profits)
    assert rows[0]["profit_mean"] == pytest.approx(sum(profits) / len(profits))
    run_json = json.loads((out / "run.json").read_text())
    assert run_json["settings"]["games"] == 30
    assert run_json["finished"]
    assert run_json["versions"]["aucenv"]
    ranking = (out / "table.md").read_text().split("\n\n")[0]
    assert ranking.count("\n") == len(rows) + 1


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_with_other_settings_or_foreign_files_is_refused(tmp_path, capsys):
    out = tmp_path / "out"
    assert command("leaderboard", "--games", "3", "--out", str(out)) == 0
    before = contents(out)
    assert command("leaderboard", "--games", "3", "--seed", "1", "--out", str(out)) == 2
    assert "got a run with seed 0, not 1" in capsys.readouterr().err
    assert contents(out) == before
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "table.md").write_text("mine")
    assert command("leaderboard", "--games", "3", "--out", str(foreign)) == 2
    assert "expected a new folder or a results folder, but there is table.md" in capsys.readouterr().err
    assert contents(foreign) == {"table.md": b"mine"}


def test_a_run_of_another_version_is_refused(tmp_path, uninterrupted, capsys):
    out = tmp_path / "out"
    out.mkdir()
    run_json = json.loads(uninterrupted["run.json"])
    run_json["versions"]["aucenv"] = "0.0.1"
    (out / "run.json").write_text(json.dumps(run_json))
    assert command(*RUN, "--out", str(out)) == 2
    assert f"expected a run of aucenv {aucenv.__version__}, got one of aucenv 0.0.1" in capsys.readouterr().err


def test_resume_requires_a_run(tmp_path, capsys):
    out = tmp_path / "out"
    assert command("leaderboard", "--games", "3", "--resume", "--out", str(out)) == 2
    assert "expected a run to resume, but there is no run.json" in capsys.readouterr().err
    assert not out.exists()
    assert command("leaderboard", "--games", "3", "--resume") == 2
    assert "resume: expected a results folder" in capsys.readouterr().err


RUN = ["leaderboard", "--games", "60", "--seed", "5"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("whole") / "out"
    assert command(*RUN, "--out", str(out)) == 0
    return contents(out)


def same(out: Path, whole: dict[str, bytes]) -> bool:
    files = contents(out)
    return set(files) == set(whole) and all(
        files[name] == whole[name] for name in ("games.jsonl", "table.json", "table.md")
    )


@pytest.mark.parametrize(
    ("kept", "tail"),
    [(0, b"{}"), (1, b""), (30, b'{"version":1,"game":"eng'), (59, b"\xff\xfe"), (60, b""), (60, b"{}")],
)
def test_an_interrupted_run_resumes(tmp_path, uninterrupted, kept, tail):
    out = tmp_path / "out"
    out.mkdir()
    run_json = json.loads(uninterrupted["run.json"])
    (out / "run.json").write_text(json.dumps({**run_json, "finished": None}))
    lines = uninterrupted["games.jsonl"].splitlines(keepends=True)
    random.Random(kept).shuffle(lines)
    (out / "games.jsonl").write_bytes(b"".join(lines[:kept]) + tail)
    (out / ".games.jsonl.77.partial").write_text("cut off")
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        assert command(*RUN, "--resume", "--out", str(out)) == 0
    assert [f"games.jsonl:{kept + 1}: cut off" in str(w.message) for w in shown] == ([True] if tail else [])
    assert same(out, uninterrupted)
    assert json.loads((out / "run.json").read_text())["finished"]


def test_the_game_of_an_incomplete_line_is_played_again(tmp_path, uninterrupted):
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.json").write_bytes(uninterrupted["run.json"])
    (out / "games.jsonl").write_bytes(uninterrupted["games.jsonl"].rstrip(b"\n"))
    with pytest.warns(UserWarning, match="cut off; dropped, and its game is played again"):
        assert command(*RUN, "--out", str(out)) == 0
    assert same(out, uninterrupted)


def test_a_bad_line_before_the_last_is_reported(tmp_path, uninterrupted, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.json").write_bytes(uninterrupted["run.json"])
    (out / "games.jsonl").write_bytes(b"{}\n" + uninterrupted["games.jsonl"])
    before = contents(out)
    assert command(*RUN, "--out", str(out)) == 2
    assert "games.jsonl:1: version" in capsys.readouterr().err
    assert contents(out) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "games.jsonl:60: version: expected one of 1, got 2"),
        ({"index": "x"}, "games.jsonl:60: index: expected a whole number from 0 to 1,000,000,000, got 'x'"),
        ({"index": [1]}, "games.jsonl:60: index: expected a whole number"),
        ({"outcome": {}}, "games.jsonl:60: outcome.status: expected this field, got none"),
        ({"seats": []}, "games.jsonl:60: seats: expected a list of at least 1, got 0"),
        ({"decisions": [{}]}, "games.jsonl:60: decisions[0].item: expected this field, got none"),
        ({"index": 99}, "game 99 of the results folder does not belong to this run"),
        ({"seed": [8, 8]}, "game 59 of the results folder does not belong to this run"),
    ],
)
def test_a_record_of_another_run_is_refused_and_kept(tmp_path, uninterrupted, change, message, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.json").write_bytes(uninterrupted["run.json"])
    lines = uninterrupted["games.jsonl"].splitlines(keepends=True)
    lines[-1] = json.dumps({**json.loads(lines[-1]), **change}).encode() + b"\n"
    (out / "games.jsonl").write_bytes(b"".join(lines))
    assert command(*RUN, "--out", str(out)) == 2
    assert message in capsys.readouterr().err
    assert (out / "games.jsonl").read_bytes() == b"".join(lines)


def test_a_changed_bidder_file_is_a_different_setting(tmp_path, capsys):
    file, out = tmp_path / "mine.py", tmp_path / "out"
    file.write_text(MINE)
    arguments = ["leaderboard", "--games", "3", "--bidder", f"py:{file}:Mine", "--bidder", "rule", "--out", str(out)]
    assert command(*arguments) == 0
    file.write_text(MINE + "# changed")
    assert command(*arguments) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "this run: files of 'py:" in error
    assert "mine.py:Mine' have changed since that run started" in error
    assert "bidder_files" not in error


def test_a_changed_scenario_file_is_a_different_setting(tmp_path, capsys):
    file, out = tmp_path / "scenario.json", tmp_path / "out"
    scenario = SCENARIOS["standard-20k-random"]
    file.write_text(json.dumps(scenario.to_dict()))
    arguments = ["leaderboard", "--games", "3", "--scenario", str(file), "--out", str(out)]
    assert command(*arguments) == 0
    assert command(*arguments) == 0
    file.write_text(json.dumps(scenario.changed(budget=9).to_dict()))
    assert command(*arguments) == 2
    assert "got a run with scenario" in capsys.readouterr().err


def interrupted(out: Path, sig: signal.Signals, after: float, workers: int, games: int) -> subprocess.Popen:
    """Start a run and send it a signal `after` seconds after its first game was saved; it may have finished by then."""
    arguments = [*RUN, "--games", str(games), "--workers", str(workers), "--out", str(out)]
    process = subprocess.Popen(
        [AUCENV, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.default_int_handler
        ),  # tests that run in the background ignore SIGINT
    )
    file = out / "games.jsonl"
    while process.poll() is None and not (file.exists() and file.stat().st_size):
        time.sleep(0.005)
    time.sleep(after)
    process.send_signal(sig)
    return process


def test_ctrl_c_stops_cleanly_and_prints_how_to_resume(tmp_path):
    process = interrupted(tmp_path / "out", signal.SIGINT, 0.1, workers=2, games=30_000)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"to resume, run: aucenv {' '.join(RUN)}" in err
    assert "Traceback" not in out + err


def kill_and_resume(folder: Path, kills: int, games: int) -> None:
    whole = folder / "whole"
    arguments = [*RUN, "--games", str(games)]
    assert command(*arguments, "--out", str(whole)) == 0
    rng = random.Random(kills)
    for number in range(kills):
        out = folder / str(number)
        interrupted(out, signal.SIGKILL, rng.uniform(0, games / 600), 1 + number % 2, games).communicate()
        assert command(*arguments, "--out", str(out)) == 0
        assert same(out, contents(whole)), number


def test_a_killed_run_resumes(tmp_path):
    kill_and_resume(tmp_path, 1, 240)


@pytest.mark.slow
def test_twenty_killed_runs_resume(tmp_path):
    kill_and_resume(tmp_path, 20, 600)


def test_a_full_disk_stops_the_run_which_can_be_resumed(tmp_path, uninterrupted):
    out = tmp_path / "out"
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY)); "
        "from aucenv.cli import main; main(sys.argv[1:])"
    )
    done = subprocess.run([sys.executable, "-c", code, *RUN, "--out", str(out)], capture_output=True, text=True)
    assert done.returncode == 2
    assert "file too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert 0 < (out / "games.jsonl").stat().st_size <= 200_000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert command(*RUN, "--resume", "--out", str(out)) == 0
    assert same(out, uninterrupted)


def test_unwritable_output_is_reported_before_a_game_is_played(tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("")
    for arguments in (["--out", str(file)], ["--out", str(file / "below")], ["--json", str(tmp_path / "no" / "x")]):
        assert command("leaderboard", "--games", "3", *arguments) == 2
        shown = capsys.readouterr()
        assert str(tmp_path) in shown.err
        assert "rank" not in shown.out
    assert command("leaderboard", "--games", "3", "--json", str(tmp_path)) == 2


def test_equal_seeds_give_equal_bytes_for_any_workers_and_hash_seed(tmp_path, uninterrupted):
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    arguments = [*RUN, "--workers", "3", "--out", str(tmp_path / "out")]
    subprocess.run([AUCENV, *arguments], check=True, env=environment, capture_output=True)
    assert same(tmp_path / "out", uninterrupted)  # of one process, with another hash seed


@pytest.mark.slow
@pytest.mark.parametrize("game", FAMILIES)
def test_kernels_of_two_optimization_levels_play_the_same_games(tmp_path, game):
    """Tests compile at level 1, and users at numba's default, 3."""
    arguments = ["leaderboard", "--game", game, "--games", "20", "--out"]
    processes = [
        start(*arguments, str(tmp_path / level), NUMBA_OPT=level, NUMBA_CACHE_DIR=str(tmp_path / f"kernels-{level}"))
        for level in ("1", "3")
    ]
    for process in processes:
        finish(process)
    assert same(tmp_path / "1", contents(tmp_path / "3"))


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
    rows = run(Settings(bidders=(f"mine=py:{file}:Mine,most=1500", "rule", "value"), games=12), RunOptions(workers=2))
    assert {row["bidder"] for row in rows} == {"mine", "rule", "value"}


def test_a_failing_bidder_stops_the_command_with_its_traceback(tmp_path, capsys):
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
def test_a_file_that_defines_no_bidder_is_reported(tmp_path, code, message, capsys):
    file = tmp_path / "mine.py"
    file.write_text(code)
    assert command("leaderboard", "--bidder", f"py:{file}:Mine") == 2
    shown = capsys.readouterr().err
    assert f"cannot create Mine of {file}: {message}" in shown
    assert "Traceback" not in shown


def test_a_bidder_may_be_a_dataclass_or_a_module_in_the_current_folder(tmp_path, monkeypatch):
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
    assert (out / "table.md").read_text().count(r"\|") == 5  # in the rows of each table, and once in a heading


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
        (
            ["leaderboard", "--game", "chess"],
            "game: expected one of english, harbor, sealed_bid, clock, ebay, water_allocation, got 'chess'",
        ),
        (["leaderboard", "--bidder", "rule,q=1"], "parameter: expected one of k, got 'q'"),
        (["leaderboard", "--workers", "0"], "'--workers': expected a whole number from 1 to 1,024, got '0'"),
        (["replay", "--game", "chess", "x"], "got 'chess'"),
        (["bidders", "--game", "chess"], "got 'chess'"),
        (["leaderbord"], "leaderbord"),
        (["leaderboard", "--format", "knockout"], "knockout"),
    ],
)
def test_bad_commands_print_one_clear_error(arguments, message, capsys):
    assert command(*arguments) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown


def test_json_is_the_only_standard_output(capsys):
    assert command("leaderboard", "--games", "3", "--json", "-") == 0
    captured = capsys.readouterr()
    assert [row["rank"] for row in json.loads(captured.out)] == [1, 2, 3]
    assert "rating" in captured.err


def test_two_processes_cannot_play_into_one_folder(tmp_path, capsys):
    first = ResultsFolder(tmp_path / "out", {"seed": 0})
    try:
        with pytest.raises(BlockingIOError, match="another process is writing to this folder"):
            ResultsFolder(tmp_path / "out", {"seed": 0})
    finally:
        first.close()
    ResultsFolder(tmp_path / "out", {"seed": 0}).close()


def test_a_bundled_network_is_a_default_where_it_can_play():
    assert chosen_bidders(Settings("english"))[-1] == "ppo"
    assert "ppo" not in chosen_bidders(Settings("english", changes=("num_bidders=4",)))
    assert "ppo" not in chosen_bidders(Settings("sealed_bid", scenario="second-ipv"))


def test_the_finetuned_bidder_is_a_default_of_harbor_if_its_extra_is_installed(monkeypatch, capsys):
    assert "rlact" in chosen_bidders(Settings("harbor"))
    assert "rlact" not in chosen_bidders(Settings("english"))
    monkeypatch.setattr("aucenv.benchmarks.rankings.leaderboard.is_installed", lambda: False)
    assert "rlact" not in chosen_bidders(Settings("harbor"))
    command("leaderboard", "--game", "harbor", "--games", "3")
    assert "left out rlact: it needs the extra rlact: " in capsys.readouterr().err
    command("leaderboard", "--game", "harbor", "--games", "3", "--bidder", "expact", "--bidder", "persona")
    assert "rlact" not in capsys.readouterr().err
