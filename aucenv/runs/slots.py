"""The limits on simultaneous calls of an endpoint, which all bidders with the same endpoint and limit share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

Slots = AbstractContextManager
"""In this context, a call may be sent."""
MakeSlots = Callable[[str, int], Slots]


class InFlight:
    """The limits of a process.

    Args:
        make: creates the limit of an endpoint with a number of simultaneous calls.
    """

    def __init__(self, make: MakeSlots = lambda url, most: threading.BoundedSemaphore(most)) -> None:
        self._lock = threading.Lock()
        self._make = make
        self._slots: dict[tuple[str, int], Slots] = {}

    def of(self, url: str, most: int) -> Slots:
        """Return the limit of an endpoint."""
        with self._lock:
            if (url, most) not in self._slots:
                self._slots[url, most] = self._make(url, most)
            return self._slots[url, most]

    def share(self, make: MakeSlots) -> None:
        """Take all limits from elsewhere, for example from those of a cluster."""
        with self._lock:
            self._make = make
            self._slots.clear()


IN_FLIGHT = InFlight()
