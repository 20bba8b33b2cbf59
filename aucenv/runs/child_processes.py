"""Threads and processes that end with the process that has started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait

GRACE = 5.0
"""Seconds that running calls have to finish when a run is interrupted."""


def end_with_parent() -> None:
    """End this process as soon as its parent has ended, even if that was killed.

    Ctrl-C, and the end of the terminal, are left to the parent.
    """
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
