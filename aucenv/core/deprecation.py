"""Old names of public members, which still work but emit a DeprecationWarning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Emit a DeprecationWarning that `old` is now called `new`, attributed to the code that uses it."""
    warnings.warn(f"{old} is deprecated: use {new}", DeprecationWarning, stacklevel=stacklevel)


def renamed(**names: str) -> Callable[[C], C]:
    """Return a class decorator that makes each old name an alias of the attribute or method of the new name.

    `dir` of an instance does not list old names.

    Args:
        names: The new name by old name.
    """

    def new_names(self: Any) -> list[str]:
        return [name for name in object.__dir__(self) if name not in names]

    def add(owner: C) -> C:
        added: dict[str, Any] = {old: property(_reader(f"{owner.__name__}.{old}", new)) for old, new in names.items()}
        for name, value in (added | {"__dir__": new_names}).items():
            setattr(owner, name, value)
        return owner

    return add


def _reader(old: str, new: str) -> Callable[[Any], Any]:
    def read(self: Any) -> Any:
        warn_renamed(old, new)
        return getattr(self, new)

    return read
