"""Distribution of rows among threads; kernels release the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from aucenv.core.checks import whole_number
from aucenv.core.files import JsonObject


class Threads:
    """A thread pool that runs one kernel over all rows, with a contiguous range of rows per thread.

    The threads start with the first run, and start again if `run` is called after `close`.

    Args:
        number: The number of threads.

    Raises:
        ValueError: `number` is not a whole number from 1 to 1024.
    """

    def __init__(self, number: int) -> None:
        self.number = whole_number("num_threads", number, 1, 1024)
        self._pool: ThreadPoolExecutor | None = None

    def run(self, function: Callable[..., None], num_rows: int, *args: object) -> None:
        """Call `function(first, last, thread, *args)` for ranges of rows that partition 0 to `num_rows` - 1."""
        cuts = [num_rows * i // self.number for i in range(self.number + 1)]
        if self._pool is None and self.number > 1:
            self._pool = ThreadPoolExecutor(self.number - 1)
        others = [
            self._pool.submit(function, cuts[i], cuts[i + 1], i, *args) for i in range(1, self.number) if self._pool
        ]
        function(cuts[0], cuts[1], 0, *args)
        for other in others:
            other.result()

    def scratch(self, first: int, *rest: int, dtype: type = np.int64) -> np.ndarray:
        """Return a scratch array of at least (number, first, *rest), in which no two threads share a cache line."""
        return np.zeros((self.number, first + 16, *rest), dtype)

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> JsonObject:
        return {"number": self.number, "_pool": None}
