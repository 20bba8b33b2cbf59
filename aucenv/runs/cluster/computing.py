"""Run computations, whose inputs wait for nothing, on the nodes of a cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from aucenv.runs.cluster.job import ClusterFailure, Computation, Outcome
from aucenv.runs.cluster.nodes import Nodes, failure_of
from aucenv.runs.cluster.packs import Packs
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
