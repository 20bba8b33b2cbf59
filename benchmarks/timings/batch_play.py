"""Measure random legal play in a batch: in a compiled loop, called from Python, with a network, and against rivals."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import aucenv
from aucenv.core.adapters.threads import Threads
from aucenv.core.kernel import bind, inlined, kernel, unbound
from aucenv.core.play.engine import draw_actions
from aucenv.registration import EnvFamily

step_row = unbound

STEPS_PER_CALL = 200
HOW_IT_PLAYS = (
    f"Actions are drawn and steps made in one compiled loop of {STEPS_PER_CALL} steps, or in one call from Python per "
    "step. With rivals, only the learner's decisions count; each of them takes about four rounds of all seats."
)


def play_rows(first, last, thread, steps, masks, acting, actions, generators, decisions, step_args):
    """Play `steps` steps of random legal play in rows `first` to `last` - 1."""
    count = 0
    for step in range(steps):
        for i in range(first, last):
            # Odd steps run backward, because the last rows are still in the cache. `max` shows the compiler that the
            # index is not negative, which saves a check for each array.
            b = max(0, i if step % 2 == 0 else first + last - 1 - i)
            count += draw_actions(b, masks, acting, actions, generators)
            step_row(b, *step_args)
    decisions[thread] += count


@kernel
def overwrite_rows(first, last, thread, steps, observations, masks, rewards):
    """Write every number of the buffers `steps` times, and do nothing else."""
    for step in range(steps):
        for b in range(first, last):
            for seat in range(masks.shape[1]):
                rewards[b, seat] = step
                for k in range(observations.shape[2]):
                    observations[b, seat, k] = step
                for k in range(masks.shape[2]):
                    masks[b, seat, k] = 1


class BatchPlay:
    """Random legal play in a batch of a game; by default english: 3 bidders, 10 items.

    Args:
        kwargs: arguments of the batch. With `rivals`, only the learners' decisions count, and `loop` cannot be used.
    """

    def __init__(
        self, num_envs: int, num_threads: int, seconds: float, family: EnvFamily = aucenv.english_v0, **kwargs: Any
    ) -> None:
        self.env = env = family.batch_env(num_envs, num_threads, **kwargs)
        self.threads = Threads(num_threads)
        self.seconds = seconds
        self.decision_counts = np.zeros(num_threads, np.int64)
        self._draw_args = (env.masks, env.acting, env.actions, env.rng_states, self.decision_counts)
        self._play_rows = bind(play_rows, f"benchmark_{env.game.name}", inlined, step_row=env.game.kernels.step_row)
        self.decisions_per_row = 0.0
        env.reset(0)

    def loop(self, steps: int = STEPS_PER_CALL) -> int:
        """Play `steps` steps in one compiled loop, and return their number."""
        self.threads.run(self._play_rows, self.env.num_envs, steps, *self._draw_args, self.env.step_args)
        return steps

    def call(self) -> int:
        """Play one step, which draws its own actions, and return 1."""
        self.decision_counts[0] += np.count_nonzero(self.env.acting)
        self.env.step(None)
        return 1

    def looped(self) -> float:
        """Return the decisions per second in the compiled loop; a decision has more than one legal action."""
        return self._decisions(self.loop)

    def called(self) -> float:
        """Return the decisions per second with one call from Python per step."""
        return self._decisions(self.call)

    def with_network(self) -> Callable[[], float]:
        """Return a function that measures the decisions per second with a torch policy on one thread.

        The policy has one hidden layer of 64 units, and takes the legal action with the highest score.

        Raises:
            ImportError: torch is not installed.
        """
        import torch

        features, actions = self.env.observations.shape[2], self.env.masks.shape[2]
        layers = (torch.nn.Linear(features, 64), torch.nn.Tanh(), torch.nn.Linear(64, actions))
        policy = torch.nn.Sequential(*layers)
        chosen = np.zeros_like(self.env.actions)

        def step() -> int:
            rows, seats = self.env.decisions()
            with torch.inference_mode():
                scores = policy(torch.from_numpy(self.env.observations[rows, seats])).numpy()
            chosen[rows, seats] = np.where(self.env.masks[rows, seats] == 1, scores, -np.inf).argmax(-1)
            self.decision_counts[0] += len(rows)
            self.env.step(chosen)
            return 1

        def measure() -> float:
            threads = torch.get_num_threads()
            torch.set_num_threads(1)
            try:
                return self._decisions(step)
            finally:
                torch.set_num_threads(threads)

        return measure

    def states(self) -> float:
        """Return how many times per second `env.state()` writes the central states of all rows."""
        return self._rate(self.env.state)

    def steps(self) -> float:
        """Return how many times per second a call from Python steps all rows."""
        return self._rate(self.call)

    def rounds(self) -> float:
        """Return the rounds per second, called from Python; a step that starts a new game in a row is not a round."""
        return self.called() / self.env.num_seats

    def writes(self) -> float:
        """Return the decisions per second of a hypothetical step that only writes all of its buffers once."""
        env, steps = self.env, 0
        buffers = (env.observations.copy(), env.masks.copy(), env.rewards.copy())
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < self.seconds:
            self.threads.run(overwrite_rows, env.num_envs, STEPS_PER_CALL, *buffers)
            steps += STEPS_PER_CALL
        return steps * env.num_envs * self.decisions_per_row / elapsed

    def _rate(self, call: Callable[[], Any]) -> float:
        calls = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < self.seconds:
            call()
            calls += 1
        return calls / elapsed

    def _decisions(self, advance: Callable[[], int]) -> float:
        steps = 0
        self.decision_counts[:] = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < self.seconds:
            steps += advance()
        self.decisions_per_row = self.decision_counts.sum() / steps / self.env.num_envs
        return self.decision_counts.sum() / elapsed


def python_seat(rivals: list[str], seconds: float) -> float:
    """Return the decisions per second of random play in a Gymnasium environment: one seat of english and rivals."""
    env = aucenv.english_v0.seat_env(rivals=rivals)
    observation, _ = env.reset(seed=0)
    decisions = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample(observation["action_mask"]))
        decisions += 1
        if terminated or truncated:
            observation, _ = env.reset()
    return decisions / elapsed
