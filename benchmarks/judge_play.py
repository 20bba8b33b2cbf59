"""How fast the simulator judge is, and what the same draws for all actions are worth to it."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from aucenv.benchmarks.timing import Timings, alternate
from aucenv.training.rlact.collect import Collection, collect
from aucenv.training.rlact.simulator import Simulator
from aucenv.training.rlact.states import DecisionState

OWN = {"ExpAct": "expact", "the rule bidder": "rule;k=3"}


def time_judge(number: int, num_threads: int, rounds: int) -> Timings:
    """Continuations per second from the middle of housing auctions, with the seat's later decisions by two bidders."""
    wanted = Collection(max(10, 4 * number), seed=1, detail="brief")
    middle = [state for state in collect(wanted, "train") if state.stratum.startswith("middle")][:number]
    subjects: dict[str, Callable[[], float]] = {}
    for name, own in OWN.items():
        simulator = Simulator(own=own, threads=num_threads)
        subjects[f"continuations, own seat by {name}"] = lambda simulator=simulator: rate(simulator, middle)  # type: ignore[misc]
    notes = [common_draws(Simulator(threads=num_threads), middle)]
    return Timings(f"Judge: mid-game harbor, {num_threads} threads", "1/s", alternate(subjects, rounds), notes=notes)


def rate(simulator: Simulator, states: list[DecisionState]) -> float:
    """Continuations per second; rows are copied, and what is hidden drawn anew, for all of them."""
    actions = [simulator.legal(state) for state in states]
    started = time.perf_counter()
    simulator.profits(states, actions)
    return simulator.samples * sum(map(len, actions)) / (time.perf_counter() - started)


def common_draws(simulator: Simulator, states: list[DecisionState]) -> str:
    """What common random numbers are worth: the variance of the difference between bidding and withdrawing."""
    actions = [simulator.legal(state)[:2] for state in states]
    drawn = simulator.profits(states, actions)
    paired = float(np.mean([np.var(bid - leave) for leave, bid in drawn])) / 1e4
    apart = float(np.mean([np.var(bid) + np.var(leave) for leave, bid in drawn])) / 1e4
    return (
        f"Bidding or withdrawing, {simulator.samples} continuations each of {len(drawn)} states: the same draws cut "
        f"the variance of the difference in profit from {apart:.3g} to {paired:.3g}, a factor of {apart / paired:.1f}."
    )
