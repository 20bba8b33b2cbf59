"""Random legal play in a batch, and the pure writing of its buffers."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import aucenv
from aucenv.core.kernel import kernel
from aucenv.core.threads import Threads
from aucenv.registration import EnvFamily


@kernel
def choose(first, last, thread, masks, acting, actions, chance, decisions):
    """Choose uniformly among the legal actions of every seat that has a decision, by drawing until one is legal."""
    count = 0
    for b in range(first, last):
        x = chance[b]
        for seat in range(masks.shape[1]):
            if acting[b, seat]:
                count += 1
                action = -1
                while action < 0 or masks[b, seat, action] == 0:
                    x = (x * 48271) % 2147483647
                    action = x * masks.shape[2] // 2147483647
                actions[b, seat] = action
        chance[b] = x
    decisions[thread] += count


@kernel
def overwrite(first, last, thread, observations, masks, rewards):
    """Write every number of the buffers, and do nothing else."""
    for b in range(first, last):
        for seat in range(masks.shape[1]):
            rewards[b, seat] = b
            for k in range(observations.shape[2]):
                observations[b, seat, k] = b
            for k in range(masks.shape[2]):
                masks[b, seat, k] = 1


class BatchPlay:
    """Random legal play in a batch of a game; by default english: 3 bidders, 10 items."""

    def __init__(
        self, num_envs: int, num_threads: int, seconds: float, family: EnvFamily = aucenv.english_v0, **kwargs: Any
    ) -> None:
        self.env = family.batch_env(num_envs, num_threads, **kwargs)
        self.threads = Threads(num_threads)
        self.seconds = seconds
        self.actions = np.zeros((num_envs, self.env.num_seats), np.int64)
        self.chance = np.random.default_rng(0).integers(1, 2**31 - 1, num_envs)
        self.decisions_per_row = 0.0
        self.env.reset(0)

    def decisions(self) -> float:
        """Decisions per second: seats with more than one legal action."""
        env, steps = self.env, 0
        decisions = np.zeros(self.threads.number, np.int64)
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < self.seconds:
            self.threads.run(choose, env.num_envs, env.masks, env.acting, self.actions, self.chance, decisions)
            env.step(self.actions)
            steps += 1
        self.decisions_per_row = decisions.sum() / steps / env.num_envs
        return decisions.sum() / elapsed

    def rounds(self) -> float:
        """Rounds per second; rows whose game is over, and starts anew, do not count."""
        decisions = self.decisions()
        return decisions / self.env.num_seats

    def writes(self) -> float:
        """The same, if a step did nothing but write all of its buffers once."""
        env, steps = self.env, 0
        buffers = (env.observations.copy(), env.masks.copy(), env.rewards.copy())
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < self.seconds:
            self.threads.run(overwrite, env.num_envs, *buffers)
            steps += 1
        return steps * env.num_envs * self.decisions_per_row / elapsed
