"""Predict the games per hour of a Ray cluster from measured times, and measure them on nodes on this machine.

`python -m aucenv.benchmarks.scale predict --nodes 8` and `... measure`; see docs/scale.md.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from aucenv.benchmarks.cluster.scale_model import Machines, Times, predict

app = typer.Typer(help=__doc__, add_completion=False, pretty_exceptions_enable=False)


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
    times = Times(node, driver, calls, max(calls, all_calls), latency, overhead)
    machines = Machines(nodes, processors, cores, concurrency, in_flight, losses, recovery)
    rate = predict(times, machines)
    print(f"{rate.per_hour:,.0f} games/h, limited by the {rate.limit}")
    print(f"the process of the run is the limit from {rate.driver_nodes:,} nodes of this kind on")


@app.command()
def measure(
    out: Annotated[Path | None, typer.Option(help="File for the figures as JSON.")] = None,
    seconds: Annotated[float, typer.Option(help="About how long each measurement takes.")] = 20.0,
    cores: Annotated[int, typer.Option(help="Physical cores of this machine.")] = 2,
) -> None:
    """Start clusters on this machine, measure, and compare with predictions (needs the extra ray)."""
    from aucenv.benchmarks.cluster.scale_play import compare, overheads

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
