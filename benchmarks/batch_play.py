"""Random legal play in a batch, and the pure writing of its buffers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import aucenv
from aucenv.core.kernel import bind, inlined, kernel, unbound
from aucenv.core.threads import Threads
from aucenv.registration import EnvFamily

step_row = unbound

STEPS_PER_CALL = 200


@inlined
def draw_action(x, num_actions):
    """The next number of a linear congruential generator, and an action as uniform as it is."""
    x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return x, (x * num_actions) >> 31


@inlined
def choose(b, masks, acting, actions, chance):
    """Choose uniformly among the legal actions of every seat of row `b` that has a decision; how many those are.

    Draws until an action is legal.
    """
    count = 0
    x = chance[b]
    legal, acts, chosen = masks[b], acting[b], actions[b]
    for seat in range(masks.shape[1]):
        x, action = draw_action(x, masks.shape[2])
        while legal[seat, action] < acts[seat]:
            x, action = draw_action(x, masks.shape[2])
        chosen[seat] = action
        count += acts[seat]
    chance[b] = x
    return count


@kernel
def choose_rows(first, last, thread, masks, acting, actions, chance, decisions):
    """`choose` in rows `first` to `last` - 1."""
    count = 0
    for b in range(first, last):
        count += choose(b, masks, acting, actions, chance)
    decisions[thread] += count


def play_rows(first, last, thread, steps, masks, acting, actions, chance, decisions, step_args):
    """Make `steps` steps of random legal play in rows `first` to `last` - 1."""
    count = 0
    for step in range(steps):
        for i in range(first, last):
            # to and fro: the last rows are still in the cache; never negative: the compiler need not ask each array
            b = max(0, i if step % 2 == 0 else first + last - 1 - i)
            count += choose(b, masks, acting, actions, chance)
            step_row(b, thread, *step_args)
    decisions[thread] += count


@kernel
def overwrite_rows(first, last, thread, steps, observations, masks, rewards):
    """Write every number of the buffers, and do nothing else, `steps` times."""
    for step in range(steps):
        for b in range(first, last):
            for seat in range(masks.shape[1]):
                rewards[b, seat] = step
                for k in range(observations.shape[2]):
                    observations[b, seat, k] = step
                for k in range(masks.shape[2]):
                    masks[b, seat, k] = 1


class BatchPlay:
    """Random legal play in a batch of a game; by default english: 3 bidders, 10 items."""

    def __init__(
        self, num_envs: int, num_threads: int, seconds: float, family: EnvFamily = aucenv.english_v0, **kwargs: Any
    ) -> None:
        self.env = env = family.batch_env(num_envs, num_threads, **kwargs)
        self.threads = Threads(num_threads)
        self.seconds = seconds
        self.made = np.zeros(num_threads, np.int64)
        chance = np.random.default_rng(0).integers(1, 2**31 - 1, num_envs)
        self._choosing = (env.masks, env.acting, env.actions, chance, self.made)
        self._play_rows = bind(play_rows, f"play_{env.game.name}_rows", inlined, step_row=env.game.rows.step_row)
        self.decisions_per_row = 0.0
        env.reset(0)

    def loop(self, steps: int = STEPS_PER_CALL) -> int:
        """Make steps in one compiled loop."""
        self.threads.run(self._play_rows, self.env.num_envs, steps, *self._choosing, self.env.step_args)
        return steps

    def call(self) -> int:
        """Make one step, as a training loop in Python makes it."""
        self.threads.run(choose_rows, self.env.num_envs, *self._choosing)
        self.env.step(self.env.actions)
        return 1

    def looped(self) -> float:
        """Decisions per second, seats with more than one legal action, in the compiled loop."""
        return self._decisions(self.loop)

    def called(self) -> float:
        """The same, called from Python for each step."""
        return self._decisions(self.call)

    def rounds(self) -> float:
        """Rounds per second, called from Python; rows whose game is over, and starts anew, do not count."""
        return self.called() / self.env.num_seats

    def writes(self) -> float:
        """Decisions per second, if a step did nothing but write all of its buffers once."""
        env, steps = self.env, 0
        buffers = (env.observations.copy(), env.masks.copy(), env.rewards.copy())
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < self.seconds:
            self.threads.run(overwrite_rows, env.num_envs, STEPS_PER_CALL, *buffers)
            steps += STEPS_PER_CALL
        return steps * env.num_envs * self.decisions_per_row / elapsed

    def _decisions(self, advance: Callable[[], int]) -> float:
        steps = 0
        self.made[:] = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < self.seconds:
            steps += advance()
        self.decisions_per_row = self.made.sum() / steps / self.env.num_envs
        return self.made.sum() / elapsed
