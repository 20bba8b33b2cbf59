"""When model calls started and ended."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Sequence

from aucenv.runs.model_calls.calls import Call

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
"""The start of the time stamps of calls whose start is unknown, as in files of earlier versions."""


@dataclasses.dataclass(frozen=True)
class Times:
    """The times of a seat's calls: the real ones if all of them are known, else durations after 1970 began.

    Attributes:
        starts: the start of each call's successful attempt.
        working: the seconds of earlier calls at the start of each call.
        real: whether the times are real.
    """

    starts: Sequence[datetime.datetime]
    working: Sequence[float]
    real: bool

    @classmethod
    def of(cls, calls: Sequence[Call]) -> Times:
        """Return the times of a seat's calls, in order."""
        working, waited = 0.0, 0.0
        starts, seconds = [start_of(call) for call in calls], []
        real = [start for start in starts if start is not None]
        are_real = len(real) == len(calls)
        after_epoch = []
        for call in calls:
            waited += call.waited
            seconds.append(working if are_real else working + waited)
            after_epoch.append(EPOCH + datetime.timedelta(seconds=working + waited))
            working += call.seconds
        return cls(real if are_real else after_epoch, seconds, are_real)


def start_of(call: Call) -> datetime.datetime | None:
    """Return the time at which a call started; None if it is unknown."""
    try:
        start = datetime.datetime.fromisoformat(call.started.replace("Z", "+00:00"))
    except ValueError:
        return None
    return start if start.tzinfo else start.replace(tzinfo=datetime.UTC)


def span_of(calls: Iterable[Call]) -> tuple[datetime.datetime, datetime.datetime] | None:
    """Return when the first of these calls started and the last one ended; None if there are none with known times."""
    known = [(start, start + datetime.timedelta(seconds=call.seconds)) for call in calls if (start := start_of(call))]
    return (min(start for start, _ in known), max(end for _, end in known)) if known else None


def longest_seat(calls: Iterable[Call]) -> datetime.timedelta:
    """Return the longest total duration of the calls of a seat in one game, with waits."""
    seconds: dict[tuple[int, str], float] = {}
    for call in calls:
        seat = (call.game, call.seat)
        seconds[seat] = seconds.get(seat, 0.0) + call.waited + call.seconds
    return datetime.timedelta(seconds=max(seconds.values(), default=0.0))
