"""Guests: bidders of users that play in a process of their own, so that they know nothing of the table but their view.

A guest's process has an empty environment and an empty working folder, and gets the views, the observations, the seat
and the seed of its bidder through a socket. It is no sandbox against the operating system: it can read the files of the
user who runs it.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import hashlib
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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.schema import BOOLEAN, TEXT, ListOf, Object
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.policy import Policy, check_policy
from aucenv.core.views.history import Entry
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.core.words.outside_text import shorten
from aucenv.policy.guest_process import receive, send
from aucenv.policy.registry import make_policy, packaged_bidders

SEED_SHIFT = 2
"""The bits by which a hash is shortened, so that a seed is as long as those of deals."""
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


@dataclasses.dataclass(frozen=True)
class Guests:
    """How the bidders of users play.

    Attributes:
        salt: The secret of the run from which their seeds follow, by a one-way hash, so that no seed of a deal can be
            found by trying seeds; "": seeds are those of other bidders.
        isolated: Whether they play in processes of their own.
    """

    salt: str = ""
    isolated: bool = False

    def policy(self, game: str, name: str, deal: tuple[int, ...] = ()) -> Policy:
        """Create a bidder by its name.

        Args:
            deal: The seed of the deal that it will play.

        Raises:
            ValueError: As in `make_policy`.
        """
        return Guest(game, name, deal) if self.isolated and is_guest(name) else make_policy(game, name)

    def seed(self, name: str, entropy: Sequence[int], seat: int) -> int | None:
        """Return the seed of a seat's randomness in a game; None: the one that the deal has.

        Args:
            name: The name of the bidder.
            entropy: The seed of the game.
            seat: The seat, from 0.
        """
        if not self.salt or not is_guest(name):
            return None
        text = json.dumps([self.salt, *entropy, seat])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> SEED_SHIFT


IN_PROCESS = Guests()


def is_guest(name: str) -> bool:
    """Return whether a bidder is a user's, a `py:` bidder or one of another package."""
    kind = parse_bidder(name).kind
    return kind == "py" or kind in packaged_bidders()


class Guest:
    """A bidder that plays in a process of its own; a policy.

    Args:
        game: The name of the game.
        name: The name of the bidder.
        deal: The seed of the deal that it will play.

    Attributes:
        interface: The bidder's interface.
        notes: The notes of its last action.

    Raises:
        ValueError: The bidder cannot be loaded.
    """

    def __init__(self, game: str, name: str, deal: tuple[int, ...] = ()) -> None:
        self._game, self._name, self._deal = game, name, deal
        self._process: GuestProcess | None = None
        self._connection: socket.socket | None = None
        with self._borrowed() as process:
            about = process.about
        self.interface = about["interface"]
        self.observes = about["observes"]
        self.cheats = about["cheats"]
        self.notes: JsonObject | None = None
        self._packer = Packer()
        for method in ("watch", "why_unplayable", "stated_objective"):
            if method in about["methods"]:
                setattr(self, method, getattr(self, f"_{method}"))
        check_policy(self, f"bidder {name!r}")

    def reset(self, seat: str, seed: int) -> None:
        """Start a game in a copy of the bidder's process that has not played this deal."""
        self.release()
        self._process = POOL.take(self._game, self._name)
        self._packer = Packer()
        self.notes = None
        self._ask("reset", seat, seed)

    def act(self, view: Any, observation: JsonMapping) -> Any:
        """Return the bidder's action."""
        answer = self._ask_with_view("act", view, dict(observation))
        self.notes = answer.get("notes")
        action = answer.get("result")
        if isinstance(action, dict):  # a whole number of thousands of digits
            return 10**2000 * (1 if action.get("boundless", 0) > 0 else -1)
        return action

    def close_game(self, view: Any) -> dict | None:
        """Return the bidder's notes on the game, and let other games use its process."""
        try:
            notes: dict | None = self._ask_with_view("close_game", view).get("result")
            return notes
        finally:
            self.release()

    def _watch(self, view: Any) -> None:
        self._ask_with_view("watch", view)

    def _why_unplayable(self, scenario: Any) -> str | None:
        reason = self._asked_apart("why_unplayable", scenario)
        return None if reason is None else str(reason)

    def _stated_objective(self, scenario: Any, seat: int) -> Any:
        return self._asked_apart("stated_objective", scenario, seat)

    def _asked_apart(self, method: str, *arguments: Any) -> Any:
        """Ask a copy of the process that plays no game, because the scenario may have what a seat may not know.

        Raises:
            ValueError: It does not answer, or raises an exception.
        """
        try:
            with self._borrowed() as process, process.connect() as connection:
                send(connection, pickle.dumps((method, *arguments)))
                return without_error(read_answer(connection)).get("result")
        except (GuestFailure, OSError) as error:
            raise ValueError(f"bidder {parse_bidder(self._name).label!r}, {method}: {error}") from None

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[GuestProcess]:
        process = POOL.take(self._game, self._name)
        try:
            yield process
        except BaseException:
            process.end()
            raise
        POOL.give_back(self._game, self._name, process)

    def _ask_with_view(self, method: str, view: Any, *arguments: Any) -> JsonObject:
        if self._process is not None and self._process.needs(head := (type(view), view.row.dtype, view.scenario_text)):
            self._ask("views", *head)
        return self._ask(method, self._packer.packed(view), *arguments)

    def _ask(self, *message: Any) -> JsonObject:
        """Return the answer to a message.

        Raises:
            GuestFailure: There is none, and the bidder's process is ended; or it states an error.
        """
        if self._process is None:
            raise GuestFailure("its process has ended")
        try:
            if self._connection is None:
                self._connection = self._process.start(self._deal)
            send(self._connection, pickle.dumps(message, protocol=5))
            answer = read_answer(self._connection)
        except (GuestFailure, OSError) as error:
            self._process.end()
            self._process = self._connection = None
            if isinstance(error, GuestFailure):
                raise
            raise GuestFailure("its process has ended") from None
        return without_error(answer)

    def release(self) -> None:
        """Let other games use the bidder's process."""
        self._connection = None
        if self._process is not None:
            POOL.give_back(self._game, self._name, self._process)
            self._process = None


class Packer:
    """Packs what changes in the views of a game: of the history only what is new."""

    def __init__(self) -> None:
        self._sent: tuple[Entry, ...] = ()

    def packed(self, view: SeatView) -> tuple[Any, ...]:
        """Return a view without its head; see `GuestProcess.needs`."""
        before, self._sent = self._sent, view._history
        stays = len(before) if view._history[: len(before)] == before else 0
        return view.row.tobytes(), view.seat_number, view.refused, view.reveals, stays, view._history[stays:]


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
