"""The function that is called before kernels are compiled, without an import of numba, which takes long."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

Announce = Callable[[str, float, bool], None]
"""Called with what the kernels are for, about how many seconds it takes, and whether the disk cache keeps them."""

_current: list[Announce | None] = [None]


def announce(name: str, seconds: float, cached: bool) -> None:
    """Announce kernels, if a function for this is set."""
    function = _current[-1]
    if function is not None:
        function(name, seconds, cached)


def is_announced() -> bool:
    """Return whether a function is set."""
    return _current[-1] is not None


@contextlib.contextmanager
def announced(function: Announce | None) -> Iterator[None]:
    """Call a function before kernels are compiled in this context; None announces nothing."""
    _current.append(function)
    try:
        yield
    finally:
        _current.pop()
