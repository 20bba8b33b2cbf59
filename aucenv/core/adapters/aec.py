"""PettingZoo's AEC API over a Table: one agent acts at a time, and only agents that have a decision act."""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, BaseWrapper, OrderEnforcingWrapper

from aucenv.core.adapters.actions import unpacked
from aucenv.core.adapters.adapter import Adapter, Observation
from aucenv.core.files import JsonObject


class AECAdapter(Adapter, AECEnv):
    """The AEC environment of a game; the docstring of its `game.py` explains observations and actions."""

    agent_selection: str
    holds_rounds_open = True  # with idle turns, the round must stay open until every agent has had its turn

    def __init__(self, scenario: Any, **kwargs: Any) -> None:
        super().__init__(scenario, **kwargs)
        # aec_to_parallel needs every agent to have exactly one turn a round.
        parallelizable = self.idle_turns and self.table.illegal != "refuse"
        self.metadata = {**self.metadata, "is_parallelizable": parallelizable}

    def reset(self, seed: int | None = None, options: JsonObject | None = None) -> None:
        """Deal a new game.

        Args:
            seed: Seeds all randomness of the game; None deals the next game of the last seed, or a random game.
            options: Ignored.
        """
        self._deal(seed)
        agents = self.agents
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self._infos: dict[str, JsonObject] = {}
        self._skip_agent_selection: str | None = None
        self._rewarded = False
        if self.table.over:  # no seat can afford any item
            self._end()
        else:
            self._open_round()

    def step(self, action: Any) -> None:
        """Submit the selected agent's action; the last action of a round closes the round.

        Raises:
            RuntimeError: The game is not dealt, or it is over.
            ValueError: The action is not in the agent's action space, or it is None although the agent is alive.
        """
        if not self.agents:
            raise self._not_running("step")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent}: expected an action, got None; only agents that are done take None")
        seat = self._seat[agent]
        table = self.table
        asked_again = seat in table.refusals
        is_pending = not self.idle_turns or table.is_pending(seat)
        refused = is_pending and table.submit(seat, action) is not None
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        if refused or asked_again:
            self._infos.pop(agent, None)
        if refused:
            return
        next_agent = next(self._turns, None)
        if next_agent is not None:
            self.agent_selection = next_agent
            return
        if table.hold_open:
            table.close_round()
        self._close_round()

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, JsonObject]:
        """Return the selected agent's observation, reward since its last turn, terminated, truncated and info.

        Raises:
            RuntimeError: The game is not dealt, or it is over.
        """
        if not self.agents:
            raise self._not_running("last")
        agent = self.agent_selection
        return (
            self._observe(self._seat[agent]) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self._infos.get(agent) or self._make_info(agent),
        )

    @property
    def infos(self) -> dict[str, JsonObject]:
        """The info of every agent, created on access."""
        for agent in self.agents:
            if agent not in self._infos:
                self._make_info(agent)
        return self._infos

    def _make_info(self, agent: str) -> JsonObject:
        info = self._infos[agent] = self._info(agent)
        return info

    def _open_round(self) -> None:
        table = self.table
        if self.idle_turns:
            turns = [name for name, seat in self._seat.items() if not (self.ends_on_death and table.has_died(seat))]
        else:
            turns = [name for name, seat in self._seat.items() if table.is_pending(seat)]
        self._turns = iter(turns)
        self.agent_selection = next(self._turns)

    def _close_round(self) -> None:
        table = self.table
        if table.score_changed or self._rivals is not None:
            seat_rewards = self._collect_rewards()
            self.rewards = {agent: seat_rewards[self._seat[agent]] for agent in self.agents}
            self._rewarded = True
            self._accumulate_rewards()
        self._infos = {}
        if table.over:
            self._end()
        else:
            self._open_round()
            if self.ends_on_death:
                self._terminate_dead()

    def _terminate_dead(self) -> None:
        """Terminate the agents that have died; PettingZoo requires a last step(None) of each before the next turn."""
        dead = [agent for agent in self.agents if self.table.has_died(self._seat[agent])]
        self.terminations.update(dict.fromkeys(dead, True))
        if dead:
            self._skip_agent_selection = self.agent_selection
            self.agent_selection = dead[0]

    def _end(self) -> None:
        for agent in self.agents:
            died = self.ends_on_death and self.table.has_died(self._seat[agent])
            ended = self.terminations if died or self.table.terminated else self.truncations
            ended[agent] = True
        self.agent_selection = self.agents[0]


class _ForwardsLast(BaseWrapper):
    """A wrapper that calls `last` of its env directly, because it changes no observations."""

    def last(self, observe: bool = True) -> Any:
        return self.env.last(observe)


class OrderEnforcing(_ForwardsLast, OrderEnforcingWrapper):
    """PettingZoo's OrderEnforcingWrapper, except that a step after the end raises instead of logging a warning."""

    def step(self, action: Any) -> None:
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        self.env.step(action)


class AssertOutOfBounds(_ForwardsLast, AssertOutOfBoundsWrapper):
    """PettingZoo's AssertOutOfBoundsWrapper with an error that names the agent, the action and the space."""

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        space = self.action_space(agent)
        one = unpacked(action)
        dead = action is None and (self.terminations[agent] or self.truncations[agent])
        assert dead or space.contains(one), f"{agent}: expected an action in {space}, got {action!r}"
        self.env.step(one)


def wrap_env(env: AECAdapter) -> AECEnv:
    """Return `env` with PettingZoo's checks: always of the call order; of bounds if all action spaces are Discrete."""
    wrapper: AECEnv = env
    if all(isinstance(space, Discrete) for space in env.action_spaces.values()):
        wrapper = AssertOutOfBounds(wrapper)
    return OrderEnforcing(wrapper)
