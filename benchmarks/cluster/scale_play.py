"""The measurements of `scale measure`: clusters of one to four nodes on this machine."""

from __future__ import annotations

import dataclasses
import itertools
import multiprocessing
import os
import pickle
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from aucenv.benchmarks.cluster.scale_model import Machines, Prediction, Times, predict
from aucenv.benchmarks.timings.llm_play import loopback, makespan, sequential_calls

from aucenv.core.records.record import GameRecord
from aucenv.runs.cluster.executor import Cluster
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.play import Match

COMPUTED = {
    "english, three rule bidders": Match("english", "standard-20k-random", ("rule", "value", "pace"), (0,)),
    "harbor, three bidders": Match("harbor", "evaluation-mixed", ("expact", "value", "persona"), (0,)),
}
LATENCY = 0.5
"""Seconds that the loopback model takes for a reply."""
CONCURRENCY = 32
"""Games with models at the same time."""
SECOND = 1.0
"""Seconds of a task of `overheads`."""


@dataclasses.dataclass(frozen=True)
class Row:
    """A comparison of the model with a measurement, in games per hour."""

    workload: str
    nodes: int
    predicted: Prediction
    measured: float


def numbered(match: Match, count: int) -> list[Match]:
    """Return games that differ in their deals."""
    return [dataclasses.replace(match, seed=(0, number), index=number) for number in range(count)]


def compare(seconds: float, cores: int) -> Iterator[Row]:
    """Yield a row for each workload on each number of nodes.

    Args:
        seconds: about how long each measurement takes.
        cores: physical cores of this machine.
    """
    for (name, match), nodes in itertools.product(COMPUTED.items(), (1, 2)):
        times = computed_times(match)
        predicted = predict(times, Machines(nodes, cores=cores))
        with on_nodes(nodes) as address:
            games = numbered(match, max(20, round(predicted.per_hour * seconds / 3600)))
            list(Cluster(address).play(games[: len(games) // 4], CallJournal()))  # warm
            yield Row(name, nodes, predicted, steady_rate(Cluster(address), games, 0))
    with loopback(LATENCY) as url:
        match = model_game(url)
        with on_nodes(1) as address:
            times = waiting_times(address, match, 4 * CONCURRENCY)
        for nodes in (2, 4):
            predicted = predict(times, Machines(nodes, cores=cores, concurrency=CONCURRENCY))
            games = numbered(match, max(4 * CONCURRENCY, round(predicted.per_hour * seconds / 3600)))
            with on_nodes(nodes) as address:
                measured = steady_rate(Cluster(address, CONCURRENCY), games, CONCURRENCY)
            yield Row(f"models that take {LATENCY:g} s", nodes, predicted, measured)


def model_game(url: str) -> Match:
    """Return a short game of three models."""
    from aucenv.envs.english.game import GAME

    scenario = GAME.load_scenario("standard-20k-random").changed(num_items=2)
    return Match("english", scenario, tuple(f"m{seat}=llm:openai:m,base_url={url}" for seat in range(3)), (0,))


class on_nodes:  # noqa: N801  # a context, named like a function
    """Start a cluster of some nodes with one processor each, and return its address."""

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes

    def __enter__(self) -> str:
        self._folder = tempfile.TemporaryDirectory()
        self._cluster = NodeCluster(Path(self._folder.name), self._nodes)
        return str(self._cluster.address)

    def __exit__(self, *_: object) -> None:
        self._cluster.close()
        self._folder.cleanup()


def computed_times(match: Match, count: int = 1000) -> Times:
    """Measure a game in this process: playing it and packing its record, and unpacking and writing it."""
    games = numbered(match, count)
    for game in games[:10]:
        game.play()
    started = time.perf_counter()
    packed = [zlib.compress(pickle.dumps(game.play()), 1) for game in games]
    work = (time.perf_counter() - started) / count
    return Times(work, recording_seconds(packed, ()) / count)


def recording_seconds(packed: Iterable[bytes], calls: Iterable[Call]) -> float:
    """Return how long the process of a run takes to unpack and write records and calls."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "games.jsonl").open("w", encoding="utf-8") as file:
        journal = CallJournal(Path(folder) / "calls.jsonl")
        started = time.perf_counter()
        for call in calls:
            journal.append(pickle.loads(pickle.dumps(call)))  # noqa: S301  # made here
        for each in packed:
            record: GameRecord = pickle.loads(zlib.decompress(each))  # noqa: S301  # made here
            file.write(record.to_json() + "\n")
        seconds = time.perf_counter() - started
        journal.close()
    return seconds


def waiting_times(address: str, match: Match, count: int) -> Times:
    """Measure games of models: their calls and work with a model that replies at once, and calls on one node.

    Args:
        address: of a cluster with one node.
        match: the game.
        count: number of games; they differ much in their numbers of calls.
    """
    journal = CallJournal()
    with loopback(0.0) as url:
        games = numbered(model_game(url), count)
        games[0].play(journal)
        started = time.process_time()
        records = [games[0].play()] + [game.play(journal) for game in games[1:]]
        work = (time.process_time() - started) / count
    calls = [sequential_calls(record) for record in records]
    executor = Cluster(address, 1)
    alone = numbered(match, 4)
    seconds = timed(executor, lambda journal: executor.play(alone, journal))[-1]
    overhead = (seconds - 4 * work) / sum(calls[:4]) - LATENCY
    every_call = len(journal.calls) / count
    packed = [zlib.compress(pickle.dumps(record), 1) for record in records]
    recording = recording_seconds(packed, journal.calls) / count
    return Times(work, recording, statistics.mean(calls), every_call, LATENCY, max(0.0, overhead))


def timed(executor: Cluster, run: Callable[[CallJournal], Iterable[Any]]) -> list[float]:
    """Return when each result came, in seconds since all nodes were ready."""
    ready: list[float] = []
    journal = CallJournal()

    def note() -> None:
        if executor.status[:1].isdecimal() and not ready:
            ready.append(time.perf_counter())

    journal.on_call = note
    ends = [time.perf_counter() for _ in run(journal)]
    return [end - ready[0] for end in ends]


def steady_rate(executor: Cluster, games: Sequence[Match], concurrency: int) -> float:
    """Return games per hour, without the first and the last games that are played at the same time."""
    times = timed(executor, lambda journal: executor.play(games, journal))
    if not concurrency:
        return 3600 * len(times) / times[-1]
    first, last = concurrency - 1, len(times) - concurrency
    return 3600 * (last - first) / (times[last] - times[first])


def overheads() -> Iterator[tuple[str, float, float]]:
    """Yield what is measured, the seconds that it should take and those that it takes on the cluster."""
    tasks = [SECOND] * 60
    with on_nodes(2) as address, ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(work_for, [0.1] * 4))
        started = time.perf_counter()
        list(pool.map(work_for, tasks))
        in_processes = time.perf_counter() - started
        cluster = Cluster(address)
        list(cluster.map(work_for_all, [0.1] * 4))
        on_cluster = timed(cluster, lambda journal: cluster.map(work_for_all, tasks, journal=journal))
        yield "60 computed tasks of 1 s on 2 nodes; in 2 processes", in_processes, on_cluster[-1]
    with loopback(1.0) as url, on_nodes(4) as address:
        games = numbered(model_game(url), 192)
        cluster, records = Cluster(address, 64), list[GameRecord]()
        seconds = timed(cluster, lambda journal: kept(cluster.play(games, journal), records))
        records.sort(key=lambda record: record.index)
        ideal = makespan([float(sequential_calls(record)) for record in records], 64)
        yield "192 games, 64 at a time, of models that take 1 s on 4 nodes; ideal", ideal, seconds[-1]


def kept(records: Iterator[GameRecord], into: list[GameRecord]) -> Iterator[GameRecord]:
    """Yield records, and add them to a list."""
    for record in records:
        into.append(record)
        yield record


def work_for(seconds: float) -> None:
    """Keep a processor busy for some seconds of its own time."""
    started = time.process_time()
    while time.process_time() - started < seconds:
        pass


def work_for_all(tasks: list[float]) -> Iterator[None]:
    """Keep a processor busy for each of these seconds."""
    for seconds in tasks:
        work_for(seconds)
        yield None


STORE = 80 * 2**20
"""Bytes of the object store of a node; Ray's least is 75 MiB."""


class NodeCluster:
    """A cluster whose head plays no games, with nodes of one processor, each with its own folder for kernels.

    Args:
        folder: for the kernels.
        nodes: the number of nodes.
        env: environment variables of the nodes; NUMBA_CACHE_DIR gives all of them one folder.
    """

    def __init__(self, folder: Path, nodes: int, **env: str) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster

        self.folder, self.env = folder, env
        checks = {"health_check_period_ms": 500, "health_check_failure_threshold": 3}
        store = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=store | {"_system_config": checks})
        self.address = self.cluster.address
        self.nodes: list[Any] = []
        for _ in range(nodes):
            self.add()

    def kernels(self, number: int) -> Path:
        """Return the folder for the kernels of a node."""
        return self.folder / f"kernels-{number}"

    def add(self, **env: str) -> None:
        """Add a node."""
        self.nodes.append(self._start(len(self.nodes), env))

    def kill(self, number: int) -> None:
        """Kill a node with SIGKILL, and replace it by one that has its kernels."""
        self.cluster.remove_node(self.nodes[number], allow_graceful=False)
        self.nodes[number] = self._start(number, {})

    def remove(self) -> None:
        """Kill the node that was added last."""
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def _start(self, number: int, env: dict[str, str]) -> Any:
        env = {"NUMBA_CACHE_DIR": str(self.kernels(number)), **self.env, **env}
        return self.cluster.add_node(num_cpus=1, object_store_memory=STORE, env_vars=env)

    def kill_head(self) -> None:
        """Kill the head with SIGKILL."""
        self.cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False)

    def close(self) -> None:
        """Kill all nodes."""
        import ray

        ray.shutdown()
        for node in self.nodes:
            node.kill_all_processes(check_alive=False, allow_graceful=False)
        self.kill_head()
