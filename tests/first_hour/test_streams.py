"""Files are written before the result is printed, and standard streams that are missing, full or broken stop nothing."""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from first_hour.commands import COMMANDS, line_of, options_for_paths
from first_hour.lines import GOOD, exit_status
from first_hour.written import ELSEWHERE, READ, WRITTEN

from aucenv.commands.console import terminal

AUCENV = str(Path(sys.executable).with_name("aucenv"))


class Failing(io.StringIO):
    """A stream that fails when text is written to it.

    Attributes:
        missing: the files that did not exist then; None: nothing has been written.
    """

    def __init__(self, number, files=()):
        super().__init__()
        self.number, self.files, self.missing = number, files, None

    def write(self, text):
        if not text:
            return 0
        if self.missing is None:
            self.missing = [file for file in self.files if not Path(file).exists()]
        raise OSError(self.number, os.strerror(self.number))


def test_every_option_that_writes_a_file_is_in_the_table():
    lines = [line for line, _ in WRITTEN]
    assert len(COMMANDS) > 20
    for words in {*COMMANDS} - {*ELSEWHERE}:
        for option in {*options_for_paths(COMMANDS[words])} - READ:
            listed = any(line.startswith(f"{words} ") and f" {option} " in line for line in lines)
            assert listed != (f"{words} {option}" in ELSEWHERE), f"{words} {option}"


def test_every_command_is_in_a_table():
    lines = [f"{line} " for line, _ in (*GOOD, *WRITTEN) if not line.endswith(" -h")]
    assert {words for words in COMMANDS if not any(line.startswith(f"{words} ") for line in lines)} == {
        words for words in ELSEWHERE if " --" not in words
    }


@pytest.mark.parametrize(("line", "files"), WRITTEN)
def test_files_are_written_before_the_result_goes_to_a_full_disk(line, files, work, model, monkeypatch, capsys):
    out = Failing(errno.ENOSPC, files.split())
    monkeypatch.setattr(sys, "stdout", out)
    assert exit_status(line.replace("MODEL", model)) == 2
    assert "aucenv: cannot write to standard output: No space left on device" in capsys.readouterr().err
    assert out.missing == []


@pytest.mark.parametrize(("line", "files"), WRITTEN)
def test_files_are_written_without_standard_streams(line, files, work, model, monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert exit_status(line.replace("MODEL", model)) == 0
    assert [file for file in files.split() if not Path(file).exists()] == []
    assert (sys.stdin, sys.stdout, sys.stderr) == (None, None, None)


LINES = [*dict.fromkeys(filter(None, (line_of(words, (line for line, _ in GOOD)) for words in COMMANDS)))]
"""One line of each command, and those that write a file to standard output."""
LINES += [line for line, _ in GOOD if line in ("--version", "--help") or line.endswith(" -")]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(("output", "status"), [(None, 0), (Failing(errno.EPIPE), 1)], ids=["none", "broken"])
def test_every_command_ends_with_any_streams(output, status, line, folder, monkeypatch):
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(sys, "stderr", Failing(errno.ENOSPC))
    monkeypatch.setattr(sys, "stdin", None)
    assert exit_status(line) == status


def test_a_person_without_a_terminal_stops_the_run(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert exit_status("play --set num_items=1 --out played") == 130
    assert "stopped; all games so far are kept in played" in capsys.readouterr().err
    assert (folder / "played" / "run.json").exists()


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&- <&-", "2>/dev/full"])
def test_streams_of_a_shell_may_be_closed(streams, run_in_shell):
    status, printed = run_in_shell(f"{AUCENV} records table run --json y.json --csv y.csv {streams}")
    assert status == 0
    assert "Traceback" not in printed
    assert Path("y.json").read_text().startswith("[")
    assert Path("y.csv").read_text().startswith("bidder,")


@pytest.fixture
def run_in_shell(folder):
    def run(line):
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=folder)
        return done.returncode, done.stdout + done.stderr

    return run


def test_a_reader_that_leaves_early_loses_no_file(run_in_shell):
    _, printed = run_in_shell(f"{AUCENV} records table run --json y.json --csv y.csv | head -1")
    assert "Traceback" not in printed
    assert Path("y.json").exists()
    assert Path("y.csv").exists()


class Interrupting(io.StringIO):
    """A stream that sends a signal to this process when the first text is written to it."""

    number: int | None = None

    def write(self, text):
        if text.strip() and self.number is not None:
            number, self.number = self.number, None
            signal.raise_signal(number)
        return super().write(text)


INTERRUPTED = (
    "leaderboard --games 6 --set num_items=2",
    "leaderboard --games 6 --set num_items=2 --out new",
    "benchmark --bidder naive --game clock --size XS --out new",
    "study labs/revenue --games 2 --out new",
    "study aucarena --bidder rule --bidder value --bidder pace --games 1 --out new",
    "records table run",
    "watch",
)


def interrupted(line, number, monkeypatch):
    """Return the exit status and the standard error of a command that gets a signal at its first line of progress."""
    err = Interrupting()
    err.number = number
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "stdout", err)
    return exit_status(line), err.getvalue()


@pytest.mark.parametrize("line", INTERRUPTED)
def test_signals_end_a_command_as_ctrl_c_does(line, folder, monkeypatch):
    monkeypatch.setattr(terminal, "LOG_SECONDS", -1.0)
    endings = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        shutil.rmtree("new", ignore_errors=True)
        status, err = interrupted(line, number, monkeypatch)
        assert status == 128 + number
        endings[number] = err.split("stopped; ")[-1]
    assert len({*endings.values()}) == 1
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == [signal.SIG_DFL] * 2


def test_a_run_that_is_terminated_says_how_to_resume(folder, monkeypatch):
    monkeypatch.setattr(terminal, "LOG_SECONDS", -1.0)
    status, err = interrupted("leaderboard --games 6 --set num_items=2 --out new", signal.SIGTERM, monkeypatch)
    assert status == 143
    assert "of 6 games are kept in new; to resume, run: aucenv" in err


def test_an_ignored_signal_stays_ignored(folder, monkeypatch):
    monkeypatch.setattr(terminal, "LOG_SECONDS", -1.0)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert interrupted("leaderboard --games 6 --set num_items=2", signal.SIGHUP, monkeypatch)[0] == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_person_is_not_asked_when_the_command_is_terminated(folder, monkeypatch, capsys):
    class Lines(io.StringIO):
        def readline(self, *_):
            signal.raise_signal(signal.SIGTERM)
            return "\n"

    monkeypatch.setattr(sys, "stdin", Lines())
    assert exit_status("play --set num_items=1 --out played") == 143
    out, err = capsys.readouterr()
    assert "q: stop the run" not in out
    assert "stopped; all games so far are kept in played" in err


def test_workers_end_with_a_run_that_is_terminated(folder):
    line = "leaderboard --games 30000 --set num_items=1 --workers 2 --bidder rule --bidder value --out new"
    command = [AUCENV, *line.split()]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        games = Path("new", "games.jsonl")
        while not games.exists() or not games.stat().st_size:
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGTERM)
        err = process.stderr.read()
    assert process.returncode == 143
    assert "of 30000 games are kept in new; to resume, run: aucenv leaderboard" in err
    assert "Traceback" not in err
