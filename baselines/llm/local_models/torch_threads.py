"""The number of threads for a model on the CPU."""

from __future__ import annotations

import os


def torch_threads() -> int:
    """Return the number of cores minus one; the remaining core plays the games.

    With more threads than idle cores, a small model is ten times slower.
    """
    return max(1, (os.cpu_count() or 2) - 1)
