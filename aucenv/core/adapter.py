"""What the AEC and the Parallel adapter share: arguments, spaces, observations, infos, rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from aucenv.core.checks import one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.game_modules import Scenario
from aucenv.core.kernel import game_key, subkey
from aucenv.core.rivals import Rival, RivalPolicies, read_rivals
from aucenv.core.seat_view import GameView
from aucenv.core.spaces import (
    INTERFACES,
    Words,
    action_space,
    checked_observation,
    features_box,
    observation_space,
    scaled_interface,
)
from aucenv.core.state import NEXT_GAME, seat_names
from aucenv.core.table import Table

Observation = JsonObject | np.ndarray
"""Arrays and words by name; or, flat, the features alone."""
INFOS = ("numbers", "full", "none")
ON_DEATH = ("stay", "terminate")
RENDER_MODES = ("ansi", "human", "rgb_array")


class Adapter:
    """A Table under PettingZoo's names. A game subclasses it with `game` and a `name`; see `envs/english/env.py`.

    Args: see the game's `env.py`.
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
        seated = None if rivals is None else RivalPolicies(read_rivals(rivals, num_bidders, seat), self.game, scenario)
        self._rivals = seated
        self._seat = {name: seat for seat, name in enumerate(names)} if seated is None else seated.rivals.agents
        self.possible_agents = [*self._seat]
        self.agents: list[str] = []
        chosen = [scaled_interface(each, amount_scale) for each in read_interfaces(interface, self.possible_agents)]
        interfaces = dict(zip(self._seat.values(), chosen, strict=True))
        self._interfaces = interfaces
        self._flat = checked_observation(observation, chosen)
        self.mask_in_info = bool(mask_in_info) or self._flat
        self._scored = [0.0] * num_bidders  # beside rivals: the scores when learners were last rewarded
        self.table = Table(
            self.game,
            scenario,
            [interfaces.get(seat, "amount") for seat in range(num_bidders)],
            num_actions=num_actions,
            illegal=illegal,
            max_retries=max_retries,
            hold_open=self.holds_rounds_open and self.idle_turns,
        )
        vector = self.game.vector
        size = vector.num_features(num_bidders, num_items)
        words = Words(float(scenario.highest_bid), self.game.text.reply_writer(scenario))
        observed = {i: observation_space(i, size, num_actions, words) for i in set(chosen)}
        acted = {i: action_space(i, num_actions, words) for i in set(chosen)}
        features = next(iter(observed.values()))["observation"]
        self.observation_spaces: dict[str, spaces.Space] = {
            agent: features if self._flat else observed[interfaces[seat]] for agent, seat in self._seat.items()
        }
        self.action_spaces = {agent: acted[interfaces[seat]] for agent, seat in self._seat.items()}
        self.state_space = features_box(num_bidders * size + vector.num_hidden_features(num_items))
        self._root: int | None = None  # key of the last seeded game, from which unseeded ones follow
        self._unseeded = 0

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """What `agent` observes now: right and leak-free at any moment, its turn or not."""
        if not self.agents:
            self._check_dealt()
        return self._observe(self._seat[agent])

    def action_mask(self, agent: str) -> np.ndarray:
        """(actions,) int8: which actions of `agent` are legal now.

        Raises:
            ValueError: its actions are not numbers.
        """
        self._check_dealt()
        observed = self._see(self._seat[agent])
        if "action_mask" not in observed:
            raise ValueError(f"action_mask: expected interface='vector' for {agent}; others have no mask")
        return observed["action_mask"]

    @property
    def rivals(self) -> dict[str, str]:
        """Who plays the current game's other seats, by seat."""
        return {} if self._rivals is None else self._rivals.names_at(self.table)

    def text(self, agent: str) -> str:
        """Everything that `agent` may know, in words, whatever it has been told already."""
        return self.game.text.describe(self.view(agent))

    def view(self, agent: str) -> GameView:
        """Everything that `agent` may know, as the game's View."""
        self._check_dealt()
        return self.table.view(self._seat[agent])

    def state(self) -> np.ndarray:
        """The whole state, hidden values included, for a centralised critic: float32, shape of `state_space`."""
        self._check_dealt()
        vector, table = self.game.vector, self.table
        hidden = np.empty(vector.num_hidden_features(self.scenario.num_items), np.float32)
        vector.hidden_features(table.state, 0, hidden)
        return np.concatenate([table.observations.ravel(), hidden])

    def render(self) -> str | np.ndarray | None:
        """The table as text ("ansi"), printed ("human"), or as an image ("rgb_array": height, width, 3, uint8)."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() was called without a render_mode; pass render_mode='ansi', 'human' or 'rgb_array'."
            )
            return None
        self._check_dealt()
        view = self.table.view(0, reveal=True)
        if self.render_mode == "rgb_array":
            return self.game.picture.rgb(view)
        picture = self.game.render.ansi(view)
        if self.render_mode == "ansi":
            return picture
        print(picture, end="")
        return None

    def close(self) -> None:
        """Nothing to release."""

    def _start(self, seed: int | None) -> None:
        """Deal; without a seed, the next of the games that follow from the last seed, or fresh ones."""
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
            self._seat = self._rivals.sit(self.table, [*self._interfaces.values()])
            self._scored = self.table.scores()
            self._rivals.play_on(self.table)

    def _gains(self) -> list[float]:
        """What each seat gained in the round that has just closed, and in those that rivals then play alone."""
        if self._rivals is None:
            return self.table.rewards()
        self._rivals.play_on(self.table)
        before, self._scored = self._scored, self.table.scores()
        return [now - then for now, then in zip(self._scored, before, strict=True)]

    def _check_dealt(self) -> None:
        if not self.table.dealt:
            raise RuntimeError("nothing is dealt yet: call reset() first")

    def _see(self, seat: int) -> JsonObject:
        """What a seat observes, by name."""
        return self.table.observe(seat)

    def _observe(self, seat: int) -> Observation:
        observed = self._see(seat)
        return observed["observation"] if self._flat else observed

    def _info(self, agent: str) -> JsonObject:
        seat = self._seat[agent]
        info: JsonObject = {}
        if self.info_mode == "numbers":
            info.update(self.game.report.numeric_info(self.table.info_values, seat))
            info["refused"] = int(seat in self.table.refusals)
        elif self.info_mode == "full":
            info.update(self.table.full_info(seat))
        if self.mask_in_info:
            observed = self._see(seat)
            if "action_mask" in observed:
                info["action_mask"] = observed["action_mask"]
        return info


def read_interfaces(interface: str | Mapping[str, str], agents: list[str]) -> list[str]:
    """The interface of each agent.

    Raises:
        ValueError: an unknown interface, or a mapping that does not name each agent once.
    """
    if isinstance(interface, Mapping):
        if set(interface) != set(agents):
            raise ValueError(f"interface: expected one for each of {', '.join(agents)}, got {dict(interface)!r}")
        chosen = [interface[agent] for agent in agents]
    else:
        chosen = [interface] * len(agents)
    return [one_of("interface", name, INTERFACES) for name in chosen]
