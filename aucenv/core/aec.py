"""PettingZoo's AEC interface over a Table: one seat at a time, only seats that have a decision."""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from aucenv.core.adapter import Adapter


class AECAdapter(Adapter, AECEnv):
    """See the game's `env.py` for what its agents observe and do."""

    agent_selection: str
    holds_rounds_open = True  # with idle turns, nobody's turn may come after the round has closed

    def __init__(self, scenario: Any, **kwargs: Any) -> None:
        super().__init__(scenario, **kwargs)
        # aec_to_parallel needs every agent to have exactly one turn a round.
        parallelizable = self.idle_turns and self.table.illegal != "refuse"
        self.metadata = {**self.metadata, "is_parallelizable": parallelizable}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: all of the game's chance follows from it; None = a fresh game.
            options: ignored.
        """
        self._start(seed)
        agents = self.agents
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos = self._infos()
        self._skip_agent_selection = None
        self._rewarded = False
        if self.table.over:  # nobody can pay for anything
            self._end()
        else:
            self._open_round()

    def step(self, action: Any) -> None:
        """Submit the selected agent's action; the last one of a round closes it.

        Raises:
            RuntimeError: before reset, or after the end.
            ValueError: not an action of the agent's interface; or None while it is alive.
        """
        if not self.agents:
            raise RuntimeError("step() was called before reset() or after the end of the game: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent}: expected an action, got None; only agents that are done take None")
        seat = self._seat[agent]
        table = self.table
        info = self.infos[agent]
        was_refused = info["refused"] is not None
        refused = table.owes(seat) and table.submit(seat, action) is not None
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        if refused or was_refused:
            self.infos[agent] = {**info, "refused": table.refused(seat)}
        if refused:
            return
        if self._queue:
            self.agent_selection = self._queue.pop()
            return
        if table.hold_open:
            table.close_round()
        self._close_round()

    def _open_round(self) -> None:
        table = self.table
        asked = range(table.num_seats) if self.idle_turns else table.asked
        self._queue = [self.possible_agents[seat] for seat in asked]
        self._queue.reverse()
        self.agent_selection = self._queue.pop()

    def _close_round(self) -> None:
        table = self.table
        gains = self._gains()
        if gains is not None:
            self.rewards = dict(zip(self.agents, gains, strict=True))
            self._rewarded = True
            self._accumulate_rewards()
        self.infos = self._infos()
        if table.over:
            self._end()
        else:
            self._open_round()

    def _end(self) -> None:
        ended = self.terminations if self.table.terminated else self.truncations
        for agent in self.agents:
            ended[agent] = True
        self.agent_selection = self.agents[0]


class OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's, but a step after the end is an error and not a line on the screen."""

    def step(self, action: Any) -> None:
        if self._has_reset and not self.agents:
            raise RuntimeError("step() was called after the end of the game: call reset() first")
        super().step(action)


class AssertOutOfBounds(AssertOutOfBoundsWrapper):
    """PettingZoo's, with a message that names the agent, the action and the space."""

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        space = self.action_space(agent)
        dead = action is None and (self.terminations[agent] or self.truncations[agent])
        assert dead or space.contains(action), f"{agent}: expected an action in {space}, got {action!r}"
        self.env.step(action)


def wrapped(env: AECAdapter) -> AECEnv:
    """`env` with PettingZoo's checks: order always, bounds where all actions are Discrete."""
    wrapper: AECEnv = env
    if all(isinstance(space, Discrete) for space in env.action_spaces.values()):
        wrapper = AssertOutOfBounds(wrapper)
    return OrderEnforcing(wrapper)
