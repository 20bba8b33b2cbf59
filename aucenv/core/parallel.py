"""PettingZoo's Parallel interface over a Table: one step asks every seat that owes a decision.

A refused seat leaves the round open; the next step asks only the refused seats. The others then have one
action, which is ignored, and see nothing new.
"""

from __future__ import annotations

from pettingzoo import ParallelEnv

from aucenv.core.adapter import Adapter
from aucenv.core.files import JsonMapping, JsonObject

Step = tuple[JsonObject, dict[str, float], dict[str, bool], dict[str, bool], dict[str, JsonObject]]


class ParallelAdapter(Adapter, ParallelEnv):
    """See the game's `env.py` for what its agents observe and do."""

    def reset(
        self, seed: int | None = None, options: JsonObject | None = None
    ) -> tuple[JsonObject, dict[str, JsonObject]]:
        """Deal a new game.

        Args:
            seed: all of the game's chance follows from it; None = the next game of the last seed, or a fresh one.
            options: ignored.
        """
        self._start(seed)
        return self._observe_all()

    def step(self, actions: JsonMapping) -> Step:
        """Submit the actions of all seats that owe a decision; those of others are ignored.

        Raises:
            RuntimeError: before reset, or after the end.
            ValueError: an unknown agent, a missing action, or one that is not of the agent's interface.
        """
        if not self.agents:
            raise RuntimeError("step() was called before reset() or after the end of the game: call reset() first")
        table, agents = self.table, self.agents
        pending = self._pending()
        if len(actions) != len(agents) or any(agent not in actions for agent in agents):
            self._check_agents(actions, pending)
        rounds = table.rounds
        table.submit_all({self._seat[agent]: actions[agent] for agent in pending})
        closed = table.rounds > rounds
        gains = self._gains() if closed else [0.0] * table.num_seats
        observations, infos = self._observe_all()
        rewards = {agent: gains[self._seat[agent]] for agent in agents}
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
        unknown = [agent for agent in actions if agent not in self.agents]
        missing = [agent for agent in pending if agent not in actions]
        if unknown or missing:
            raise ValueError(f"actions: expected one for each of {self.agents}; unknown: {unknown}, missing: {missing}")

    def _observe_all(self) -> tuple[JsonObject, dict[str, JsonObject]]:
        seats, agents = self._seat, self.agents
        return {agent: self._observe(seats[agent]) for agent in agents}, {agent: self._info(agent) for agent in agents}

    def _see(self, seat: int) -> JsonObject:
        """What a seat observes; once it has answered, its mask has one action and its text asks for nothing."""
        observation = self.table.observe(seat)
        if self.table.has_answered(seat):
            if "action_mask" in observation:
                observation["action_mask"][1:] = 0
            elif "text" in observation:
                observation["text"] = self.game.text.waiting_text(self.table.scenario_text)
        return observation
