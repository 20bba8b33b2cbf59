"""Divide the inputs of a computation into tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TASK_SECONDS = 1.0
"""Seconds that a task should take: long against the milliseconds that a task costs, short against what a lost node
loses."""
FIRST_PACK = 4
"""Number of inputs of a task before it is known how long they take."""
TASK_BYTES = 4e6
"""The size that the results of a task should have at most, because many are in memory at the same time."""
MOST = 4096
"""The maximum number of inputs of a task."""
SHARE = 2
"""A task takes at most one of SHARE parts of what is left for a processor, so that all processors end together."""


class Packs:
    """The inputs that are left, by number.

    Args:
        inputs: all inputs.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._inputs = inputs
        self._next = 0
        self._timed = self._seconds = self._bytes = 0.0

    def take(self, processors: int) -> range:
        """Return the numbers of the inputs of the next task; none if all are taken."""
        left = len(self._inputs) - self._next
        number = FIRST_PACK
        if self._timed:
            cost = max(self._seconds / TASK_SECONDS, self._bytes / TASK_BYTES, 1e-9)
            number = int(self._timed / cost)
        number = max(1, min(number, MOST, -(-left // (SHARE * max(1, processors)))))
        taken = range(self._next, self._next + min(number, left))
        self._next = taken.stop
        return taken

    def learn(self, number: int, seconds: float, size: int) -> None:
        """Take into account how long some inputs took, and the bytes of their results; recent ones count most."""
        self._timed = self._timed / 2 + number
        self._seconds = self._seconds / 2 + seconds
        self._bytes = self._bytes / 2 + size
