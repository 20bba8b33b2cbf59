"""Notice when numba compiles a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.event import Event, Listener, register


def call_on_compile(callback: Callable[[Any, tuple], None]) -> None:
    """Call a function with each kernel, a dispatcher of numba, and its argument types, before numba compiles it."""
    register("numba:compile", _Listener(callback))


class _Listener(Listener):
    def __init__(self, callback: Callable[[Any, tuple], None]) -> None:
        self._callback = callback

    def on_start(self, event: Event) -> None:
        self._callback(event.data["dispatcher"], event.data["args"])

    def on_end(self, event: Event) -> None:
        pass
