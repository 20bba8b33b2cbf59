"""The nodes of a cluster as the process sees them that is connected to it."""

from __future__ import annotations

import dataclasses
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import ray
from ray.exceptions import ObjectStoreFullError, OutOfDiskError, RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from aucenv.runs.cluster.job import ClusterFailure, Fingerprint, NodesDiffer, Setup
from aucenv.runs.cluster.worker import mismatch, prepare

HEAD = "node:__internal_head__"
"""The resource that only the head of a cluster has."""
SILENT_CHECKS = 3
"""Number of checks in a row that the head does not answer before it counts as lost."""
CHECK_SECONDS = 2.0
"""Seconds between two checks, and of a check."""


@dataclasses.dataclass(frozen=True)
class Node:
    """A node that is alive.

    Attributes:
        id: its id in Ray.
        address: its address.
        processors: the number of its processors that Ray may use.
        is_head: whether it is the head.
    """

    id: str
    address: str
    processors: int
    is_head: bool


def on(node: Node) -> NodeAffinitySchedulingStrategy:
    """Return the strategy that runs a task on a node."""
    return NodeAffinitySchedulingStrategy(node.id, soft=False)


class Nodes:
    """The nodes that play games, and those that were lost during the run."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._read = 0.0
        self.alive: list[Node] = []
        self.refresh()

    def refresh(self) -> None:
        """Read the list again, at most once in CHECK_SECONDS."""
        if time.monotonic() - self._read < CHECK_SECONDS:
            return
        self.all = [
            Node(
                node["NodeID"],
                node["NodeManagerAddress"],
                int(node["Resources"].get("CPU", 0)),
                HEAD in node["Resources"],
            )
            for node in ray.nodes()
            if node["Alive"]
        ]
        self.alive = [node for node in self.all if node.processors]
        self._known.update(node.id for node in self.alive)
        self._read = time.monotonic()

    @property
    def processors(self) -> int:
        """The number of processors."""
        return sum(node.processors for node in self.alive)

    @property
    def head(self) -> Node:
        """The head."""
        return next(node for node in self.all if node.is_head)

    def __str__(self) -> str:
        lost = len(self._known) - len(self.alive)
        return f"{len(self.alive)} node{'s' * (len(self.alive) != 1)}" + (f", {lost} lost" if lost else "")

    def prepare(self, box: tuple[str, Any], setup: Setup, show: Callable[[str], None]) -> None:
        """Compile on each node what it lacks, and check that it has what the run has.

        Raises:
            NodesDiffer: a node has another version of aucenv or Python.
        """
        for node in self.alive:
            fingerprint = self._fingerprint(node)
            if fingerprint not in (None, setup.fingerprint):
                raise NodesDiffer(mismatch(node.address, str(fingerprint), setup.fingerprint))
        show(f"compiling kernels on {self}" if setup.work else f"preparing {self}")
        task = ray.remote(num_cpus=0)(prepare)
        references = [task.options(scheduling_strategy=on(node)).remote(box) for node in self.alive]
        for reference in references:
            _result(reference)

    def _fingerprint(self, node: Node) -> Fingerprint | None:
        """Return what a node has; None if it is lost. A node that has just joined may not accept tasks at once."""
        while node in self.alive:
            answer = _result(_identify.options(scheduling_strategy=on(node)).remote())
            if answer is not None:
                return Fingerprint(*answer)
            time.sleep(CHECK_SECONDS)
            self.refresh()
        return None


def _result(reference: Any) -> Any:
    """Return the result of a task on one node; None if the node is lost, so that others play its games."""
    try:
        return ray.get(reference)
    except RayTaskError as error:
        raise failure_of(error) from None
    except RayError:
        return None


def failure_of(error: RayError) -> Exception:
    """Return the error of the run for an error of a task, other than that of its inputs."""
    cause = getattr(error, "cause", None) or error
    if isinstance(cause, (ObjectStoreFullError, OutOfDiskError)):
        return ClusterFailure("the object store of the cluster is full")
    if isinstance(cause, NodesDiffer):
        return cause
    if isinstance(cause, ImportError):
        return NodesDiffer(f"a node lacks a module of this run: {cause}")
    text = next(iter(str(cause).strip().splitlines()), "")
    return ClusterFailure(f"{type(cause).__name__}: {text}")


def _make_identify() -> Any:
    """Return a task that is sent as a whole, so that a node needs no module of aucenv for it."""

    @ray.remote(num_cpus=0, max_retries=0)
    def identify() -> tuple[str, str, str]:
        import platform

        python = platform.python_version().rpartition(".")[0]
        try:
            import aucenv
        except ImportError:
            return python, "none", "none"
        try:
            from aucenv.runs.cluster.job import source_hash
        except ImportError:
            return python, aucenv.__version__, "unknown"
        return python, aucenv.__version__, source_hash()

    return identify


_identify = _make_identify()


def watch_head(address: str, lost: Callable[[], None]) -> None:
    """Call a function, in a thread, when the head stops to answer.

    Without it, Ray would end this process after a minute.

    Args:
        address: host and port of the head.
        lost: the function.
    """
    host, _, port = address.rpartition(":")

    def watch() -> None:
        silent = 0
        while silent < SILENT_CHECKS:
            time.sleep(CHECK_SECONDS)
            silent = 0 if answers(host, int(port), CHECK_SECONDS) else silent + 1
        lost()

    threading.Thread(target=watch, daemon=True).start()


def answers(host: str, port: int, seconds: float) -> bool:
    """Return whether something accepts connections at an address."""
    try:
        with socket.create_connection((host.strip("[]"), port), seconds):
            return True
    except OSError:
        return False
