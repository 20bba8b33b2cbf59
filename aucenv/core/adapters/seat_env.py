"""Gymnasium environments of one seat among rivals: a single game, and a vector of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from aucenv.core.adapters.adapter import Observation
from aucenv.core.adapters.batch import BatchAdapter
from aucenv.core.adapters.parallel import ParallelAdapter
from aucenv.core.adapters.spaces import checked_observation
from aucenv.core.checks import one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.play.rivals import Rival
from aucenv.core.scenarios import Scenario
from aucenv.core.words.phrases import count

Observations = dict[str, np.ndarray] | np.ndarray
"""A dict of features and masks of all rows; or, if observations are flat, the features alone."""
AUTORESET = {mode.name.lower(): mode for mode in AutoresetMode}
"""Gymnasium's modes by name."""


class SeatAdapter(gymnasium.Env):
    """A game played from one seat: a step ends at the seat's next decision, with the sum of its rewards until then.

    If a bid is refused, the info contains the refusal, and the next step repeats the decision.

    Args:
        rivals: The bidders of the other seats: names or policies, in a list for the seats after this one in order
            around the table, or by seat. Of several names separated by `|`, one is drawn for each game.
        seat: The number or name of the seat; "random" draws it for each game.
        **options: Further arguments of `parallel_env`.
    """

    game: ClassVar[Game]
    metadata: dict[str, Any]
    table_class: ClassVar[type[ParallelAdapter]]
    """The game's Parallel environment, whose instances are pickled by name."""
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
        self.table_env = self.table_class.__new__(self.table_class)
        ParallelAdapter.__init__(self.table_env, scenario, rivals=rivals, seat=seat, render_mode=render_mode, **options)
        [self.agent] = self.table_env.possible_agents
        self.render_mode = render_mode
        self.observation_space = self.table_env.observation_space(self.agent)
        self.action_space = self.table_env.action_space(self.agent)

    def reset(self, *, seed: int | None = None, options: JsonObject | None = None) -> tuple[Observation, JsonObject]:
        """Deal a new game and play it to this seat's first decision.

        Args:
            seed: Seeds all randomness of the game; None deals the next game of the last seed, or a random game.
            options: Ignored.
        """
        super().reset(seed=None if seed is None else whole_number("seed", seed, 0))
        observations, infos = self.table_env.reset(seed)
        return observations[self.agent], infos[self.agent]

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, JsonObject]:
        """Submit an action, and play to the next decision or the end of the game.

        Raises:
            RuntimeError: The game is not dealt, or it is over.
            ValueError: The action is not in the action space.
        """
        observations, rewards, terminated, truncated, infos = self.table_env.step({self.agent: action})
        agent = self.agent
        return observations[agent], rewards[agent], terminated[agent], truncated[agent], infos[agent]

    def action_masks(self) -> np.ndarray:
        """Return the mask of legal actions, (actions,) bool, under the name that MaskablePPO expects.

        Raises:
            ValueError: The interface is not "vector".
        """
        return self.table_env.action_mask(self.agent).astype(bool)

    @property
    def rivals(self) -> dict[str, str]:
        """The names of the bidders that play the other seats of the current game, by seat."""
        return self.table_env.rivals

    def text(self) -> str:
        """Return everything that the seat may know, in words."""
        return self.table_env.text(self.agent)

    def render(self) -> Any:
        """Render the table; see `parallel_env`."""
        return self.table_env.render()

    def close(self) -> None:
        """Close the underlying environment."""
        self.table_env.close()


class VectorAdapter(VectorEnv):
    """A vector of games, each played from one seat among rule bidders: a step ends at each row's next decision.

    Row b is the game of a `seat_env` with the same rivals that was reset with row b's seed.

    Args:
        num_envs, num_threads: As in the batch.
        rivals: The names of rule bidders, in a list for the seats after the learner's in order around the table, or by
            seat. Of several names separated by `|`, one is drawn for each game.
        seat: The number or name of the learner's seat; "random" draws it for each game.
        autoreset: When a row starts its next game: in the step after the end of its game, which ignores the row's
            action ("next_step"); in the step that ends it ("same_step"), and `infos["final_obs"]` then has the last
            observations; or only when `reset` deals it ("disabled"). Also an `AutoresetMode` of Gymnasium.
        observation: "dict", or "flat" for the features alone, with the masks in `infos["action_mask"]`.
        **options: Further arguments of `batch_env`.

    Attributes:
        batch: The batch of these games.
        autoreset_mode: Gymnasium's mode, as in `SyncVectorEnv`.
    """

    game: ClassVar[Game]
    metadata: dict[str, Any]
    table_class: ClassVar[type[BatchAdapter]]
    """The game's batch environment, whose instances are pickled by name."""
    options_of: ClassVar[type] = BatchAdapter
    not_passed: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int = 1,
        num_threads: int = 1,
        *,
        rivals: Sequence[Rival] | Mapping[str, Rival],
        seat: int | str = 0,
        autoreset: str | AutoresetMode = "next_step",
        observation: str = "dict",
        **options: Any,
    ) -> None:
        self._flat = checked_observation(observation, ())
        self.batch = self.table_class.__new__(self.table_class)
        BatchAdapter.__init__(self.batch, scenario, num_envs, num_threads, rivals=rivals, seat=seat, **options)
        if not isinstance(autoreset, AutoresetMode):
            autoreset = AUTORESET[one_of("autoreset", autoreset, AUTORESET)]
        self.autoreset_mode = autoreset
        self.metadata = {**self.metadata, "autoreset_mode": autoreset}
        self.num_envs = self.batch.num_envs
        space = self.batch.single_observation_space
        self.single_observation_space = space["observation"] if self._flat else space
        self.single_action_space = self.batch.single_action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: JsonObject | None = None
    ) -> tuple[Observations, JsonObject]:
        """Deal a new game in every row, or in those of `options["reset_mask"]`, as in the batch."""
        self.batch.reset(seed, options)
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        return self._observed(), self._infos()

    def step(self, actions: Any) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray, JsonObject]:
        """Submit an action in every row.

        Args:
            actions: (num_envs,) vector actions; or (num_envs, 1) dollars, where negative numbers withdraw, or shares.

        Raises:
            RuntimeError: The batch was not reset; or a row's game is over, and autoreset is disabled.
            ValueError: As in the batch, which does not change.
        """
        batch = self.batch
        if self.autoreset_mode is AutoresetMode.DISABLED:
            self._check_running()
        array = np.asarray(actions)
        expected = self.action_space.shape
        if array.shape != expected:
            raise ValueError(f"actions: expected shape {expected}, got {array.shape}")
        batch.step(array.reshape(self.num_envs, 1))
        rewards, terminated, truncated = batch.rewards[:, 0].copy(), batch.terminated.copy(), batch.truncated.copy()
        infos: JsonObject = {"illegal": batch.illegal_bids[:, 0].copy()}
        over = terminated | truncated
        if over.any():
            infos |= {"results": batch.results[:, 0].copy(), "_results": over}
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos |= {"final_obs": self._to_objects(over), "_final_obs": over}
                batch.deal_next(np.flatnonzero(over))
        return self._observed(), rewards, terminated, truncated, infos | self._infos()

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions, (num_envs, actions) bool."""
        return self.batch.masks[:, 0].astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the batch."""
        self.batch.close()

    def _check_running(self) -> None:
        over = np.flatnonzero(self.batch.terminated | self.batch.truncated)
        if len(over):
            raise RuntimeError(
                f"step() was called after the end of the games of {count(len(over), 'row')}, the first of which is "
                f"{over[0]}, and autoreset is disabled: call reset(options={{'reset_mask': terminated | truncated}}) "
                "first"
            )

    def _observed(self) -> Observations:
        if self._flat:
            return self.batch.observations[:, 0].copy()
        return {name: self.batch.observed[name][:, 0].copy() for name in self.batch.single_observation_space}

    def _infos(self) -> JsonObject:
        infos = {"seat": self.batch.seats[:, 0].copy()}
        if self._flat and self.batch.interface == "vector":
            infos["action_mask"] = self.batch.masks[:, 0].copy()
        return infos

    def _to_objects(self, mask: np.ndarray) -> np.ndarray:
        """Return the observations of the rows in `mask` as Gymnasium does: (num_envs,) objects, None in others."""
        observed = self._observed()
        objects = np.full(len(mask), None, object)
        for row in np.flatnonzero(mask):
            entry = observed[row] if isinstance(observed, np.ndarray) else {n: a[row] for n, a in observed.items()}
            objects[row] = entry
        return objects
