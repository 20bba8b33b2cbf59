"""The batch environment: many games of one scenario in arrays, for training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from aucenv.core.batch_actions import ActionReader
from aucenv.core.checks import one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.kernel import game_key, warn_if_slow
from aucenv.core.resets import ranges_of, read_reset_mask, read_row_seeds
from aucenv.core.rivals import Rival, allocate_rule_rivals, read_rivals
from aucenv.core.scenarios import Scenario
from aucenv.core.snapshot import Snapshot
from aucenv.core.spaces import Words, action_space, observation_space, scaled_interface
from aucenv.core.state import seat_names
from aucenv.core.threads import Threads

INTERFACES = ("vector", "amount")
VIEWS = (
    "observations", "masks", "acting", "rewards", "results", "illegal_bids", "terminated", "truncated", "seats",
    "observed", "_infos",
)  # fmt: skip
"""Attributes that are created again in a copy, where a copied view would not share memory with its array."""
ILLEGAL = ("withdraw", "clip", "raise")


class BatchAdapter:
    """`num_envs` games of one scenario; row b plays the game of an AEC or Parallel env after a reset with row b's seed.

    All arrays are read-only views of arrays that every `step` updates in place, so copy the values that you keep. When
    the game of a row is over, the next step ignores the row's actions and starts its next game: `terminated` and
    `truncated` are False again, and the observations are those of the new game.

    Seats without a decision have the single action 0, and their actions are ignored. `decisions()` returns the seats
    with a decision. Learners should compute actions and losses for these alone (in english, about half of the seats)::

        rows, seats = batch.decisions()
        actions[rows, seats] = policy(batch.observations[rows, seats], batch.masks[rows, seats])

    Args:
        num_envs: The number of rows.
        num_threads: The number of threads; it affects only speed.
        illegal: What happens to an illegal bid: "withdraw" withdraws the seat, "clip" replaces the bid by the nearest
            legal one, and "raise" raises ValueError without changing the batch. There are no retries.
        interface, amount_scale, num_actions, max_cycles: As in the other environments; all seats have the same
            interface, "vector" or "amount".
        rivals: Rule bidders that play some of the seats, as in the other environments, within the same compiled step.
            The arrays then contain only the other seats, and a step ends when at least one of these has a decision.
        seat: The learner's seat if `rivals` is a list; "random" draws it for each game.

    Attributes:
        observations: (num_envs, seats, features) float32.
        masks: (num_envs, seats, actions) int8; only action 0 is legal for a seat without a decision.
        observed: A dict of observations and masks, as `reset` and `step` return it.
        acting: (num_envs, seats) bool, whether a seat has a decision; the actions of other seats are ignored.
        rewards: (num_envs, seats) float64.
        terminated, truncated: (num_envs,) bool.
        illegal_bids: (num_envs, seats) bool, whether the last bid of a seat was illegal.
        results: (num_envs, seats, len(rules.RESULT)) int64, the results of games that are over, else 0; money in cents.
        seats: (num_envs, seats) int64, the seat at the table of each column.
        actions: (num_envs, seats) int64, the actions of the last step, amounts in cents. Writable.
        rng_states: (num_envs,) int64, the state of the random number generator that draws a row's actions.
        step_args: Arguments of the kernel `game.kernels.step_row` after a row, for compiled loops that write valid
            `actions` of all seats themselves, as in `benchmarks/batch_play.py`.
    """

    game: ClassVar[Game]
    metadata: ClassVar[JsonObject]

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int,
        num_threads: int = 1,
        *,
        interface: str = "vector",
        amount_scale: str = "dollars",
        num_actions: int = 11,
        illegal: str = "withdraw",
        max_cycles: int | None = None,
        rivals: Mapping[str, Rival] | Sequence[Rival] | None = None,
        seat: int | str | None = None,
    ) -> None:
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self.interface = scaled_interface(one_of("interface", interface, INTERFACES), amount_scale)
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.max_cycles = None if max_cycles is None else whole_number("max_cycles", max_cycles, 1, 2**31)
        warn_if_slow()
        self.scenario = scenario
        self.num_actions = num_actions
        self.num_seats = seats = len(scenario.bidders)
        if rivals is None and seat is not None:
            raise ValueError(f"seat: expected None, got {seat!r:.80} without rivals")
        self._rivals = None if rivals is None else read_rivals(rivals, seats, seat)
        self.possible_agents = seat_names(seats) if self._rivals is None else [*self._rivals.agents]
        self._threads = Threads(num_threads)
        vector = self.game.features
        features = vector.num_features(seats, scenario.num_items)
        words = Words(float(scenario.highest_bid), self.game.words.reply_writer(scenario))
        self.single_observation_space: spaces.Dict = observation_space("vector", features, num_actions, words)
        self.single_action_space = action_space(self.interface, num_actions, words)
        self._allocate(features)
        self._reader = ActionReader(self.game, scenario, self.interface, num_actions, self.actions)
        self._is_dealt = False
        self._central: np.ndarray | None = None

    def _allocate(self, features: int) -> None:
        num_envs, seats, learners = self.num_envs, self.num_seats, len(self.possible_agents)
        self._template = self.scenario.template()
        self._template["max_rounds"] = self.max_cycles or 0
        self._state = np.zeros(num_envs, self._template.dtype)
        self._keys = np.zeros(num_envs, np.int64)
        terminated, truncated = np.zeros((2, num_envs), np.bool_)
        self._over = np.zeros(num_envs, np.bool_)
        arrays = self._new_seat_arrays(seats, features)
        observations, masks, acting, rewards, results, illegal = arrays
        self._scores, games_dealt = np.zeros((num_envs, seats)), np.zeros(num_envs, np.int64)
        bids = np.zeros((num_envs, seats), np.int64)
        self._buffers = (
            self._state, self._keys, games_dealt, bids, observations, masks, acting, self._scores, rewards, terminated,
            truncated, results, illegal,
        )  # fmt: skip
        self._kernels, seating = self.game.kernels, None
        seat_numbers = np.tile(np.arange(seats), (num_envs, 1))
        if self._rivals is not None:
            arrays = self._new_seat_arrays(learners, features)
            self._kernels, seating = allocate_rule_rivals(self._rivals, self.game, self.scenario, num_envs, arrays)
            seat_numbers = seating[5]
        self.actions = np.zeros((num_envs, learners), np.int64)
        self.rng_states = np.zeros(num_envs, np.int64)
        self._tables = self._buffers, seating
        self.step_args = (
            *self._tables, self._template, self.interface == "vector", self.illegal == "clip", self.actions
        )  # fmt: skip
        self._random_step_args = arrays[1], arrays[2], self.actions, self.rng_states, self.step_args
        self._arrays = *arrays, terminated, truncated, seat_numbers
        self._publish()

    def _publish(self) -> None:
        """Set the attributes to read-only views of the arrays."""
        views = [_read_only(array) for array in self._arrays]
        self.observations, self.masks, self.acting, self.rewards, self.results = views[:5]
        self.illegal_bids, self.terminated, self.truncated, self.seats = views[5:]
        self.observed: dict[str, np.ndarray] = {"observation": self.observations, "action_mask": self.masks}
        self._infos = {
            "acting": self.acting,
            "illegal": self.illegal_bids,
            "results": self.results,
            "_results": _read_only(self._over),
        }

    def __getstate__(self) -> JsonObject:
        return {name: value for name, value in self.__dict__.items() if name not in VIEWS}

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._publish()

    def _new_seat_arrays(self, seats: int, features: int) -> tuple[np.ndarray, ...]:
        """Return new observations, masks, acting, rewards, results and illegal bids of this number of seats."""
        shape = self.num_envs, seats
        return (
            np.zeros((*shape, features), np.float32),
            np.zeros((*shape, self.num_actions), np.int8),
            np.zeros(shape, np.bool_),
            np.zeros(shape),
            np.zeros((*shape, len(self.game.rules.RESULT)), np.int64),
            np.zeros(shape, np.bool_),
        )

    def reset(
        self, seed: int | Sequence[int] | None = None, options: JsonObject | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Deal a new game in every row, or in some of them, without a change of the others.

        Args:
            seed: A number: row b plays the same game as an env after `reset(seed=seed + b)`; or one seed per row. None
                deals the next game of each row, or random games if it is the first reset.
            options: {"reset_mask": (num_envs,) bool} deals only in the rows where it is True.

        Raises:
            ValueError: An option, the mask or a seed is invalid, or the first reset has a mask without some rows.
        """
        mask = read_reset_mask(options, self.num_envs)
        if not self._is_dealt and not mask.all():
            raise ValueError("reset_mask: expected all rows in the first reset, which has no games to keep")
        next_game = seed is None and self._is_dealt
        if not next_game:
            self._keys[mask] = [game_key(each) for each in read_row_seeds(seed, mask)]
            self._buffers[2][mask] = 0
            self.rng_states[mask] = self._keys[mask] & 0x7FFFFFFF
        self._is_dealt = True
        arguments = *self._tables, self._template, next_game
        if mask.all():
            self._threads.run(self._kernels.deal_rows, self.num_envs, *arguments)
        else:
            for first, last in ranges_of(mask):
                self._kernels.deal_rows(first, last, 0, *arguments)
        np.logical_or(self.terminated, self.truncated, out=self._over)  # over at once if no seat can afford an item
        return self.observed, self._infos

    def step(
        self, actions: Any
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Close the open round of every row, or start the next game of a row whose game is over.

        Args:
            actions: (num_envs, seats) vector actions; dollars, where negative numbers withdraw; or shares. None draws
                uniformly random legal vector actions, from one generator for each row, seeded by the row's seed.

        Returns:
            Observations, rewards, terminated, truncated, and infos: `acting`, `illegal`, and `results`, which are valid
            in rows where `_results` is True.

        Raises:
            RuntimeError: The batch was not reset.
            ValueError: The shape or dtype is wrong, or an action is out of range (the message names its index and
                value). The batch does not change.
        """
        self._check_dealt()
        if actions is None and self.interface == "vector":
            self._threads.run(self._kernels.step_rows_at_random, self.num_envs, *self._random_step_args)
        else:
            self._reader.read(actions, self.acting, self.seats, self._state)
            if self.illegal == "raise":
                self._reader.check_legal(self.acting, self.seats, self._state)
            self._threads.run(self._kernels.step_rows, self.num_envs, *self.step_args)
        np.logical_or(self.terminated, self.truncated, out=self._over)
        return self.observed, self.rewards, self.terminated, self.truncated, self._infos

    def decisions(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and seats that have a decision now, as two index arrays of equal length."""
        self._check_dealt()
        rows, seats = np.nonzero(self.acting)
        return rows, seats

    def deal_next(self, rows: np.ndarray) -> None:
        """Start the next game of each of these rows now, instead of in the next step; only with rivals."""
        assert self._rivals is not None
        self._kernels.deal_next_rows(rows, *self._tables, self._template)
        self._over[rows] = self.terminated[rows] | self.truncated[rows]

    def state(self) -> np.ndarray:
        """Return the whole states including hidden values, for a centralized critic: (num_envs, size) float32.

        The next call overwrites the array.
        """
        self._check_dealt()
        if self._central is None:
            num_observed = self._buffers[4][0].size
            size = num_observed + self.game.features.num_hidden_features(self.scenario.num_items)
            self._central = np.empty((self.num_envs, size), np.float32)
        arrays = self._state, self._buffers[4], self._central
        self._threads.run(self._kernels.write_whole_states, self.num_envs, *arrays)
        return self._central

    def snapshot(self, row: int) -> Snapshot:
        """Return a snapshot of the game of a row, without its history, which a batch does not record."""
        self._check_dealt()
        one = slice(whole_number("row", row, 0, self.num_envs - 1), row + 1)
        return Snapshot(self.game, self.scenario, self._state[one].copy())

    def restore(self, snapshot: Snapshot, rows: Sequence[int] | np.ndarray, seeds: Sequence[int] | np.ndarray) -> None:
        """Copy a game in progress to rows, each with its own seed for all randomness from here on.

        Actions that seats had submitted in the open round are discarded. The `max_cycles` of this env applies.

        Args:
            snapshot: The game.
            rows: The numbers of the rows.
            seeds: A seed for each row; equal seeds give equal random numbers.

        Raises:
            RuntimeError: The batch was not reset.
            ValueError: The snapshot has another game, version or scenario, a row is out of range, or there is not one
                seed per row.
        """
        self._check_dealt()
        snapshot.check(self.game, self.scenario)
        rows, seeds = np.atleast_1d(rows).tolist(), np.atleast_1d(seeds).tolist()
        if len(seeds) != len(rows):
            raise ValueError(f"seeds: expected one for each of {len(rows)} rows, got {len(seeds)}")
        numbers = [whole_number("rows", row, 0, self.num_envs - 1) for row in rows]
        keys = np.array([game_key(whole_number("seeds", seed, 0)) for seed in seeds], np.int64)
        indices = np.array(numbers, np.int64)
        self._kernels.restore_rows(indices, keys, snapshot.state, self._template[0]["max_rounds"], *self._tables)
        np.logical_or(self.terminated, self.truncated, out=self._over)

    def close(self) -> None:
        """Stop the threads; the batch can still be used."""
        self._threads.close()

    def _check_dealt(self) -> None:
        if not self._is_dealt:
            raise RuntimeError("no game has been dealt yet: call reset() first")


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
