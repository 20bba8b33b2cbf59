"""Signals that ask a command to end."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
STATUS = 128
"""What shells add to the number of a signal."""


class Terminated(KeyboardInterrupt):
    """A signal other than that of Ctrl-C ends the command, so that nobody is asked what to do."""


@contextlib.contextmanager
def ending_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the command as Ctrl-C does, with the exit status 128 + the number of the signal.

    Signals that are ignored, as SIGHUP is under nohup, and those of a program that handles them itself are left alone.
    """
    received: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        received.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt) and interrupt is not signal.default_int_handler:
            interrupt(number, frame)  # it ends in a way of its own, such as with a checkpoint
        else:
            raise Terminated

    is_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in ENDING if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    except SystemExit as exit_:
        if received and exit_.code == STATUS + signal.SIGINT:
            raise SystemExit(STATUS + received[0]) from None
        raise
    except KeyboardInterrupt:
        raise SystemExit(STATUS + (received or [signal.SIGINT])[0]) from None
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
