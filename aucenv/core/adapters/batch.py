"""The batch environment: many games of one scenario in arrays, for training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from aucenv.core.adapters.spaces import Words, action_space, observation_space, scaled_interface
from aucenv.core.adapters.threads import Threads
from aucenv.core.checks import FieldError, excerpt, one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.kernel import game_key, kernel, warn_if_slow
from aucenv.core.play.rivals import Rival, allocate_rule_rivals, read_rivals
from aucenv.core.play.snapshot import Snapshot
from aucenv.core.scenarios import Scenario
from aucenv.core.state import WITHDRAW, seat_names
from aucenv.core.words.money import MAX_DOLLARS, round_to_cents

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
            `actions` of all seats themselves, as in `benchmarks/timings/batch_play.py`.
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


class ActionReader:
    """Reads and checks the actions of a batch.

    Args:
        interface: "vector", "amount" or "share".
        actions: (rows, seats) int64, written by `read`: vector actions, or amounts in cents.
    """

    def __init__(self, game: Game, scenario: Scenario, interface: str, num_actions: int, actions: np.ndarray) -> None:
        self.game = game
        self.scenario = scenario
        self.interface = interface
        self.num_actions = num_actions
        self.actions = actions
        self._numbers = np.zeros(actions.shape if interface != "vector" else (0, 0))

    def read(self, actions: Any, acting: np.ndarray, seats: np.ndarray, state: np.ndarray) -> None:
        """Write the actions of the seats that have a decision to `self.actions`.

        Args:
            actions: (rows, seats) vector actions, dollars or shares.
            acting: (rows, seats) bool, whether a seat has a decision.
            seats: (rows, seats) int64, the seat at the table of each column.
            state: (rows,) of the state's dtype, the games.

        Raises:
            ValueError: The shape or dtype is wrong, or an action is out of range; the message names
                its index and value.
        """
        array = np.asarray(actions)
        is_vector = self.interface == "vector"
        if array.shape != self.actions.shape:
            raise ValueError(f"actions: expected shape {self.actions.shape}, got {array.shape}")
        if array.dtype.kind not in ("iu" if is_vector else "iuf"):
            expected = "whole numbers" if is_vector else "numbers"
            raise ValueError(f"actions: expected {expected}, got an array of {array.dtype}")
        np.copyto(self.actions if is_vector else self._numbers, array, casting="unsafe")
        if is_vector:
            bad = read_actions(self.actions, acting, self.num_actions)
            expected = f"a whole number from 0 to {self.num_actions - 1}"
        elif self.interface == "amount":
            bad = read_dollars(self._numbers, acting, self.actions)
            expected = "a number of dollars"
        else:
            bad = self.game.kernels.read_shares(self._numbers, acting, seats, state, self.actions)
            expected = "a number from 0 to 1"
        if bad >= 0:
            row, column = divmod(bad, self.actions.shape[1])
            raise ValueError(f"actions[{row}, {column}]: expected {expected}, got {array[row, column]!r}")

    def check_legal(self, acting: np.ndarray, seats: np.ndarray, state: np.ndarray) -> None:
        """Raise unless all actions that were read are legal.

        Raises:
            ValueError: An action is illegal; the message names its index and the reason.
        """
        amount, check = self.game.features.amount, self.game.rules.check
        scenario_text = self.game.view.ScenarioText.of(self.scenario)
        for row, column in np.argwhere(acting).tolist():
            bid, seat = int(self.actions[row, column]), int(seats[row, column])
            if self.interface == "vector":
                bid = int(amount(state, row, seat, bid))
            code = check(state, row, seat, bid)
            if code:
                reason = self.game.words.refusal(state[row : row + 1], seat, bid, code, scenario_text)
                raise ValueError(f"actions[{row}, {column}]: {reason}")


@kernel
def read_actions(actions, acting, num_actions):
    """Set the actions of seats without a decision to 0; return the flat index of the first invalid one, or -1."""
    rows, seats = actions.shape
    for b in range(rows):
        for seat in range(seats):
            if not acting[b, seat]:
                actions[b, seat] = 0
            elif not 0 <= actions[b, seat] < num_actions:
                return b * seats + seat
    return -1


@kernel
def read_dollars(dollars, acting, cents):
    """Write dollars as cents, negative ones as WITHDRAW; return the flat index of the first NaN, or -1."""
    rows, seats = dollars.shape
    for b in range(rows):
        for seat in range(seats):
            amount = dollars[b, seat]
            if amount != amount and acting[b, seat]:
                return b * seats + seat
            cents[b, seat] = round_to_cents(min(amount, 10.0 * MAX_DOLLARS)) if amount >= 0 else WITHDRAW
    return -1


RESET_MASK = "reset_mask"
"""The only option of a reset, under the name that it has in Gymnasium."""


def read_reset_mask(options: Any, num_envs: int) -> np.ndarray:
    """Return which rows a reset deals: (num_envs,) bool; all of them without options.

    Raises:
        ValueError: There is another option, or the mask is not an array of one bool for each row, at least one of them
            True.
    """
    if not options and options in (None, {}):
        return np.ones(num_envs, np.bool_)
    if not isinstance(options, Mapping) or set(options) != {RESET_MASK}:
        raise FieldError("options", f"expected {{{RESET_MASK!r}: an array of bools}} or None, got {excerpt(options)}")
    mask = options[RESET_MASK]
    is_array = isinstance(mask, np.ndarray)
    if not is_array or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        given = f"{mask.dtype} of shape {mask.shape}" if is_array else excerpt(mask)
        raise FieldError(RESET_MASK, f"expected a NumPy array of bools of shape {(num_envs,)}, got {given}")
    if not mask.any():
        raise FieldError(RESET_MASK, "expected at least one True, got False for all rows")
    return mask


def read_row_seeds(seed: int | Sequence[int] | None, mask: np.ndarray) -> list[int | None]:
    """Return the seed of each row in `mask`, in order; None is a random one.

    Args:
        seed: A number, to which the number of the row is added; or one for each row, inside `mask` or not.
        mask: (rows,) bool.

    Raises:
        ValueError: A seed is not a whole number of at least 0, or there is not one for each row.
    """
    rows = np.flatnonzero(mask).tolist()
    if seed is None:
        return [None] * len(rows)
    if isinstance(seed, np.ndarray):
        seed = seed.tolist()
    if not isinstance(seed, (list, tuple)):
        first = whole_number("seed", seed, 0)
        return [first + row for row in rows]
    if len(seed) != len(mask):
        raise FieldError("seed", f"expected one for each of {len(mask)} rows, got {len(seed)}")
    return [whole_number(f"seed[{row}]", seed[row], 0) for row in rows]


def ranges_of(mask: np.ndarray) -> list[list[int]]:
    """Return the first and the last row, exclusive, of each range of consecutive rows in `mask`."""
    return np.flatnonzero(np.diff(mask, prepend=False, append=False)).reshape(-1, 2).tolist()
