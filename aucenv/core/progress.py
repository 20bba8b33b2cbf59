"""Tasks that take long, and how far they are, for others to show; if nobody does, they cost next to nothing."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Element = TypeVar("Element")
clock = time.monotonic
SETTLING = 60.0
"""Seconds after which the time that a task has taken is a good measure of its rate; kernels may compile before."""


class Task:
    """Something that takes long.

    Args:
        what: What is counted, such as "updates".
        total: How many there are; None: unknown.
        done: How many were done earlier. The rate excludes them, and the first ones of this task if they take under
            SETTLING seconds.
        seconds: About how long all of it takes; None: unknown until some are done.

    Attributes:
        started: When it began, in seconds of `clock`.
        note: Further text, such as a figure or the current step; it may come from outside.
    """

    def __init__(self, what: str, total: int | None = None, done: int = 0, seconds: float | None = None) -> None:
        self.what, self.total, self.done, self.note = what, total, done, ""
        self.started, self._expected = clock(), seconds
        self._is_first, self._counted, self._since = True, done, self.started

    def update(self, done: int, total: int | None = None, note: str | None = None) -> None:
        """State how many are done, and, if they have changed, how many there are and the note."""
        if done > self.done and self._is_first:
            self._is_first = False
            if clock() - self.started < SETTLING:
                self._counted, self._since = done, clock()
        self.done = done
        self.total = self.total if total is None else total
        self.note = self.note if note is None else note
        _changed()

    @property
    def rate(self) -> float:
        """How many are done in a second; 0 if none is, or only the first ones, before which kernels may compile."""
        seconds = clock() - self._since
        return (self.done - self._counted) / seconds if seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes, at first as expected and then at this rate; None: unknown, or nothing is left."""
        if self._expected is not None and clock() - self.started < min(self._expected, SETTLING):
            return self._expected - (clock() - self.started)
        if not self.rate or self.total is None or self.done >= self.total:
            return None
        return (self.total - self.done) / self.rate


tasks: list[Task] = []
"""All that is being done now; each one is a part of the one before it."""
_listeners: list[Callable[[], None]] = []


def _changed() -> None:
    for listener in _listeners:
        listener()


@contextlib.contextmanager
def shown_by(listener: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever `tasks`, or one of them, changes in this context."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextlib.contextmanager
def doing(what: str, total: int | None = None, done: int = 0, seconds: float | None = None) -> Iterator[Task]:
    """Do something that takes long in this context; see `Task`."""
    started = Task(what, total, done, seconds)
    tasks.append(started)
    _changed()
    try:
        yield started
    finally:
        tasks.remove(started)
        _changed()


def track(
    elements: Iterable[Element], what: str, total: int | None = None, seconds: float | None = None
) -> Iterator[Element]:
    """Yield elements, and count as done those that the caller has finished with.

    Args:
        elements: The elements.
        what: What they are, such as "states".
        total: How many there are; None: their length, if they have one.
        seconds: As in `Task`.
    """
    number = getattr(elements, "__len__", lambda: None)() if total is None else total
    with doing(what, number, seconds=seconds) as task:
        for done, element in enumerate(elements, 1):
            yield element
            task.update(done)
