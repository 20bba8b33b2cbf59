"""What core calls but other rooms do: `aucenv/__init__` names it, and it is imported when it is first called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

ENTRIES: dict[str, str] = {}
"""Name of a hook -> the function, `module:function`."""


def call(name: str, *args: Any) -> Any:
    """Call the function that stands for a hook.

    Args:
        name: The name of the hook, one of ENTRIES.
        args: The arguments of the function.
    """
    module, _, function = ENTRIES[name].partition(":")
    return getattr(import_module(module), function)(*args)
