"""The process that is connected to a cluster.

Ray ends the process that is connected to a cluster when the head is lost, and may wait long for an address that does
not answer; so this is not the process of the run.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from multiprocessing.connection import Connection
from typing import Any

from aucenv.runs.child_processes import end_with_parent
from aucenv.runs.cluster.job import Computation, WaitingGames

CLIENT = "ray://"
"""The beginning of the address of a Ray Client server."""


def serve(connection: Connection, address: str) -> None:
    """Connect to a cluster, and run jobs until the run ends this process.

    Messages to the run are ("imported",), ("connected",) or ("refused", why); for each job those of
    `computing.run_computation` and `waiting.WaitingRun`, and then ("done", error, its cause); ("lost",) if the head is
    lost. Those from the run are ("job", job), ("written", number of calls), ("stop", why, how to resume), and after
    "done" ("end",).
    """
    end_with_parent()
    _silence()
    lock = threading.Lock()

    def send(*message: Any) -> None:
        with lock:
            connection.send(message)

    import ray

    send("imported")
    try:
        head = _connect(ray, address)
    except Exception as error:  # Ray raises errors of many kinds
        send("refused", next(iter(str(error).strip().splitlines()), type(error).__name__))
        return
    from aucenv.runs.cluster.nodes import watch_head

    def lose() -> None:
        send("lost")
        os._exit(1)

    watch_head(head, lose)
    send("connected")
    with contextlib.suppress(EOFError):
        while True:
            job = connection.recv()
            if job[0] == "job":
                _run_job(job[1], connection, send)


def _silence() -> None:
    """Let neither Ray nor what it starts write to the terminal of the run."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


def _connect(ray: Any, address: str) -> str:
    """Connect, and return host and port of what answers for the cluster.

    Raises:
        Exception: there is no such cluster; the message says why.
    """
    from aucenv.runs.cluster.nodes import answers

    place = _running_cluster() if address == "auto" else address.removeprefix(CLIENT)
    host, _, port = place.rpartition(":")
    if not answers(host, int(port), 3.0):
        raise ConnectionError(f"nothing accepts connections at {place}")
    ray.init(address=address, log_to_driver=False, configure_logging=False, logging_level=logging.CRITICAL)
    return place if address.startswith(CLIENT) else str(ray.get_runtime_context().gcs_address)


def _running_cluster() -> str:
    """Return the address of the cluster of RAY_ADDRESS or of this machine.

    Raises:
        ConnectionError: there is none.
    """
    from ray._private.services import canonicalize_bootstrap_address_or_die

    try:
        return str(canonicalize_bootstrap_address_or_die("auto"))
    except ConnectionError:
        raise ConnectionError("none runs on this machine, and RAY_ADDRESS names none") from None


def _run_job(job: Computation | WaitingGames, connection: Connection, send: Any) -> None:
    """Run a job, and end when the run has answered with ("end",)."""
    stopped = threading.Event()
    games: Any = None

    def read() -> None:
        while True:
            try:
                name, *values = connection.recv()
            except EOFError:
                os._exit(0)
            if name == "end":
                return
            if name == "written":
                games.ledger.written.remote(*values)
            elif name == "stop":
                stopped.set()
                if games is not None:
                    games.stop(*values)

    reader = threading.Thread(target=read, daemon=True)
    error: Exception | None = None
    try:
        if isinstance(job, Computation):
            from aucenv.runs.cluster.computing import run_computation

            reader.start()
            run_computation(job, send, stopped.is_set)
        else:
            from aucenv.runs.cluster.waiting import WaitingRun

            games = WaitingRun(job, send)
            reader.start()
            games.run()
    except Exception as raised:
        error = _without_ray(raised)
    send("done", error, None if error is None else error.__cause__)
    if not reader.is_alive() and not reader.ident:
        reader.start()
    reader.join()


def _without_ray(error: Exception) -> Exception:
    """Return an error that the run can read without Ray."""
    from ray.exceptions import RayError

    from aucenv.runs.cluster.nodes import failure_of

    return failure_of(error) if isinstance(error, RayError) else error
