"""Measure the decisions per second of PPO from end to end, in self-play."""

from __future__ import annotations

import time
from tempfile import TemporaryDirectory
from typing import Any

from aucenv.benchmarks.timings.timing import Timings, absent, alternate

SIZES = {"num_envs": 1024, "num_steps": 32, "epochs": 3, "minibatches": 8}
HIDDEN = 64
OURS, PEER, ENGINE = "PPO on english_v0", "PPO in JAX on pgx leduc_holdem", "english_v0's share of the time"


def time_learner(updates: int, rounds: int) -> Timings:
    """Measure decisions per second of our learner, against PPO in JAX on pgx's leduc_holdem; both on one thread.

    A decision is one of a seat that acts: in English auctions, about half of the seats act in a round.

    Args:
        updates: the number of updates in a measurement.
        rounds: the number of measurements.
    """
    shares: list[float] = []
    with TemporaryDirectory() as folder:
        subjects = {OURS: lambda: _rate(folder, updates, shares)}
        notes = []
        try:
            from aucenv.benchmarks.timings.jax_ppo import LeducLearner

            subjects[PEER] = LeducLearner(**SIZES, hidden=HIDDEN, updates=updates).rate
        except ImportError as error:
            notes.append(absent("pgx", error))
        figures = alternate(subjects, rounds)
    share = sum(shares[1:]) / rounds  # the first is the warm-up, which compiles
    notes.append(
        f"Both: {SIZES['num_envs']:,} games, {SIZES['num_steps']} rounds, {SIZES['epochs']} epochs of "
        f"{SIZES['minibatches']} minibatches, two networks with 2 x {HIDDEN}. The engine takes {share:.1%} of our time."
    )
    return Timings(
        "Learner: PPO in self-play", "decisions/s", figures, [(OURS, PEER)] if PEER in subjects else [], notes
    )


def _rate(folder: str, updates: int, shares: list[float]) -> float:
    """Return the decisions per second of a run, and append the engine's share of its time."""
    import torch
    from aucenv.training.ppo.config import PPOConfig
    from aucenv.training.ppo.ppo import Learner, Steps

    torch.set_num_threads(1)
    config = PPOConfig.read(folder, "english", {}, updates=updates, hidden=(HIDDEN, HIDDEN), **SIZES)
    learner = Learner(config, lambda path: [])
    learner.deal()
    [streams] = learner.streams
    engine: list[float] = []
    step: Any = streams.batch.step

    def timed(actions: Any) -> None:
        started = time.perf_counter()
        step(actions)
        engine.append(time.perf_counter() - started)

    streams.batch.step = timed  # type: ignore[method-assign]
    decisions, started = 0, time.perf_counter()
    for _ in range(updates):
        steps = Steps.joined([streams.collect(config)])
        learner.learn(steps)
        decisions += int(steps.acting.sum())
    elapsed = time.perf_counter() - started
    shares.append(sum(engine) / elapsed)
    return decisions / elapsed
