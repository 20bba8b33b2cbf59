"""PettingZoo's Parallel API over a Table: one step takes the actions of all agents that have a decision.

If an action is refused, the round stays open, and the next step takes actions only from the refused agents. The other
agents then have a single action, which is ignored, and their observations do not change.
"""

from __future__ import annotations

from pettingzoo import ParallelEnv

from aucenv.core.adapters.adapter import Adapter
from aucenv.core.files import JsonMapping, JsonObject

Step = tuple[JsonObject, dict[str, float], dict[str, bool], dict[str, bool], dict[str, JsonObject]]


class ParallelAdapter(Adapter, ParallelEnv):
    """The Parallel environment of a game; the docstring of its `game.py` explains observations and actions."""

    def reset(
        self, seed: int | None = None, options: JsonObject | None = None
    ) -> tuple[JsonObject, dict[str, JsonObject]]:
        """Deal a new game.

        Args:
            seed: Seeds all randomness of the game; None deals the next game of the last seed, or a random game.
            options: Ignored.
        """
        self._deal(seed)
        return self._observe_all()

    def step(self, actions: JsonMapping) -> Step:
        """Submit the actions of all agents that have a decision.

        Actions of agents that are dead or have no decision are ignored, even those outside the action space.

        Raises:
            RuntimeError: The game is not dealt, or it is over.
            ValueError: A name is not that of an agent, an action is missing, or an action is not in its agent's action
                space.
        """
        if not self.agents:
            raise self._not_running("step")
        table, agents = self.table, self.agents
        pending = self._pending()
        if len(actions) != len(agents) or any(agent not in actions for agent in agents):
            self._check_agents(actions, pending)
        rounds = table.rounds
        table.submit_all({self._seat[agent]: actions[agent] for agent in pending})
        closed = table.rounds > rounds
        seat_rewards = self._collect_rewards() if closed else [0.0] * table.num_seats
        observations, infos = self._observe_all()
        rewards = {agent: seat_rewards[self._seat[agent]] for agent in agents}
        over = table.over
        terminations = dict.fromkeys(agents, over and table.terminated)
        truncations = dict.fromkeys(agents, over and not table.terminated)
        if self.ends_on_death and closed:
            for agent in agents:
                if table.has_died(self._seat[agent]):
                    terminations[agent], truncations[agent] = True, False
        self.agents = [agent for agent in agents if not (over or terminations[agent])]
        return observations, rewards, terminations, truncations, infos

    def _pending(self) -> list[str]:
        return [agent for agent in self.agents if self.table.is_pending(self._seat[agent])]

    def _check_agents(self, actions: JsonMapping, pending: list[str]) -> None:
        unknown = [agent for agent in actions if agent not in self.possible_agents]
        missing = [agent for agent in pending if agent not in actions]
        if unknown or missing:
            raise ValueError(f"actions: expected one for each of {self.agents}; unknown: {unknown}, missing: {missing}")

    def _observe_all(self) -> tuple[JsonObject, dict[str, JsonObject]]:
        seats, agents = self._seat, self.agents
        return {agent: self._observe(seats[agent]) for agent in agents}, {agent: self._info(agent) for agent in agents}

    def _observe_by_name(self, seat: int) -> JsonObject:
        """Return a seat's observation as a dict, even if observations are flat.

        Once the seat has acted in the round, its mask allows a single action, or its text asks it to wait.
        """
        observation = self.table.observe(seat)
        if self.table.has_acted(seat):
            if "action_mask" in observation:
                observation["action_mask"][1:] = 0
            elif "text" in observation:
                observation["text"] = self.game.words.waiting_text(self.table.scenario_text)
        return observation
