"""A batch of games whose rivals are not compiled: each row is one environment, which plays its rivals in Python."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy.registry import make_policy, rule_bidders
from aucenv.registration import EnvFamily

THREADS = 8
"""The number of games that wait for models at the same time."""


def is_compiled(game: str, name: str) -> bool:
    """Return whether a bidder plays in compiled code.

    Raises:
        ValueError: There is no such bidder.
    """
    policy = make_policy(game, name)
    return parse_bidder(name).kind in rule_bidders(game) or bool(getattr(policy, "is_compiled", False))


class TableBatch:
    """Games of one learner among rivals of any kind, with the parts of `core.adapters.batch` that PPO uses.

    Args:
        family: The environments of the game.
        num_envs: The number of games.
        **options: Arguments of `seat_env`.

    Attributes:
        observations, masks, acting, rewards, terminated, truncated, actions: As in `BatchAdapter`.
    """

    def __init__(self, family: EnvFamily, num_envs: int, **options: Any) -> None:
        self._envs = [family.seat_env(**options) for _ in range(num_envs)]
        space: Any = self._envs[0].observation_space
        self._is_vector = options["interface"] == "vector"
        self.observations = np.zeros((num_envs, 1, *space["observation"].shape), np.float32)
        actions = space["action_mask"].shape[0] if self._is_vector else 1
        self.masks = np.ones((num_envs, 1, actions), np.int8)
        self.acting, self.rewards = np.ones((num_envs, 1), np.bool_), np.zeros((num_envs, 1))
        self.terminated, self.truncated = np.zeros((2, num_envs), np.bool_)
        self.actions = np.zeros((num_envs, 1), np.int64)
        self._pool = ThreadPoolExecutor(THREADS)

    def reset(self, seed: int) -> None:
        """Deal a game in every row; row b has the seed `seed` + b."""
        for row, (observation, _) in enumerate(
            self._pool.map(lambda pair: pair[1].reset(seed=seed + pair[0]), enumerate(self._envs))
        ):
            self._write(row, observation, 0.0, False, False)

    def step(self, actions: np.ndarray) -> None:
        """Play each row to its next decision, or deal the next game of a row whose game is over."""
        for row, result in enumerate(self._pool.map(self._step_row, range(len(self._envs)), actions[:, 0])):
            self._write(row, *result)

    def _step_row(self, row: int, action: Any) -> tuple[Any, float, bool, bool]:
        env = self._envs[row]
        if self.terminated[row] or self.truncated[row]:
            return env.reset()[0], 0.0, False, False
        observation, reward, terminated, truncated, _ = env.step(int(action) if self._is_vector else np.array([action]))
        return observation, float(reward), terminated, truncated

    def _write(self, row: int, observation: Any, reward: float, terminated: bool, truncated: bool) -> None:
        self.observations[row, 0] = observation["observation"]
        if self._is_vector:
            self.masks[row, 0] = observation["action_mask"]
        self.rewards[row, 0] = reward
        self.terminated[row], self.truncated[row] = terminated, truncated
        self.acting[row, 0] = not (terminated or truncated)

    def close(self) -> None:
        """Close the environments."""
        self._pool.shutdown()
        for env in self._envs:
            env.close()
