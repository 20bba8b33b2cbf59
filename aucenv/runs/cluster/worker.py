"""What runs on the nodes of a cluster."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import shutil
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ray

from aucenv.core.compiled.cold_start import compile_kernels, kernel_folder, missing_kernels
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.policy import ModelFailure
from aucenv.policy.registry import make_policy
from aucenv.registration import restore_games
from aucenv.runs.cluster.job import Fingerprint, ModelCalls, NodesDiffer, Outcome, Play, Setup
from aucenv.runs.cluster.remote_journal import OpenJournals, RemoteJournal, RemoteSlots
from aucenv.runs.slots import IN_FLIGHT

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Pickled = bytes
"""A pickle. Ray's own copies of arrays are read-only, which is another type to compiled code."""
SetupBox = tuple[str, Any]
"""The name of a run, and the reference of its pickled Setup."""
LOCK = "aucenv-node.lock"
"""The file in the folder of compiled kernels by which the processes of a node compile one after another."""


class _Process:
    """What this process has done so far."""

    prepared: str | None = None
    bidders: Sequence[tuple[str, str]] = ()
    is_new = True


def prepare(box: SetupBox) -> int:
    """Prepare this process for a run, and compile what this node lacks; return the number of compiled kernels.

    Raises:
        NodesDiffer: this node has another version of aucenv or Python than the run.
    """
    run, reference = box
    if _Process.prepared == run:
        return 0
    pickled: Any = ray.get(reference)
    setup: Setup = pickle.loads(pickled)  # noqa: S301  # from the run
    here = Fingerprint.here()
    if here != setup.fingerprint:
        raise NodesDiffer(mismatch(node_name(), str(here), setup.fingerprint))
    restore_games(setup.games)
    if setup.files:
        _copy_files(setup)
    with node_lock():
        missing = missing_kernels(setup.work)
        compile_kernels(missing)
    _Process.prepared, _Process.bidders = run, setup.bidders
    return sum(len(part.calls) for part in missing)


def mismatch(node: str, there: str, expected: Fingerprint) -> str:
    """Return the message about a node that has something else than the run."""
    return f"node {node} has {there}, but this run has {expected}; install the same on all nodes"


def node_name() -> str:
    """Return the address of this node."""
    return ray.util.get_node_ip_address()


@contextlib.contextmanager
def node_lock() -> Iterator[Any]:
    """Let one process of this node at a time into this context; yield the open lock file, None if there is none."""
    folder = kernel_folder()
    if fcntl is None or folder is None:
        yield None
        return
    with (folder / LOCK).open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


@contextlib.contextmanager
def _first_of_node(run: str) -> Iterator[None]:
    """Let the first process of this node that gets here finish, and so compile, before the others."""
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(node_lock())
        if file is not None:
            file.seek(0)
            if file.read() == run:
                stack.close()
            else:
                file.truncate(0)
        yield
        if file is not None and not file.closed:
            file.write(run)


def _copy_files(setup: Setup) -> None:
    """Write the user's files into a folder of this process."""
    root = Path(tempfile.mkdtemp(prefix="aucenv-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for path, content in setup.files.items():
        copy = USER_FILES.copy_of(root, setup.start, path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
    USER_FILES.use_copies(root, setup.start)


def run_inputs(play: Play, inputs: list[Any]) -> Outcome:
    """Return the outcome of a function for some inputs; its errors are part of it."""
    is_first, _Process.is_new = _Process.is_new, False
    results: list[bytes] = []
    started = time.perf_counter()
    try:
        results.extend(zlib.compress(pickle.dumps(result), 1) for result in play(inputs))
    except Exception as error:
        return Outcome(results, *_portable(error), time.perf_counter() - started, is_first)
    return Outcome(results, None, None, time.perf_counter() - started, is_first)


def _portable(error: Exception) -> tuple[Exception, BaseException | None]:
    """Return an error and its cause, or equivalents that can be sent to another machine."""

    def sendable(each: BaseException | None) -> Any:
        try:
            pickle.loads(pickle.dumps(each))  # noqa: S301  # made here
        except Exception:
            return RuntimeError(f"{type(each).__name__}: {each}")
        return each

    return sendable(error), sendable(error.__cause__)


def compute(box: SetupBox, task: Pickled, compiles: bool) -> Outcome:
    """Return the outcome of a function for some inputs.

    Args:
        box: the setup.
        task: the function and its inputs.
        compiles: whether the function compiles kernels that the setup does not name.
    """
    prepare(box)
    play, inputs = pickle.loads(task)  # noqa: S301  # from the run
    if not compiles:
        return run_inputs(play, inputs)
    with _first_of_node(box[0]):
        return run_inputs(play, inputs)


class GameHost:
    """A process that plays games whose bidders wait for models, one in each thread.

    Args:
        name: its name in the ledger.
        ledger: the ledger.
        models: what is needed to call models.
        forfeit: as in `aucenv.play`.
    """

    def __init__(self, name: str, ledger: Any, models: ModelCalls, forfeit: bool) -> None:
        self._name, self._ledger, self._models, self._forfeit = name, ledger, models, forfeit
        self._journals = OpenJournals()
        self._failures: dict[tuple, ModelFailure] = {}

    def prepare(self, box: SetupBox) -> int:
        """Prepare the process, and return the number of compiled kernels."""
        compiled = prepare(box)
        os.environ.update(ray.get(self._ledger.admit.remote(self._name)))
        for game, bidder in _Process.bidders:
            with contextlib.suppress(Exception):  # its first game reports the error
                make_policy(game, bidder)
        IN_FLIGHT.share(lambda url, most: RemoteSlots(self._ask, self._notify, url, most))
        threading.Thread(target=self._watch, daemon=True).start()
        return compiled

    def play(self, game: Pickled) -> Outcome:
        """Play a game.

        Args:
            game: a match and its earlier calls.
        """
        match, calls = pickle.loads(game)  # noqa: S301  # from the run
        journal = RemoteJournal(
            self._ask,
            self._notify,
            self._models.prices,
            self._models.limit.max_cost is not None,
            self._models.file,
            calls,
            self._failures,
        )
        with self._journals.opened(journal):
            return run_inputs(lambda matches: (each.play(journal, self._forfeit) for each in matches), [match])

    def _ask(self, method: str, *arguments: Any) -> Any:
        return ray.get(self._remote(method, *arguments))

    def _notify(self, method: str, *arguments: Any) -> None:
        self._remote(method, *arguments)

    def _remote(self, method: str, *arguments: Any) -> Any:
        named = arguments if method == "waits" else (self._name, *arguments)
        return getattr(self._ledger, method).remote(*named)

    def _watch(self) -> None:
        with contextlib.suppress(ray.exceptions.RayError):  # the ledger has ended with the run
            self._journals.stop(*ray.get(self._ledger.watch.remote()))
