"""Old names of public members, which work with a DeprecationWarning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that `old` is now called `new`, at the code that uses it."""
    warnings.warn(f"{old} is deprecated: use {new}", DeprecationWarning, stacklevel=stacklevel)


def renamed(**names: str) -> Callable[[C], C]:
    """Decorate a class: each old name stands for the attribute or method of the new name."""

    def add(owner: C) -> C:
        for old, new in names.items():
            setattr(owner, old, property(_reader(f"{owner.__name__}.{old}", new)))
        return owner

    return add


def _reader(old: str, new: str) -> Callable[[Any], Any]:
    def read(self: Any) -> Any:
        warn_renamed(old, new)
        return getattr(self, new)

    return read
