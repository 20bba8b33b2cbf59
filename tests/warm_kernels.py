"""Compile the kernels that most tests need, in two processes, so that the two test workers do not compile them twice.

`python tests/warm_kernels.py` caches them in NUMBA_CACHE_DIR, and does nothing if they are cached already.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.baselines.scripted.rollout import evaluate_actions, read_lineups

import aucenv
from aucenv.core.compiled.kernel_cache import source_digest
from aucenv.core.play.snapshot import resample_hidden
from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import scripted_bidders

SHARES = (("harbor", "water_allocation"), ("english", "sealed_bid", "clock", "ebay"))
"""The games of each process; both take about the same time."""
WITH_RIVALS = ("english", "sealed_bid", "water_allocation")
"""Games of which tests compile environments that play the rivals."""


def warm(game: str) -> None:
    """Call the compiled functions of a game that tests call."""
    family = getattr(aucenv, f"{game}_v0")
    arguments = {"num_bidders": 3} | ({"matches": 1} if game == "harbor" else {})
    for interface in ("vector", "amount"):
        env = family.parallel_env(interface=interface, max_cycles=2, **arguments)
        env.reset(seed=0)
        while env.agents:
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        warm_batch(family.batch_env(2, interface=interface, max_cycles=2, **arguments))
    warm_batch(family.batch_env(2, interface="amount", amount_scale="share", max_cycles=2, **arguments))
    env.reset(seed=0)
    env.state()
    names = [name for name, bidder in scripted_bidders(game).items() if bidder.why_unplayable(env.scenario) is None]
    for name in names:
        aucenv.play(game, env.scenario, [name] * 3, 0, max_rounds=2)
    warm_rollouts(env, names[0])
    if game in WITH_RIVALS:
        warm_rivals(family, names[0])
    if env.game.learning is not None:
        lineups = read_lineups(game, [names[:1] * 3], env.scenario)
        seats, chosen, keys = np.zeros((3, 1), np.int64)
        evaluate_actions(game, env.table.state, seats, np.full((1, 2), WITHDRAW), lineups, chosen[None], keys[None])


def warm_batch(batch: Any) -> None:
    """Call the compiled functions of a batch."""
    batch.reset(0)
    actions = np.zeros(batch.acting.shape, np.int64 if batch.interface == "vector" else np.float64)
    for _ in range(3):
        batch.step(actions)
    batch.restore(batch.snapshot(0), [1], [2])
    batch.state()


def warm_rivals(family: Any, bidder: str) -> None:
    """Call the compiled functions of environments of one seat."""
    for mode in ("next_step", "same_step"):
        env = family.vector_env(2, num_bidders=3, rivals=[bidder] * 2, autoreset=mode, max_cycles=2)
        env.reset(seed=0)
        for _ in range(3):
            env.step(np.zeros(2, np.int64))


def warm_rollouts(env: Any, bidder: str) -> None:
    """Call the compiled functions of rollouts between bidders of one kind."""
    snapshot, lineup = env.table.snapshot(), [bidder] * len(env.scenario.bidders)
    resample_hidden(snapshot, "bidder_0", np.random.default_rng(0))
    aucenv.rollout(env.game.name, env.scenario, lineup, 2)
    aucenv.continue_from(snapshot, {}, lineup, [1], hidden_from="bidder_0")


def main() -> None:
    done = Path(os.environ["NUMBA_CACHE_DIR"]) / f"warm-{source_digest(frozenset())}"
    if done.exists():
        return
    processes = [subprocess.Popen([sys.executable, __file__, *games]) for games in SHARES]
    if sum(process.wait() for process in processes):  # the sum waits for both processes
        sys.exit("kernels could not be compiled")
    done.touch()


if __name__ == "__main__":
    for game in sys.argv[1:]:
        warm(game)
    if len(sys.argv) == 1:
        main()
