"""The progress of a command on stderr: bars in a terminal, and elsewhere, as in a file, plain lines."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from aucenv.commands.console.terminal import print_safely
from aucenv.core.progress import Task, clock, shown_by, tasks
from aucenv.core.words.outside_text import one_line


@contextlib.contextmanager
def showing_progress(seconds: float, waits: bool = False) -> Iterator[None]:
    """Show the tasks of `core.progress` in this context.

    Args:
        seconds: The most seconds between two lines.
        waits: Whether the command waits for people or requests. It then prints a line only after something is done.
    """
    if sys.stderr.isatty():
        bars = _Bars()
        with contextlib.closing(bars), shown_by(bars.show):
            yield
        return
    lines = _Lines(seconds)
    with shown_by(lines.show), contextlib.nullcontext() if waits else lines.repeated():
        yield


class _Bars:
    """A bar for each task."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[note]}", markup=False),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bars: dict[Task, TaskID] = {}

    def show(self) -> None:
        if not tasks:
            self.close()
        for task in set(self._bars) - set(tasks):
            self._progress.remove_task(self._bars.pop(task))
        for task in tasks:
            if task not in self._bars:
                self._bars[task] = self._progress.add_task(one_line(task.what), total=task.total, rate="", note="")
            rate, note = rate_of(task), one_line(task.note)
            self._progress.update(self._bars[task], completed=task.done, total=task.total, rate=rate, note=note)
        if tasks:
            self._progress.start()

    def close(self) -> None:
        self._progress.stop()


FIRST_LINE = 3.0
"""Seconds after which a task has its first line."""


class _Lines:
    """A line about all tasks, at least every `seconds`, and soon after a task has begun.

    Without a task, it states how long the command is running.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._shown: set[Task] = set()
        self._began = self._printed = clock()
        self._lock, self._ended = threading.Lock(), threading.Event()

    def show(self) -> None:
        """Print a line about the tasks if it is time for one."""
        if tasks:
            self._print()

    def _print(self) -> None:
        with self._lock:
            now = clock()
            is_new = any(task not in self._shown and now >= task.started + FIRST_LINE for task in [*tasks])
            if now < self._printed + (min(self._seconds, FIRST_LINE) if is_new else self._seconds):
                return
            self._printed = now
            self._shown = {*tasks}
        running = f"aucenv: running for {duration(clock() - self._began)}"
        print_safely("; ".join(line_of(task) for task in [*tasks]) or running, err=True)

    @contextlib.contextmanager
    def repeated(self) -> Iterator[None]:
        """Print lines in this context, also while no task changes."""
        thread = threading.Thread(target=self._repeat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def _repeat(self) -> None:
        while not self._ended.wait(1.0):
            self._print()


def line_of(task: Task) -> str:
    """Return a task in words: `3 of 150 updates, 14/min, 10 min left, reward 0.1`."""
    of = "" if task.total is None else f"of {task.total} "
    left = "" if task.seconds_left is None else f"{duration(task.seconds_left)} left"
    return ", ".join(filter(None, (f"{task.done} {of}{task.what}", rate_of(task), left, task.note)))


def rate_of(task: Task) -> str:
    """Return how many are done in the shortest unit of time in which it is at least one: `14/min`."""
    units = {"s": 1, "min": 60, "h": 3600}
    unit = next((unit for unit, seconds in units.items() if task.rate * seconds >= 1), "h")
    number = task.rate * units[unit]
    return f"{number:,.0f}/{unit}" if number >= 10 else f"{number:.2g}/{unit}" if number else ""


def duration(seconds: float) -> str:
    """Return a duration in words: `8 s`, `12 min`, `1 h 5 min`."""
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
