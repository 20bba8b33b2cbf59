"""The common base of the AEC and the Parallel adapter: arguments, spaces, observations, infos and rewards."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from aucenv.core.adapters.spaces import (
    INTERFACES,
    Words,
    action_space,
    checked_observation,
    features_box,
    observation_space,
    scaled_interface,
)
from aucenv.core.boards.board import Board, Cell, Column
from aucenv.core.boards.drawing import to_image
from aucenv.core.boards.text import to_text
from aucenv.core.checks import one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.kernel import game_key, subkey
from aucenv.core.play.rivals import Rival, RivalPolicies, read_rivals
from aucenv.core.play.table import Table
from aucenv.core.scenarios import Scenario
from aucenv.core.state import NEXT_GAME, seat_names
from aucenv.core.views.seat_view import GameView

Observation = JsonObject | np.ndarray
"""A dict of the features and an action mask or text; or the features alone, if `observation="flat"`."""
INFOS = ("numbers", "full", "none")
ON_DEATH = ("stay", "terminate")
RENDER_MODES = ("ansi", "human", "rgb_array")


class Adapter:
    """The base class that exposes a Table through PettingZoo's API.

    `envs.forms` creates a subclass for each game, with its `game` and `metadata`. The docstring of the game's
    `game.py` explains the arguments.
    """

    game: ClassVar[Game]
    metadata: JsonObject
    holds_rounds_open: ClassVar[bool] = False

    def __init__(
        self,
        scenario: Scenario,
        *,
        on_death: str = "stay",
        interface: str | Mapping[str, str] = "vector",
        num_actions: int = 11,
        amount_scale: str = "dollars",
        observation: str = "dict",
        infos: str = "numbers",
        illegal: str = "refuse",
        max_retries: int = 3,
        max_cycles: int | None = None,
        idle_turns: bool = False,
        mask_in_info: bool = False,
        render_mode: str | None = None,
        rivals: Mapping[str, Rival] | Sequence[Rival] | None = None,
        seat: int | str | None = None,
    ) -> None:
        if render_mode is not None:
            one_of("render_mode", render_mode, RENDER_MODES)
        self.ends_on_death = one_of("on_death", on_death, ON_DEATH) == "terminate"
        self.scenario = scenario
        self.render_mode = render_mode
        self.max_cycles = None if max_cycles is None else whole_number("max_cycles", max_cycles, 1, 2**31)
        self.idle_turns = bool(idle_turns)
        self.info_mode = one_of("infos", infos, INFOS)
        num_bidders, num_items = len(scenario.bidders), scenario.num_items
        names = seat_names(num_bidders)
        policies = (
            None if rivals is None else RivalPolicies(read_rivals(rivals, num_bidders, seat), self.game, scenario)
        )
        self._rivals = policies
        self._seat = {name: seat for seat, name in enumerate(names)} if policies is None else policies.plan.agents
        self.possible_agents = [*self._seat]
        self.agents: list[str] = []
        by_agent = [scaled_interface(name, amount_scale) for name in read_interfaces(interface, self.possible_agents)]
        interfaces = dict(zip(self._seat.values(), by_agent, strict=True))
        self._interfaces = interfaces
        self._flat = checked_observation(observation, by_agent)
        self.mask_in_info = bool(mask_in_info) or self._flat
        self._rewarded_scores = [0.0] * num_bidders  # with rivals: the scores at the time of the last rewards
        self.table = Table(
            self.game,
            scenario,
            [interfaces.get(seat, "amount") for seat in range(num_bidders)],
            num_actions=num_actions,
            illegal=illegal,
            max_retries=max_retries,
            hold_open=self.holds_rounds_open and self.idle_turns,
        )
        vector = self.game.features
        size = vector.num_features(num_bidders, num_items)
        words = Words(float(scenario.highest_bid), self.game.words.reply_writer(scenario))
        observation_spaces = {i: observation_space(i, size, num_actions, words) for i in set(by_agent)}
        action_spaces = {i: action_space(i, num_actions, words) for i in set(by_agent)}
        features = next(iter(observation_spaces.values()))["observation"]
        self.observation_spaces: dict[str, spaces.Space] = {
            agent: features if self._flat else observation_spaces[interfaces[seat]]
            for agent, seat in self._seat.items()
        }
        self.action_spaces = {agent: action_spaces[interfaces[seat]] for agent, seat in self._seat.items()}
        self.state_space = features_box(num_bidders * size + vector.num_hidden_features(num_items))
        self._root: int | None = None  # key of the last seeded game; the keys of unseeded games are derived from it
        self._unseeded = 0

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the observation space of `agent`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Return the action space of `agent`."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """Return the current observation of `agent`; it is up to date even if it is another agent's turn."""
        if not self.agents:
            self._check_dealt()
        return self._observe(self._seat[agent])

    def action_mask(self, agent: str) -> np.ndarray:
        """Return the mask of the actions that are legal for `agent` now, (actions,) int8.

        Raises:
            ValueError: The interface of `agent` is not "vector".
        """
        self._check_dealt()
        observation = self._observe_by_name(self._seat[agent])
        if "action_mask" not in observation:
            raise ValueError(f"action_mask: expected interface='vector' for {agent}; other interfaces have no mask")
        return observation["action_mask"]

    @property
    def rivals(self) -> dict[str, str]:
        """The names of the bidders that play the other seats of the current game, by seat."""
        return {} if self._rivals is None else self._rivals.names_by_seat(self.table)

    def text(self, agent: str) -> str:
        """Return everything that `agent` may know, in words, including what earlier observations have shown."""
        return self.game.words.describe(self.view(agent))

    def view(self, agent: str) -> GameView:
        """Return everything that `agent` may know, as the game's View."""
        self._check_dealt()
        return self.table.view(self._seat[agent])

    def state(self) -> np.ndarray:
        """Return the whole state including hidden values, for a centralized critic: float32, shape of `state_space`."""
        self._check_dealt()
        vector, table = self.game.features, self.table
        hidden = np.empty(vector.num_hidden_features(self.scenario.num_items), np.float32)
        vector.hidden_features(table.state, 0, hidden)
        return np.concatenate([table.observations.ravel(), hidden])

    def render(self) -> str | np.ndarray | None:
        """Render the table: return text ("ansi"), print it ("human"), or return an image ("rgb_array").

        The image has shape (height, width, 3), uint8.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() was called without a render_mode; pass render_mode='ansi', 'human' or 'rgb_array'."
            )
            return None
        self._check_dealt()
        board = self.game.board.board(self.table.view(0, reveal=True))
        if self.render_mode == "rgb_array":
            return to_image(board)
        text = to_text(_with_agents(board))
        if self.render_mode == "ansi":
            return text
        print(text, end="")
        return None

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def _deal(self, seed: int | None) -> None:
        """Deal a game.

        Args:
            seed: The game's seed; None deals the next game of the last seed, or a random game if there was none.
        """
        if seed is not None:
            self._root, self._unseeded = game_key(whole_number("seed", seed, 0)), 0
            key = self._root
        else:
            if self._root is None:
                self._root = game_key(None)
            self._unseeded += 1
            key = subkey(self._root, NEXT_GAME, self._unseeded)
        self.table.reset_key(key, self.max_cycles or 0)
        self.agents = self.possible_agents.copy()
        if self._rivals is not None:
            self._seat = self._rivals.take_seats(self.table, [*self._interfaces.values()])
            self._rewarded_scores = self.table.scores()
            self._rivals.play_rivals(self.table)

    def _collect_rewards(self) -> list[float]:
        """Return each seat's reward for the round that has just closed and the rounds that rivals then play alone."""
        if self._rivals is None:
            return self.table.rewards()
        self._rivals.play_rivals(self.table)
        previous, self._rewarded_scores = self._rewarded_scores, self.table.scores()
        return [score - old for score, old in zip(self._rewarded_scores, previous, strict=True)]

    @staticmethod
    def _not_running(call: str) -> RuntimeError:
        """Return the error of a call that needs a running game."""
        return RuntimeError(f"{call}() was called before reset() or after the end of the game: call reset() first")

    def _check_dealt(self) -> None:
        if not self.table.dealt:
            raise RuntimeError("no game has been dealt yet: call reset() first")

    def _observe_by_name(self, seat: int) -> JsonObject:
        """Return a seat's observation as a dict, even if observations are flat."""
        return self.table.observe(seat)

    def _observe(self, seat: int) -> Observation:
        observation = self._observe_by_name(seat)
        return observation["observation"] if self._flat else observation

    def _info(self, agent: str) -> JsonObject:
        seat = self._seat[agent]
        info: JsonObject
        if self.info_mode == "numbers":
            info = self.table.numeric_info(seat)
        else:
            info = self.table.full_info(seat) if self.info_mode == "full" else {}
        if self.mask_in_info:
            observation = self._observe_by_name(seat)
            if "action_mask" in observation:
                info["action_mask"] = observation["action_mask"]
        return info


def _with_agents(board: Board) -> Board:
    """Return a board with the agent of each row in its first column."""
    agents = seat_names(len(board.rows))
    rows = tuple(dataclasses.replace(row, cells=(Cell(agents[row.seat]), *row.cells)) for row in board.rows)
    return dataclasses.replace(board, columns=(Column("agent"), *board.columns), rows=rows)


def read_interfaces(interface: str | Mapping[str, str], agents: list[str]) -> list[str]:
    """Return the interface of each agent.

    Raises:
        ValueError: An interface is unknown, or the keys of a mapping are not exactly these agents.
    """
    if isinstance(interface, Mapping):
        if set(interface) != set(agents):
            raise ValueError(f"interface: expected one for each of {', '.join(agents)}, got {dict(interface)!r}")
        names = [interface[agent] for agent in agents]
    else:
        names = [interface] * len(agents)
    return [one_of("interface", name, INTERFACES) for name in names]
