"""Processes of guests: how they start, answer and end, and which of them play no game."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import queue
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import BOOLEAN, TEXT, ListOf, Object
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.core.words.outside_text import shorten
from aucenv.policy.guest_process import receive, send

START_SECONDS = 120
"""Time limit for loading a bidder, in seconds."""
ANSWER_SECONDS = 60
"""Time limit for one answer, in seconds."""
LONGEST_ANSWER = 1 << 20
"""The most bytes of an answer, with its notes."""
LONGEST_ERROR = 300
TIMEVAL = struct.Struct("ll")
"""Seconds and microseconds, as the operating system takes time limits."""
KEPT_VARIABLES = ("LANG", "LC_ALL", "NUMBA_CACHE_DIR", "NUMBA_OPT", "AUCENV_SEAT_ROOM")
"""The environment variables of a guest, which decide on text encoding and on compiled code."""


ABOUT = Object({"interface": TEXT, "cheats": BOOLEAN, "observes": BOOLEAN, "methods": ListOf(TEXT)})
"""The first answer of a process, about its bidder."""


class GuestFailure(RuntimeError):
    """A guest has not answered: it raised an exception, ended, took too long or answered too much."""


class GuestProcess:
    """A process that has loaded a bidder, and its copy that plays; see `guest_process`.

    Args:
        game: The name of the game.
        name: The name of the bidder.

    Attributes:
        about: The process's first answer, about the bidder.

    Raises:
        ValueError: The bidder cannot be loaded.
    """

    def __init__(self, game: str, name: str) -> None:
        where = f"bidder {parse_bidder(name).label!r}"
        if not hasattr(os, "fork"):
            raise ValueError(f"{where}: a process of its own needs Linux or macOS; play it without --isolate")
        self._folder = tempfile.mkdtemp(prefix="aucenv-guest-")
        self._control, theirs = socket.socketpair()
        variables = {variable: os.environ[variable] for variable in KEPT_VARIABLES if variable in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from aucenv.policy.guest_process import main; main()"],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            env={**variables, "PYTHONPATH": os.pathsep.join(path for path in _import_path() if path)},
            start_new_session=True,
        )
        theirs.close()
        self._copy: socket.socket | None = None
        self._played: set[tuple[int, ...]] = set()
        self._head: tuple[Any, ...] | None = None
        atexit.register(self.end)
        start = {"game": game, "name": _with_whole_path(name), "path": _import_path()}
        try:
            _limit_waiting(self._control, START_SECONDS)
            send(self._control, pickle.dumps(start))
            self.about = ABOUT.check(without_error(read_answer(self._control)), "its answer")
        except (GuestFailure, ValueError, OSError) as error:
            self.end()
            raise ValueError(f"{where}, in a process of its own: {error}") from None
        for method in ("use_calls", "post"):
            if method in self.about["methods"]:
                self.end()
                raise ValueError(f"{where}: expected a bidder without {method}, which needs the process of the table")

    def connect(self) -> socket.socket:
        """Return a connection to a new copy of the process.

        Raises:
            OSError: The process has ended.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"\0"], [theirs.fileno()])
        _limit_waiting(ours, ANSWER_SECONDS)
        return ours

    def start(self, deal: tuple[int, ...]) -> socket.socket:
        """Return the connection to a copy of the process that has not played this deal.

        Raises:
            OSError: The process has ended.
        """
        if self._copy is None or deal in self._played:
            if self._copy is not None:
                self._copy.close()
            self._copy, self._played, self._head = self.connect(), set(), None
        self._played.add(deal)
        return self._copy

    def needs(self, head: tuple[Any, ...]) -> bool:
        """Return whether the copy needs this: the class of the views, the type of their rows, and their texts."""
        before, self._head = self._head, head
        return before != head

    def end(self) -> None:
        """End the process, and all that it has started in its session."""
        atexit.unregister(self.end)
        self._control.close()
        if self._copy is not None:
            self._copy.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _limit_waiting(connection: socket.socket, seconds: int) -> None:
    """Let a blocking socket wait no longer than this, without the additional calls of `settimeout`."""
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, option, TIMEVAL.pack(seconds, 0))


def _import_path() -> list[str]:
    return [str(Path(path).absolute()) for path in sys.path]


def _with_whole_path(name: str) -> str:
    """Return the name of a bidder with the whole path of its file, if it has one."""
    spec = parse_bidder(name)
    source = (spec.arg or "").rpartition(":")[0]
    file = USER_FILES.find(source if source.endswith(".py") else f"{source.replace('.', '/')}.py")
    if spec.kind != "py" or not file.is_file():
        return name
    return name.replace(f"py:{source}:", f"py:{file.resolve()}:", 1)


def read_answer(connection: socket.socket) -> JsonObject:
    """Return the next answer of a guest's process.

    Raises:
        GuestFailure: There is none, or it is no answer.
    """
    try:
        answer = json.loads(receive(connection, LONGEST_ANSWER))
    except BlockingIOError:
        limit = connection.getsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, TIMEVAL.size)
        raise GuestFailure(f"no answer within {TIMEVAL.unpack(limit)[0]} seconds") from None
    except OverflowError as error:
        raise GuestFailure(f"expected an answer of at most {LONGEST_ANSWER:,} bytes, got {error}") from None
    except (EOFError, OSError):
        raise GuestFailure("its process has ended") from None
    except (ValueError, RecursionError):
        raise GuestFailure("expected an answer in JSON, got other bytes") from None
    if not isinstance(answer, dict):
        raise GuestFailure("expected an answer in JSON, got other bytes")
    return answer


def without_error(answer: JsonObject) -> JsonObject:
    """Return an answer.

    Raises:
        GuestFailure: It states an error of the bidder.
    """
    if "error" in answer:
        raise GuestFailure(shorten(str(answer["error"]), LONGEST_ERROR))
    return answer


class GuestPool:
    """The processes of guests that no game uses, by game and bidder; a process plays one game at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], queue.SimpleQueue[GuestProcess]] = {}

    def take(self, game: str, name: str) -> GuestProcess:
        """Return an idle process of a bidder, or a new one."""
        try:
            return self._queue(game, name).get_nowait()
        except queue.Empty:
            return GuestProcess(game, name)

    def give_back(self, game: str, name: str, process: GuestProcess) -> None:
        """Let other games use a process."""
        self._queue(game, name).put(process)

    def _queue(self, game: str, name: str) -> queue.SimpleQueue[GuestProcess]:
        with self._lock:
            return self._idle.setdefault((game, name), queue.SimpleQueue())


POOL = GuestPool()
