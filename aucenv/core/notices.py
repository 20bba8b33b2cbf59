"""What commands print in one line: warnings about the surroundings of a program, and news while it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


class Notice(UserWarning):
    """A warning about the surroundings of a program, such as an endpoint that lacks a feature."""


_listeners: list[Callable[[str], None]] = []


def inform(line: str) -> None:
    """Show the user of a command something that matters only while it runs, such as an endpoint that is silent."""
    for listener in _listeners:
        listener(line)


@contextlib.contextmanager
def informed_by(listener: Callable[[str], None]) -> Iterator[None]:
    """Call a function with each line of `inform` in this context."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
