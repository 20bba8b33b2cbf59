"""How many threads a model on the CPU writes with."""

from __future__ import annotations

import os


def torch_threads() -> int:
    """All cores but one, for the games: where threads outnumber idle cores, a small model is ten times slower."""
    return max(1, (os.cpu_count() or 2) - 1)
