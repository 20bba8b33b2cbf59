"""Terminals, pipes and folders that get in the way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from run_command import command

from aucenv.commands.console import terminal

AUCENV = str(Path(sys.executable).with_name("aucenv"))


def start(*arguments: str, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [AUCENV, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("surroundings") / 'a run\'s "folder"'
    command("leaderboard", "--games", "15", "--out", folder)
    return folder


def test_output_may_be_closed_early(run):
    with start("records", "show", str(run)) as process:
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
    assert process.returncode in (0, 1)


@pytest.mark.parametrize(
    "environment",
    [
        {"TERM": "unknown", "PYTHONIOENCODING": "ascii"},
        {"TERM": "", "PYTHONIOENCODING": "latin-1", "COLUMNS": "1"},
    ],
)
def test_any_terminal_and_encoding_will_do(environment, run):
    out, err = start("records", "table", str(run), **environment).communicate()
    assert not err
    assert "drain" in out


def test_a_full_disk_is_one_line(run):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([AUCENV, "records", "table", run], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_states_how_many_games_are_kept(tmp_path, capsys):
    out = tmp_path / "out"
    line = [
        "leaderboard",
        "--games",
        "30000",
        "--set",
        "num_items=1",
        "--out",
        str(out),
        "--bidder",
        "rule",
        "--bidder",
        "value",
    ]
    process = start(*line)
    while not (out / "games.jsonl").exists() or not (out / "games.jsonl").stat().st_size:
        assert process.poll() is None
        time.sleep(0.05)
    assert command(*line) == 2
    assert "another process is writing to this folder" in capsys.readouterr().err
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    games = len((out / "games.jsonl").read_text().splitlines())
    assert process.returncode == 130
    stated = re.search(rf"stopped; (\d+) of 30000 games are kept in {out}; to resume, run: aucenv leaderboard", err)
    assert int(stated[1]) in (games - 1, games)  # the last one may be kept, but not counted yet


def test_without_a_terminal_progress_is_lines(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "LOG_SECONDS", -1.0)
    command("leaderboard", "--games", "3")
    assert "2 of 3 games" in capsys.readouterr().err


def test_without_a_folder_a_stopped_run_is_lost(capsys):
    def stop() -> None:
        with terminal.running(None) as advance:
            advance(2, 9, "")
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as exit_:
        stop()
    assert "stopped; 2 of 9 games are lost, because only --out DIR keeps them" in capsys.readouterr().err
    assert exit_.value.exit_code == 130


def test_commands_start_without_numba():
    code = "import sys, aucenv.cli; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_one_game_is_watched_without_compiling(tmp_path):
    process = start("watch", NUMBA_CACHE_DIR=str(tmp_path))
    assert "Game 0 of english" in process.communicate()[0]
    assert not any(tmp_path.iterdir())


def test_the_shell_completes_options_and_games():
    words = {"_AUCENV_COMPLETE": "complete_bash", "COMP_CWORD": "3"}
    assert start(COMP_WORDS="aucenv leaderboard --game har", **words).communicate()[0].split() == ["harbor"]
    assert "--save-config" in start(COMP_WORDS="aucenv leaderboard x --sa", **words).communicate()[0]
