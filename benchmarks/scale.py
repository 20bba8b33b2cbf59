"""Predict the games per hour of a Ray cluster from measured times, and measure them on nodes on this machine.

`python -m aucenv.benchmarks.scale predict --nodes 8` and `... measure`; see docs/scale.md.
"""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Annotated

import typer

from aucenv.core.checks import number, whole_number

app = typer.Typer(help=__doc__, add_completion=False, pretty_exceptions_enable=False)


@dataclasses.dataclass(frozen=True)
class Times:
    """What a game takes, in seconds.

    Attributes:
        node: work of a node's processor for a game, without waiting.
        driver: work of the process of the run for a game: receiving, checking and writing its records.
        daemons: work of Ray's processes for a game.
        calls: calls of models that wait for each other; 0 for games that wait for nothing.
        all_calls: all calls of models, of which those of different seats are made at the same time.
        latency: of a call.
        overhead: seconds by which the cluster makes a call longer.
    """

    node: float
    driver: float
    daemons: float = 0.0
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
        rates["cores"] = machines.cores / max(times.node + times.driver + times.daemons, 1e-12)
    alone = times.node + times.waiting
    if times.calls:
        busy = max(1.0, (times.node + times.driver + times.daemons) / max(alone, 1e-12))
        rates["concurrency"] = machines.concurrency / (alone * busy)
        if machines.in_flight is not None:
            rates["endpoint"] = machines.in_flight / max(times.all_calls * times.latency, 1e-12)
    limit = min(rates, key=lambda name: rates[name])
    lost = machines.losses * (machines.recovery + alone / 2) / 3600
    of_one_node = machines.processors / max(times.node, 1e-12)
    return Prediction(3600 * rates[limit] * max(0.0, 1 - lost), limit, max(1, math.ceil(rates["driver"] / of_one_node)))


@app.command("predict")
def predict_command(
    node: Annotated[float, typer.Option(help="Seconds of a node's processor for a game.")],
    driver: Annotated[float, typer.Option(help="Seconds of the process of the run for a game.")] = 0.0004,
    nodes: Annotated[int, typer.Option(help="Number of nodes.")] = 4,
    processors: Annotated[int, typer.Option(help="Processors of a node.")] = 1,
    cores: Annotated[int | None, typer.Option(help="Physical cores, if all nodes share them.")] = None,
    calls: Annotated[float, typer.Option(help="Calls of a game that wait for each other.")] = 0.0,
    all_calls: Annotated[float, typer.Option(help="All calls of a game.")] = 0.0,
    latency: Annotated[float, typer.Option(help="Seconds of a call.")] = 0.0,
    overhead: Annotated[float, typer.Option(help="Seconds by which the cluster makes a call longer.")] = 0.02,
    concurrency: Annotated[int, typer.Option(help="Games at the same time.")] = 16,
    in_flight: Annotated[int | None, typer.Option(help="The most calls at the same time.")] = None,
    losses: Annotated[float, typer.Option(help="How often a node is lost in an hour.")] = 0.0,
    recovery: Annotated[float, typer.Option(help="Seconds until a lost node is replaced.")] = 30.0,
) -> None:
    """Predict games per hour, and where the process of the run becomes the limit."""
    times = Times(node, driver, 0.0, calls, max(calls, all_calls), latency, overhead)
    machines = Machines(nodes, processors, cores, concurrency, in_flight, losses, recovery)
    found = predict(times, machines)
    print(f"{found.per_hour:,.0f} games/h, limited by the {found.limit}")
    print(f"the process of the run is the limit from {found.driver_nodes:,} nodes of this kind on")


@app.command()
def measure(
    out: Annotated[Path | None, typer.Option(help="File for the figures as JSON.")] = None,
    seconds: Annotated[float, typer.Option(help="About how long each measurement takes.")] = 20.0,
    cores: Annotated[int, typer.Option(help="Physical cores of this machine.")] = 2,
) -> None:
    """Start clusters on this machine, measure, and compare with predictions (needs the extra ray)."""
    from aucenv.benchmarks.scale_play import compare, overheads

    print("| workload | nodes | predicted, games/h | limited by | measured, games/h | measured / predicted |")
    print("|---|---:|---:|---|---:|---:|")
    rows = []
    for row in compare(seconds, cores):
        rows.append(row)
        predicted, ratio = row.predicted, row.measured / row.predicted.per_hour
        print(
            f"| {row.workload} | {row.nodes} | {predicted.per_hour:,.0f} | {predicted.limit} | {row.measured:,.0f} | "
            f"{ratio:.2f} |",
            flush=True,
        )
    print("\n| what; compared with | s | on the cluster, s | ratio |\n|---|---:|---:|---:|")
    compared = []
    for what, expected, measured in overheads():
        compared.append({"what": what, "expected": expected, "measured": measured})
        print(f"| {what} | {expected:.1f} | {measured:.1f} | {measured / expected:.2f} |", flush=True)
    if out is not None:
        figures = {"rates": [dataclasses.asdict(row) for row in rows], "times": compared}
        out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    app()
