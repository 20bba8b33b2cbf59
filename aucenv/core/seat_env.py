"""One seat as a Gymnasium environment, beside rivals: a single game, and many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from aucenv.core.adapter import Observation
from aucenv.core.batch import BatchAdapter
from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.game_modules import Scenario
from aucenv.core.parallel import ParallelAdapter
from aucenv.core.rivals import Rival
from aucenv.core.spaces import checked_observation

Observations = dict[str, np.ndarray] | np.ndarray
"""Arrays of all rows by name; or, flat, the features alone."""
AUTORESET = ("next_step", "same_step")


class SeatAdapter(gymnasium.Env):
    """A game from one seat: a step goes to its next decision, and rewards add up until then.

    A refused bid leaves the decision open: the next step answers it again, and the info says why.

    Args:
        rivals: who plays the other seats: names of bidders or policies, in a list for the seats after this one, round
            the table; of several names with `|` between them one is drawn for each game.
        seat: this one's number or name; "random" = drawn for each game.
        **options: further arguments of `parallel_env`.
    """

    game: ClassVar[Game]
    metadata: dict[str, Any]
    options_of: ClassVar[type] = ParallelAdapter
    not_passed: ClassVar[tuple[str, ...]] = ("idle_turns", "on_death")

    def __init__(
        self,
        scenario: Scenario,
        *,
        rivals: Sequence[Rival] | Mapping[str, Rival],
        seat: int | str = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        parallel: type[ParallelAdapter] = import_module(f"{self.game.package}.env").parallel_env
        self.table_env = parallel.__new__(parallel)  # by the class's name, so that it can be pickled
        ParallelAdapter.__init__(self.table_env, scenario, rivals=rivals, seat=seat, render_mode=render_mode, **options)
        [self.agent] = self.table_env.possible_agents
        self.render_mode = render_mode
        self.observation_space = self.table_env.observation_space(self.agent)
        self.action_space = self.table_env.action_space(self.agent)

    def reset(self, *, seed: int | None = None, options: JsonObject | None = None) -> tuple[Observation, JsonObject]:
        """Deal a new game, without a seed the next one of the last seed, up to this seat's first decision."""
        super().reset(seed=seed)
        observations, infos = self.table_env.reset(seed)
        return observations[self.agent], infos[self.agent]

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, JsonObject]:
        """Answer, and play up to the next decision or the end of the game.

        Raises:
            RuntimeError: before reset, or after the end.
            ValueError: the action is not one of the interface's.
        """
        observations, rewards, terminated, truncated, infos = self.table_env.step({self.agent: action})
        own = self.agent
        return observations[own], rewards[own], terminated[own], truncated[own], infos[own]

    def action_masks(self) -> np.ndarray:
        """(actions,) bool: which are legal now, as MaskablePPO asks for it.

        Raises:
            ValueError: actions are not numbers.
        """
        return self.table_env.action_mask(self.agent).astype(bool)

    @property
    def rivals(self) -> dict[str, str]:
        """Who plays the current game's other seats, by seat."""
        return self.table_env.rivals

    def text(self) -> str:
        """Everything that this seat may know, in words."""
        return self.table_env.text(self.agent)

    def render(self) -> Any:
        return self.table_env.render()

    def close(self) -> None:
        self.table_env.close()


class VectorAdapter(VectorEnv):
    """Many games from one seat each, beside rule bidders: a step goes to each row's next decision.

    Row b is the game of a `seat_env` that was reset with row b's seed, of the same rivals.

    Args:
        num_envs, num_threads: as in the batch.
        rivals: names of rule bidders, in a list for the seats after the learner's, round the table; of several with
            `|` between them one is drawn for each game.
        seat: the learner's number or name; "random" = drawn for each game.
        autoreset: when a row whose game is over starts the next one: with the "next_step", whose action is ignored, or
            in the "same_step"; then `infos["final_obs"]` holds the last observations.
        observation: "dict", or "flat": the features alone, and the masks in `infos["action_mask"]`.
        **options: further arguments of `batch_env`.

    Attributes:
        batch: the batch of these games.
    """

    game: ClassVar[Game]
    metadata: dict[str, Any]
    options_of: ClassVar[type] = BatchAdapter
    not_passed: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int = 1,
        num_threads: int = 1,
        *,
        rivals: Sequence[str] | Mapping[str, str],
        seat: int | str = 0,
        autoreset: str = "next_step",
        observation: str = "dict",
        **options: Any,
    ) -> None:
        self._flat = checked_observation(observation, ())
        batch: type[BatchAdapter] = import_module(f"{self.game.package}.env").batch_env
        self.batch = batch.__new__(batch)  # by the class's name, so that it can be pickled
        BatchAdapter.__init__(self.batch, scenario, num_envs, num_threads, rivals=rivals, seat=seat, **options)
        same_step = one_of("autoreset", autoreset, AUTORESET) == "same_step"
        self._same_step = same_step
        self.metadata = {
            **self.metadata,
            "autoreset_mode": AutoresetMode.SAME_STEP if same_step else AutoresetMode.NEXT_STEP,
        }
        self.num_envs = self.batch.num_envs
        observed = self.batch.single_observation_space
        self.single_observation_space = observed["observation"] if self._flat else observed
        self.single_action_space = self.batch.single_action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: JsonObject | None = None
    ) -> tuple[Observations, JsonObject]:
        """Deal a new game in every row; seeds as in the batch."""
        if isinstance(seed, int):
            super().reset(seed=seed)
        self.batch.reset(seed)
        return self._observed(), self._infos()

    def step(self, actions: Any) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray, JsonObject]:
        """Answer in every row.

        Args:
            actions: (num_envs,) vector actions; or (num_envs, 1) dollars, negative = withdraw, or shares.

        Raises:
            ValueError: as in the batch; nothing is done then.
        """
        batch = self.batch
        given = np.asarray(actions)
        expected = self.action_space.shape
        if given.shape != expected:
            raise ValueError(f"actions: expected shape {expected}, got {given.shape}")
        batch.step(given.reshape(self.num_envs, 1))
        rewards, terminated, truncated = batch.rewards[:, 0].copy(), batch.terminated.copy(), batch.truncated.copy()
        ended: JsonObject = {"illegal": batch.illegal_bids[:, 0].copy()}
        over = terminated | truncated
        if over.any():
            ended |= {"results": batch.results[:, 0].copy(), "_results": over}
            if self._same_step:
                ended |= {"final_obs": self._objects(over), "_final_obs": over}
                batch.deal_next(np.flatnonzero(over))
        return self._observed(), rewards, terminated, truncated, ended | self._infos()

    def action_masks(self) -> np.ndarray:
        """(num_envs, actions) bool: which are legal now."""
        return self.batch.masks[:, 0].astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        self.batch.close()

    def _observed(self) -> Observations:
        if self._flat:
            return self.batch.observations[:, 0].copy()
        return {name: self.batch.observed[name][:, 0].copy() for name in self.batch.single_observation_space}

    def _infos(self) -> JsonObject:
        infos = {"seat": self.batch.seats[:, 0].copy()}
        if self._flat and self.batch.interface == "vector":
            infos["action_mask"] = self.batch.masks[:, 0].copy()
        return infos

    def _objects(self, chosen: np.ndarray) -> np.ndarray:
        """(num_envs,) objects: the observation of each chosen row, as Gymnasium's own vector environments give it."""
        observed = self._observed()
        final = np.full(len(chosen), None, object)
        for row in np.flatnonzero(chosen):
            each = observed[row] if isinstance(observed, np.ndarray) else {n: a[row] for n, a in observed.items()}
            final[row] = each
        return final
