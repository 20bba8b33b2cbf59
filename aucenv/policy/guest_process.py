"""The process in which a guest plays: it loads the bidder once, and forks for each connection that arrives.

A copy plays games of different deals, so that what it has seen of a deal in one seat is no help in another one. It
knows the views, observations, seats and seeds that it receives, and nothing else of a run.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable
from typing import Any

LENGTH = struct.Struct("<I")
CHUNK = 1 << 18
"""The most bytes that are received at once."""
LARGEST = 1 << 30
"""The most bytes of a message to a guest."""
MEMORY, FILE_SIZE, OPEN_FILES = 8 << 30, 64 << 20, 256
"""The limits of the process: bytes of address space, bytes of each file, and the number of open files."""
LONGEST_INT = 4096
"""The most bits of an action that is a whole number; a larger one is no amount of money in any case."""


def send(connection: socket.socket, data: bytes) -> None:
    """Send a message."""
    connection.sendall(LENGTH.pack(len(data)) + data)


def receive(connection: socket.socket, most: int) -> bytes:
    """Return the next message; both ends send in turn, so that nothing follows it.

    Raises:
        EOFError: The other end is closed.
        OverflowError: The message has more bytes than this.
    """
    data = connection.recv(CHUNK)
    while len(data) < LENGTH.size or len(data) < LENGTH.size + LENGTH.unpack_from(data)[0]:
        if len(data) >= LENGTH.size and LENGTH.unpack_from(data)[0] > most:
            raise OverflowError(f"{LENGTH.unpack_from(data)[0]:,} bytes")
        more = connection.recv(CHUNK)
        if not more:
            raise EOFError
        data += more
    return data[LENGTH.size : LENGTH.size + LENGTH.unpack_from(data)[0]]


def main() -> None:
    """Load a bidder, then fork for each connection that arrives, until the parent closes its end."""
    control = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    start: dict[str, Any] = pickle.loads(receive(control, LARGEST))
    sys.path[:] = start["path"]
    sys.argv[:] = [""]
    os.environ.pop("PYTHONPATH", None)
    _limit()
    try:
        create = _loaded(start)
        about = _about(create())
    except BaseException as error:
        send(control, _as_json({"error": _in_words(error)}))
        return
    send(control, _as_json(about))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that ended games leave no zombies
    while True:
        _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not descriptors:
            os.killpg(0, signal.SIGKILL)
        if os.fork() == 0:
            control.close()
            os.chdir(tempfile.mkdtemp(dir="."))
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            try:
                _serve(socket.socket(fileno=descriptors[0]), create)
            finally:
                os._exit(0)
        os.close(descriptors[0])


def _limit() -> None:
    import resource

    limits = {
        resource.RLIMIT_AS: MEMORY,
        resource.RLIMIT_FSIZE: FILE_SIZE,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for name, most in limits.items():
        _, hard = resource.getrlimit(name)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (least, least))


def _loaded(start: dict[str, Any]) -> Callable[[], Any]:
    """Load the code of a bidder; return what creates it."""
    from aucenv.policy.registry import make_policy
    from aucenv.registration import find_family

    game = find_family(start["game"]).game  # its modules are imported before a game forks
    make_policy(game.name, start["name"])
    return lambda: make_policy(game.name, start["name"])


def _about(policy: Any) -> dict[str, Any]:
    """Return what a table has to know about a policy."""
    methods = ("watch", "why_unplayable", "stated_objective", "post", "use_calls")
    return {
        "interface": policy.interface,
        "cheats": bool(getattr(policy, "cheats", False)),
        "observes": bool(getattr(policy, "observes", True)),
        "methods": [name for name in methods if callable(getattr(policy, name, None))],
    }


def _serve(connection: socket.socket, create: Callable[[], Any]) -> None:
    """Answer messages, (method, arguments) each, until the table closes the connection; "reset" starts a game."""
    policy, views = create(), Views()
    while True:
        method, *arguments = pickle.loads(receive(connection, LARGEST))
        answer: dict[str, Any] = {}
        try:
            if method == "views":
                views = Views(*arguments)
            elif method == "reset":
                policy = create()
                views.forget()
                policy.reset(*arguments)
            elif method in ("act", "watch", "close_game"):
                packed, *rest = arguments
                answer["result"] = _plain(getattr(policy, method)(views.unpacked(packed), *rest))
            else:
                answer["result"] = _plain(getattr(policy, method)(*arguments))
            if method == "act":
                answer["notes"] = getattr(policy, "notes", None)
            data = _as_json(answer)
        except BaseException as error:
            data = _as_json({"error": _in_words(error)})
        send(connection, data)


class Views:
    """The views of a game, rebuilt from what is sent of them.

    Args:
        view: The class of the views.
        dtype: The type of their rows.
        scenario_text: Their texts.
    """

    def __init__(self, view: Any = None, dtype: Any = None, scenario_text: Any = None) -> None:
        self._view, self._dtype, self._scenario_text = view, dtype, scenario_text
        self._history: tuple[Any, ...] = ()

    def forget(self) -> None:
        """Forget the history of the last game."""
        self._history = ()

    def unpacked(self, packed: tuple) -> Any:
        """Return a view; see `aucenv.policy.guests.Packer`."""
        import numpy as np

        row, seat_number, refused, reveals, stays, new = packed
        self._history = (*self._history[:stays], *new)
        array = np.frombuffer(bytearray(row), self._dtype)
        return self._view(array, seat_number, self._scenario_text, refused, reveals, self._history)


def _plain(value: Any) -> Any:
    """Return an action or notes as JSON has them: numbers of numpy as those of Python, and no boundless numbers."""
    if type(value) is int:
        return value if value.bit_length() <= LONGEST_INT else {"boundless": 1 if value > 0 else -1}
    if isinstance(value, (str, float, bool, dict, tuple, list)) or value is None:
        return value
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return _plain(value.item())
    raise TypeError(f"expected a number or a text, got {type(value).__name__}")


def _as_json(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode()


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
