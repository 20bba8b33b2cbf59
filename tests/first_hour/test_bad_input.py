"""Full disks, users without a home, `python -O`, warnings as errors, two runs in one folder, and processes that die."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pwd
import resource
import subprocess
import sys
import warnings

import pytest
from first_hour.lines import exit_status
from first_hour.written import ONCE, WRITTEN

from aucenv.core.formats.folders import only_writer
from aucenv.registration import FAMILIES
from aucenv.runs.model_calls.journal import RunStopped

UNCOMPILED = {**os.environ, "NUMBA_DISABLE_JIT": "1"}


@pytest.mark.filterwarnings("ignore:.*joblib will operate in serial mode:UserWarning")
@pytest.mark.parametrize(("line", "files"), WRITTEN)
def test_a_file_that_cannot_be_written_is_a_clear_error(line, files, work, model, capsys):
    before = {*work.rglob("*")}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # as `ulimit -f 0`
    try:
        status = exit_status(line.replace("MODEL", model))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    err = capsys.readouterr().err
    assert status == 2, err
    assert "file too large" in err
    assert "Traceback" not in err
    assert "Errno" not in err
    assert [path for path in {*work.rglob("*")} - before if path.is_file() and path.stat().st_size] == []


def test_the_games_before_a_full_disk_are_kept_whole(folder, capsys):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        assert exit_status("leaderboard --games 6 --set num_items=2 --out new") == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    err = capsys.readouterr().err
    games = (folder / "new" / "games.jsonl").read_text().splitlines(keepends=True)
    assert f"file too large; {len(games)} of 6 games are kept in new; to resume, run: aucenv" in err
    assert "aucenv: --out: cannot use 'new/games.jsonl': file too large" in err
    assert all(json.loads(line) and line.endswith("\n") for line in games)
    assert exit_status("leaderboard --games 6 --set num_items=2 --out new") == 0
    assert exit_status("leaderboard --games 6 --set num_items=2 --out other-new") == 0
    assert (folder / "new" / "games.jsonl").read_bytes() == (folder / "other-new" / "games.jsonl").read_bytes()


@pytest.fixture
def homeless(monkeypatch):
    """A user that the system does not know, as in containers."""

    def unknown(user):
        raise KeyError(f"getpwuid(): uid not found: {user}")

    for name in ("HOME", "XDG_CACHE_HOME", "HF_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)


@pytest.mark.parametrize(
    "line", ["bidders", "watch", "leaderboard --games 3 --plot y.png --out new", "records table run"]
)
def test_a_user_without_a_home_can_play(line, homeless, folder):
    assert exit_status(line) == 0


@pytest.mark.parametrize(
    "line", ["serve smollm2", "leaderboard --bidder llm:local:smollm2 --bidder rule --bidder value"]
)
def test_a_user_without_a_home_says_where_models_are(line, homeless, folder, capsys):
    assert exit_status(line) == 2
    err = capsys.readouterr().err
    assert "XDG_CACHE_HOME: expected a folder for models, because this user has no home, got none" in err
    assert "Traceback" not in err


def test_a_notice_is_no_error_where_warnings_are():
    code = "from aucenv.commands.console.terminal import *\nwith one_line_notices(): warnings.warn('no seeds', Notice)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "aucenv: no seeds\n")


def test_another_warning_is_one_line_where_warnings_are_errors(monkeypatch, capsys):
    def warn(arguments):
        warnings.warn("numpy.bool8 is deprecated", DeprecationWarning, stacklevel=2)

    monkeypatch.setattr("aucenv.cli.check_surroundings", warn)
    assert exit_status("bidders") == 2
    assert capsys.readouterr().err == "aucenv: numpy.bool8 is deprecated\n"


def test_python_without_assertions_plays_the_same_games(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-O", "-m", "aucenv", "leaderboard", "--quick", "--out", "a"]
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert exit_status("leaderboard --quick --out b") == 0
    assert (tmp_path / "a" / "games.jsonl").read_bytes() == (tmp_path / "b" / "games.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("leaderboard --games 3 --set num_items=2 --out new", "leaderboard --games 6 --set num_items=2 --out new"),
        ("study labs/revenue --games 1 --out new", "study labs/revenue --games 1 --out new"),
        ("benchmark --bidder naive --game clock --size XS --out new",) * 2,
        ("play --set num_items=1 --seed 0 --out new",) * 2,
        (
            f"train ppo {ONCE} --set eval_games=0 --set updates=1 --out new",
            f"train ppo {ONCE} --set eval_games=0 --set updates=1 --out new --resume",
        ),
    ],
)
def test_two_processes_cannot_write_to_one_folder(first, again, folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    exit_status(first)
    before = {path: path.read_bytes() for path in (folder / "new").rglob("*") if path.is_file()}
    with only_writer(folder / "new"), contextlib.ExitStack() as opened:
        for games in (folder / "new").glob("games.jsonl"):
            fcntl.flock(opened.enter_context(games.open("ab")), fcntl.LOCK_EX)
        assert exit_status(again) == 2
    assert "aucenv: --out: new: another process is writing to this folder" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (folder / "new").rglob("*") if path.is_file()} == before


DIES = """
import os

class Dies:
    interface = "amount"

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        os._exit(1)

    def close_game(self, view):
        pass
"""


def test_a_worker_that_is_killed_stops_the_run(folder, capsys):
    (folder / "dies.py").write_text(DIES)
    line = "leaderboard --games 3 --set num_items=1 --workers 2 --bidder py:dies.py:Dies --bidder rule --bidder value --out new"
    assert exit_status(line) == 1
    err = capsys.readouterr().err
    assert (
        "a worker process was killed, as happens without enough memory; 0 of 3 games are kept in new; to resume" in err
    )
    assert "Traceback" not in err


def test_a_run_that_stops_before_its_first_game_is_one_line(folder, capsys, monkeypatch):
    def stop(*_):
        raise RunStopped("a worker process was killed, as happens without enough memory")

    monkeypatch.setattr("aucenv.benchmarks.benchmark.private_deals.compute", stop)
    assert exit_status("benchmark draw-deals --game clock --games 1 --out deals.jsonl") == 0
    capsys.readouterr()
    assert exit_status("benchmark --bidder shade --game clock --deals deals.jsonl --out new") == 1
    *_, last = capsys.readouterr().err.splitlines()
    assert last == "aucenv: a worker process was killed, as happens without enough memory"
    assert not (folder / "new" / "games.jsonl").exists()


def test_games_are_the_same_in_processes_that_are_forked_or_spawned(tmp_path):
    names = {name: family.game.default_scenario for name, family in FAMILIES.items()}
    script = tmp_path / "script.py"
    script.write_text(
        "import json, multiprocessing, sys\n"
        "import aucenv\n"
        "def deal(game, scenario):\n"
        "    env = getattr(aucenv, f'{game}_v0')(scenario=scenario)\n"
        "    env.reset(seed=1)\n"
        "    return env.state().tolist()\n"
        "if __name__ == '__main__':\n"
        "    games = list(json.loads(sys.argv[1]).items())\n"
        "    for method in ('fork', 'spawn'):\n"
        "        with multiprocessing.get_context(method).Pool(1) as pool:\n"
        "            assert pool.starmap(deal, games) == [deal(*game) for game in games]\n"
    )
    command = [sys.executable, str(script), json.dumps(names)]
    done = subprocess.run(command, cwd=tmp_path, env=UNCOMPILED, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
