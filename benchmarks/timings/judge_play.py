"""Measure the speed of the simulator judge, and how much common random numbers reduce its variance."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from aucenv.benchmarks.timings.timing import Timings, alternate
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.states import DecisionState

LATER_BIDDERS = {"ExpAct": "expact", "the rule bidder": "rule;k=3"}
"""Name in the report -> the bidder that makes the deciding seat's later decisions."""
RIVALS = {"usual": "", "inferred": "inferred rivals, "}
"""The rivals of rollouts -> name in the report."""


def time_judge(number: int, num_threads: int, rounds: int) -> Timings:
    """Measure continuations per second from the middle of housing auctions.

    The later decisions of the deciding seat are made by each of two bidders, against usual and inferred rivals.
    """
    collection = Collection(max(10, 4 * number), seed=1, detail="brief")
    middle = [state for state in collect(collection, "train") if state.stratum.startswith("middle")][:number]
    subjects: dict[str, Callable[[], float]] = {}
    for name, own in LATER_BIDDERS.items():
        for rivals, label in RIVALS.items():
            simulator = Simulator(own=own, rivals=rivals, threads=num_threads)
            subject = f"continuations, {label}deciding seat played by {name}"
            subjects[subject] = lambda simulator=simulator: rate(simulator, middle)  # type: ignore[misc]
    notes = [common_numbers(Simulator(threads=num_threads), middle)]
    return Timings(f"Judge: mid-game harbor, {num_threads} threads", "1/s", alternate(subjects, rounds), notes=notes)


def rate(simulator: Simulator, states: list[DecisionState]) -> float:
    """Return the continuations per second, including copying the states and resampling hidden values."""
    actions = [simulator.legal(state) for state in states]
    started = time.perf_counter()
    simulator.profits(states, actions)
    return simulator.samples * sum(map(len, actions)) / (time.perf_counter() - started)


def common_numbers(simulator: Simulator, states: list[DecisionState]) -> str:
    """Describe how much common random numbers reduce the variance of the difference between bidding and withdrawing."""
    actions = [simulator.legal(state)[:2] for state in states]
    profits = simulator.profits(states, actions)
    paired = float(np.mean([np.var(bid - leave) for leave, bid in profits])) / 1e4
    independent = float(np.mean([np.var(bid) + np.var(leave) for leave, bid in profits])) / 1e4
    return (
        f"Bidding or withdrawing, {simulator.samples} continuations each in {len(profits)} states: common random "
        f"numbers reduce the variance of the difference in profit from {independent:.3g} to {paired:.3g}, a factor of "
        f"{independent / paired:.1f}."
    )
