"""Run computations, whose inputs wait for nothing, on the nodes of a cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from aucenv.runs.cluster.job import ClusterFailure, Computation, Outcome
from aucenv.runs.cluster.nodes import Nodes, failure_of
from aucenv.runs.cluster.worker import compute

RETRIES = 8
"""How often a task is repeated after its node was lost; a task that ends its process would do so each time."""
TICK = 2.0
"""Seconds between two looks at the nodes."""

Send = Callable[..., None]
"""Sends a message to the run."""


def run_computation(job: Computation, send: Send, is_stopped: Callable[[], bool]) -> None:
    """Compute, and send ("results", number of the first, results) and ("nodes", text).

    Raises:
        NodesDiffer: a node has another version of aucenv or Python.
        ClusterFailure: a task was repeated too often.
        Exception: that of an input.
    """
    nodes, packs = Nodes(), Packs(job.inputs)
    box = (job.setup.run, ray.put(pickle.dumps(job.setup)))
    nodes.prepare(box, job.setup, lambda text: send("nodes", text))
    compiles = not job.setup.work
    submit: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(compute).remote
    running: dict[Any, range] = {}
    try:
        while not is_stopped():
            nodes.refresh()
            send("nodes", str(nodes))
            while len(running) < max(1, nodes.processors) and (pack := packs.take(nodes.processors)):
                task = pickle.dumps((job.play, [job.inputs[number] for number in pack]))
                running[submit(box, task, compiles)] = pack
            if not running:
                return
            for reference in ray.wait(list(running), timeout=TICK)[0]:
                pack = running.pop(reference)
                outcome = outcome_of(reference, f"inputs {pack.start} to {pack.stop - 1}")
                if not outcome.is_first:
                    packs.learn(len(pack), outcome.seconds, sum(map(len, outcome.results)))
                send("results", pack.start, outcome.results)
                outcome.check()
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def outcome_of(reference: Any, what: str) -> Outcome:
    """Return the outcome of a task.

    Raises:
        NodesDiffer: its node could not prepare for the run.
        ClusterFailure: it was repeated too often, or the object store is full.
    """
    try:
        outcome: Outcome = ray.get(reference)
    except RayTaskError as error:
        raise failure_of(error) from None
    except RayError as error:
        raise ClusterFailure(f"{what} cannot be finished: {failure_of(error)}") from None
    return outcome


TASK_SECONDS = 1.0
"""Seconds that a task should take: long against the milliseconds that a task costs, short against what a lost node
loses."""
FIRST_PACK = 4
"""Number of inputs of a task before it is known how long they take."""
TASK_BYTES = 4e6
"""The size that the results of a task should have at most, because many are in memory at the same time."""
MOST = 4096
"""The maximum number of inputs of a task."""
SHARE = 2
"""A task takes at most one of SHARE parts of what is left for a processor, so that all processors end together."""


class Packs:
    """The inputs that are left, by number.

    Args:
        inputs: all inputs.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._inputs = inputs
        self._next = 0
        self._timed = self._seconds = self._bytes = 0.0

    def take(self, processors: int) -> range:
        """Return the numbers of the inputs of the next task; none if all are taken."""
        left = len(self._inputs) - self._next
        number = FIRST_PACK
        if self._timed:
            cost = max(self._seconds / TASK_SECONDS, self._bytes / TASK_BYTES, 1e-9)
            number = int(self._timed / cost)
        number = max(1, min(number, MOST, -(-left // (SHARE * max(1, processors)))))
        taken = range(self._next, self._next + min(number, left))
        self._next = taken.stop
        return taken

    def learn(self, number: int, seconds: float, size: int) -> None:
        """Take into account how long some inputs took, and the bytes of their results; recent ones count most."""
        self._timed = self._timed / 2 + number
        self._seconds = self._seconds / 2 + seconds
        self._bytes = self._bytes / 2 + size
