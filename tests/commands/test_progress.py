"""Progress of commands: lines where stderr is no terminal, at least every ten seconds, and bars in a terminal."""

from __future__ import annotations

import io
import itertools
import sys

import pytest
import typer

from aucenv import cli
from aucenv.commands.console import progress, terminal
from aucenv.core import progress as core
from aucenv.core.progress import doing, track


class Clock:
    """A clock that stands still until it is set forward."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(core, "clock", clock)
    monkeypatch.setattr(progress, "clock", clock)
    return clock


@pytest.fixture
def every_change(monkeypatch):
    """Print a line at each change, and none between changes."""
    monkeypatch.setattr(terminal, "LOG_SECONDS", -1.0)
    monkeypatch.setattr(progress._Lines, "_repeat", lambda lines: None)


@pytest.mark.parametrize(
    ("seconds", "done", "total", "first", "note", "line"),
    [
        (60, 30, 150, 0, "", "30 of 150 updates, 30/min, 4 min left"),
        (60, 90, 150, 60, "reward 0.1", "90 of 150 updates, 30/min, 2 min left, reward 0.1"),
        (7200, 3, 60, 0, "", "3 of 60 updates, 1.5/h, 38 h 0 min left"),
        (100, 250_000, None, 0, "", "250000 updates, 2,500/s"),
        (10, 0, 30, 0, "waiting", "0 of 30 updates, waiting"),
        (10, 5, 30, 0, "", "5 of 30 updates"),
        (10, 30, 30, 0, "", "30 of 30 updates"),
        (10, 30, 30, 30, "", "30 of 30 updates"),
    ],
)
def test_a_line_states_what_is_done_the_rate_and_the_time_left(clock, seconds, done, total, first, note, line):
    with doing("updates", total, first) as task:
        clock.now += seconds
        task.update(done, note=note)
        assert progress.line_of(task) == line
    assert core.tasks == []


def test_the_rate_does_not_count_what_happens_before_the_first_ones(clock):
    """Kernels may compile, which takes longer than many games."""
    with doing("games", 30) as task:
        clock.now += 8
        task.update(2)
        clock.now += 5
        assert progress.line_of(task) == "2 of 30 games"
        task.update(12)
        assert progress.line_of(task) == "12 of 30 games, 2/s, 9 s left"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59.6, "60 s"), (119, "2 min"), (3540, "59 min"), (3600, "1 h 0 min")]
)
def test_durations_are_words(seconds, words):
    assert progress.duration(seconds) == words


@pytest.mark.parametrize("pause", [0.1, 3.0, 25.0, float("inf")])
def test_there_is_a_line_at_least_every_ten_seconds(clock, capsys, pause):
    """Time passes only while the command waits, or while a step takes `pause` seconds; nothing else prints."""
    lines, times = progress._Lines(terminal.LOG_SECONDS), []
    end = clock.now + 120

    def wait(seconds):
        """Let time pass to the end of the wait, with the steps of the command that end within it."""
        until = min(clock.now + seconds, end)
        while next_step[0] <= until:
            clock.now, next_step[0] = next_step[0], next_step[0] + pause
            task.update(task.done + 1)
            note()
        clock.now = until
        return until == end

    def note():
        if printed := capsys.readouterr().err:
            times.append((clock.now, printed))

    lines._ended.wait = wait
    next_step = [clock.now + pause]
    printing, lines._print = lines._print, lambda: (printing(), note())
    with core.shown_by(lines.show), doing("steps", 2000) as task:
        lines._repeat()
    at = [1000.0, *(now for now, _ in times)]
    assert max(after - before for before, after in itertools.pairwise(at)) <= terminal.LOG_SECONDS
    assert at[-1] >= end - terminal.LOG_SECONDS
    assert len(times) <= 12
    assert all(" of 2000 steps" in printed for _, printed in times)


def test_tasks_of_tasks_are_in_one_line_and_text_from_outside_is_escaped(clock, capsys):
    lines = progress._Lines(10.0)
    with core.shown_by(lines.show):
        with doing("studies", 3) as studies:
            studies.update(1)
            with doing("games", 40) as games:
                games.update(2)
                clock.now += 10
                games.update(22, note="spent\x1b[31m $1\nand more")
        clock.now += 10
        with doing("updates", 5):
            clock.now += 10
        clock.now += 75
        lines._print()
    assert capsys.readouterr().err.splitlines() == [
        r"1 of 3 studies; 22 of 40 games, 2/s, 9 s left, spent\x1b[31m $1\nand more",
        "0 of 5 updates",
        "aucenv: running for 2 min",
    ]


def test_a_task_has_a_line_soon_after_it_has_begun(clock, capsys):
    lines = progress._Lines(10.0)
    with core.shown_by(lines.show):
        clock.now += 10
        lines._print()
        with doing("states", 100, seconds=90) as states:
            clock.now += 2
            lines._print()
            assert capsys.readouterr().err == "aucenv: running for 10 s\n"
            clock.now += 2
            lines._print()
            assert capsys.readouterr().err == "0 of 100 states, 86 s left\n"
            clock.now += 5
            lines._print()
            assert capsys.readouterr().err == ""
            clock.now += 91
            states.update(50)
    assert capsys.readouterr().err == "50 of 100 states, 30/min, 2 min left\n"


def test_tasks_end_with_errors_and_with_abandoned_loops():
    def fail():
        with doing("updates", 3):
            raise ValueError("failed")

    with pytest.raises(ValueError, match="failed"):
        fail()
    states = track(iter("abc"), "states", 3)
    assert next(states) == "a"
    assert [task.what for task in core.tasks] == ["states"]
    states.close()
    assert core.tasks == []
    assert [*track([1, 2], "numbers")] == [1, 2]


ONE = ["--game", "sealed_bid", "--scenario", "first-ipv-once"]
SMALL = [f"--set={each}" for each in ("num_envs=16", "updates=3", "save_every=3", "minibatches=1")]


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        (["leaderboard", *ONE, "--bidder", "truthful", "--bidder", "shade", "--games", "4"], ["2 of 6 games, "]),
        (
            ["train", "ppo", *ONE, *SMALL, "--set", "eval_games=20", "--bidder", "shade", "--out", "run"],
            ["0 of 3 updates; 1 of 2 bidders evaluated", "2 of 3 updates, ", "reward per game"],
        ),
        (["exploit", "shade", *ONE, *SMALL, "--method", "ppo", "--games", "20", "--out", "run"], ["2 of 3 updates, "]),
        (["study", "labs/revenue", "--games", "1"], [" games, "]),
        (
            ["rlact", "states", "--states", "20", "--game", "sealed_bid", "--out", "run"],
            ["2 of 16 train states, ", "1 of 2 evaluation states"],
        ),
    ],
    ids=lambda each: "-".join(each[:2]),
)
def test_commands_state_their_progress_in_lines_without_a_terminal(
    tmp_path, monkeypatch, capsys, every_change, command, lines
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        cli.main(command)
    errors = capsys.readouterr().err
    assert not stopped.value.code, errors
    for line in lines:
        assert line in errors
    assert core.tasks == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_in_a_terminal_there_are_bars_and_no_lines(tmp_path, monkeypatch, every_change):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress.showing_progress(-1.0), doing("states\x1b[31m", 3) as task:
        task.update(2, note="all [b]well[/b]")
        [refresh] = {listener.__self__._progress.refresh for listener in core._listeners}
        refresh()
        shown = sys.stderr.getvalue()
    assert "2/3" in shown
    assert "all [b]well[/b]" in shown
    assert "\x1b[31m" not in shown
    assert "2 of 3" not in sys.stderr.getvalue()


def test_commands_that_wait_print_lines_only_after_changes(monkeypatch, capsys):
    started = []
    monkeypatch.setattr(progress._Lines, "repeated", lambda lines: started.append(lines))
    with progress.showing_progress(-1.0, waits=True), doing("games", 2):
        pass
    assert started == []
    assert capsys.readouterr().err.startswith("0 of 2 games\n")
    names = {command.name or command.callback.__name__ for command in cli.app.registered_commands}
    assert set(cli.WAITING) <= names


def test_running_counts_games_from_those_of_the_stopped_run(clock, capsys, every_change):
    with progress.showing_progress(-1.0), terminal.running(None) as advance:
        advance(10, 40, "")
        clock.now += 60
        advance(20, 40, "3 calls")
    assert "20 of 40 games, 10/min, 2 min left, 3 calls\n" in capsys.readouterr().err


def test_a_stopped_command_leaves_no_task(capsys):
    def stop():
        with terminal.running(None) as advance:
            advance(1, 4, "")
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit):
        stop()
    assert core.tasks == []
