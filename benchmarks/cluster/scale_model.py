"""The games per hour of a Ray cluster, from the times that a game takes."""

from __future__ import annotations

import dataclasses
import math

from aucenv.core.checks import number, whole_number


@dataclasses.dataclass(frozen=True)
class Times:
    """The seconds that a game takes.

    Attributes:
        node: work of a node's processor for a game, without waiting.
        driver: work of the process of the run for a game: receiving, checking and writing its records.
        calls: calls of models that wait for each other; 0 for games that wait for nothing.
        all_calls: all calls of models, of which those of different seats are made at the same time.
        latency: of a call.
        overhead: seconds by which the cluster makes a call longer.
    """

    node: float
    driver: float
    calls: float = 0.0
    all_calls: float = 0.0
    latency: float = 0.0
    overhead: float = 0.0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            number(field.name, getattr(self, field.name), 0, 1e9)

    @property
    def waiting(self) -> float:
        """The time in which a game waits for models."""
        return self.calls * (self.latency + self.overhead)


@dataclasses.dataclass(frozen=True)
class Machines:
    """The machines of a run.

    Attributes:
        nodes: number of nodes.
        processors: processors of a node that play games.
        cores: physical cores of all machines together, if nodes share them with each other and with the process of the
            run, as on one machine; None: each processor has a core of its own.
        concurrency: games played at the same time, if they wait for models.
        in_flight: the most calls that the endpoint answers at the same time; None is no limit.
        losses: how often a node is lost in an hour.
        recovery: seconds until a lost node is replaced.
    """

    nodes: int
    processors: int = 1
    cores: int | None = None
    concurrency: int = 16
    in_flight: int | None = None
    losses: float = 0.0
    recovery: float = 30.0

    def __post_init__(self) -> None:
        for name in ("nodes", "processors", "concurrency"):
            whole_number(name, getattr(self, name), 1)
        for name in ("cores", "in_flight"):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), 1)
        number("losses", self.losses, 0, 1e6)
        number("recovery", self.recovery, 0, 1e6)


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The games per hour of a run, and what limits them.

    Attributes:
        per_hour: games per hour, after the start.
        limit: what limits them: "nodes", "driver", "cores", "concurrency" or "endpoint".
        driver_nodes: number of nodes from which on the process of the run is the limit.
    """

    per_hour: float
    limit: str
    driver_nodes: int


def predict(times: Times, machines: Machines) -> Prediction:
    """Predict the games per hour of a run.

    A run is as fast as the slowest of its parts allows: the processors of the nodes, the cores that they share, the one
    process that records all games, and, if games wait, the number of games and of calls at the same time. A lost node
    costs the time until it is replaced, and on average half of a game of each processor, or of each game that waits.
    """
    processors = machines.nodes * machines.processors
    rates = {"nodes": processors / max(times.node, 1e-12), "driver": 1 / max(times.driver, 1e-12)}
    if machines.cores is not None:
        rates["cores"] = machines.cores / max(times.node + times.driver, 1e-12)
    alone = times.node + times.waiting
    if times.calls:
        rates["concurrency"] = machines.concurrency / alone
        if machines.in_flight is not None:
            rates["endpoint"] = machines.in_flight / max(times.all_calls * times.latency, 1e-12)
    limit = min(rates, key=lambda name: rates[name])
    lost = machines.losses * (machines.recovery + alone / 2) / 3600
    of_one_node = machines.processors / max(times.node, 1e-12)
    return Prediction(3600 * rates[limit] * max(0.0, 1 - lost), limit, max(1, math.ceil(rates["driver"] / of_one_node)))
