"""The configuration of a training run of PPO."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from aucenv.baselines.population.families import TRAIN, Family, load_population

from aucenv.core.checks import no_duplicates, number, one_of, whole_number
from aucenv.core.compiled.networks import MAX_LAYERS
from aucenv.core.declared import declared_parameters
from aucenv.core.files import JsonObject
from aucenv.core.words.bidder_name import check_path
from aucenv.registration import FAMILIES, find_family

SELF = "self"
"""The name of the learner among the rivals."""
POPULATION = "population"
"""The name of bidders drawn from the families of the game's population that are for training."""
DRAWN = 24
"""How many of them are drawn, about the same number from each family."""
HEADS = ("auto", "vector", "share")
SHARE_GAMES = ("sealed_bid", "clock", "ebay", "water_allocation")
"""Games in which a bid is a share of the seat's value, or of its money, unless the head is configured."""


ROUNDS = {"num_envs": 4096, "num_steps": 4, "updates": 1000, "save_every": 100, "learning_rate": 2e-3, "gamma": 0.0}
PRECISE = {"hidden": (32, 32), "epochs": 2, "minibatches": 4, "clip": 0.1, "entropy_weight": 0.001}
DEFAULTS: dict[str, JsonObject] = {"sealed_bid": ROUNDS | PRECISE, "clock": ROUNDS | PRECISE}
"""Defaults for games that differ from those of the configuration. Rounds of these are independent of each other."""
SET_OTHERWISE = ("out", "game", "scenario", "arguments", "rivals", "seed", "bidders")
"""Settings that have options of the command."""


WHOLE = {
    "num_envs": (1, 1 << 20), "num_steps": (1, 10_000), "updates": (1, 10_000_000), "save_every": (1, 1_000_000),
    "eval_every": (0, 1_000_000),
    "epochs": (1, 1000), "minibatches": (1, 10_000), "lstm": (0, 4096), "earlier_selves": (0, 1000),
    "seed": (0, 2**32 - 1), "num_threads": (1, 1024), "eval_games": (0, 10_000_000),
}  # fmt: skip
REAL = {
    "rival_share": (0, 1), "learning_rate": (1e-9, 1), "gamma": (0, 1), "gae_lambda": (0, 1), "clip": (0, 10),
    "entropy_weight": (0, 10), "value_weight": (0, 100), "max_grad_norm": (1e-9, 1e9), "log_std": (-10, 2),
    "first_share": (0, 1),
}  # fmt: skip
"""The ranges of settings, both ends included."""


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """The configuration of a training run.

    Attributes:
        out: The folder of the run.
        game, scenario: The names of the game and of its scenario; scenario "": the default one.
        arguments: Arguments of the game's environments that change the scenario or the actions, such as
            {"num_bidders": 2}.
        rivals: The bidders of the other seats, one text for all of them or one for each; "A|B" draws one of them for
            each game. "self" is the learner itself, which then learns from all seats; "population" are DRAWN bidders of
            the game's population, new ones after each save.
        rival_share: The share of games against rivals and earlier selves, if there are any beside "self".
        earlier_selves: The number of earlier networks that are among the rivals.
        head: What the policy decides: "vector" actions, a "share" of the seat's value, or "auto".
        hidden: The sizes of the hidden layers of the policy and of the value network.
        lstm: The size of a recurrent layer before them; 0: none.
        log_std: The logarithm of the initial standard deviation of shares.
        first_share: The share of every value that an untrained policy bids on average. Self-play converges to an
            equilibrium more reliably from a start that is closer to it.
        num_envs, num_steps: The number of games at a time, and of rounds that are played between updates.
        updates: The number of updates.
        save_every: The number of updates after which the network is saved, and new games start.
        eval_every: The number of updates after which the network is evaluated, a multiple of `save_every`; 0: the same.
        learning_rate: Adam's learning rate; `anneals`: whether it falls linearly to 0.
        gamma, gae_lambda: Discount, and the weight of later errors in the estimates of advantages.
        epochs, minibatches: How often the rounds are used in an update, and in how many parts.
        clip, entropy_weight, value_weight, max_grad_norm: As in PPO.
        seed: Seeds everything.
        num_threads: Threads of the games; it affects only speed.
        bidders: The bidders with which the network is compared in evaluations, in the same seats.
        eval_games: The number of games of an evaluation; 0: none.
    """

    out: str
    game: str = "english"
    scenario: str = ""
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    rivals: tuple[str, ...] = (SELF,)
    rival_share: float = 0.5
    earlier_selves: int = 0
    head: str = "auto"
    hidden: tuple[int, ...] = (64, 64)
    lstm: int = 0
    log_std: float = -1.0
    first_share: float = 0.8
    num_envs: int = 1024
    num_steps: int = 32
    updates: int = 150
    save_every: int = 25
    eval_every: int = 0
    learning_rate: float = 1e-3
    anneals: bool = True
    gamma: float = 1.0
    gae_lambda: float = 0.95
    epochs: int = 3
    minibatches: int = 8
    clip: float = 0.2
    entropy_weight: float = 0.003
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    seed: int = 0
    num_threads: int = 1
    bidders: tuple[str, ...] = ()
    eval_games: int = 0

    def __post_init__(self) -> None:
        check_path(self.out)
        find_family(self.game)
        one_of("head", self.head, HEADS)
        for name, (least, most) in WHOLE.items():
            whole_number(name, getattr(self, name), least, most)
        for name, (low, high) in REAL.items():
            number(name, getattr(self, name), low, high)
        if self.eval_every % self.save_every:
            raise ValueError(f"eval_every: expected a multiple of save_every, {self.save_every}, got {self.eval_every}")
        if not 1 <= len(self.hidden) < MAX_LAYERS:
            raise ValueError(f"hidden: expected 1 to {MAX_LAYERS - 1} layers, got {len(self.hidden)}")
        for size in self.hidden:
            whole_number("hidden", size, 1, 4096)
        no_duplicates("bidders", list(self.bidders))
        others = len(self.loaded_scenario.bidders) - 1
        if len(self.rivals) not in (1, others):
            raise ValueError(f"rivals: expected one text for all, or {others}, one for each, got {len(self.rivals)}")

    @classmethod
    def read(cls, out: str, game: str, texts: Mapping[str, str], **settings: Any) -> PPOConfig:
        """Return a configuration with the defaults for a game.

        Args:
            out: The folder of the run.
            game: The name of the game.
            texts: Further settings as a user types them: tuples have commas.
            **settings: Further settings, which replace the defaults.

        Raises:
            ValueError: A setting is unknown or out of range.
        """
        types = {each.name: str(each.type) for each in dataclasses.fields(cls) if each.name not in SET_OTHERWISE}
        for name, text in texts.items():
            kind = types[one_of("--set, setting", name, types)]
            settings[name] = _parsed(name, text, kind)
        defaults = DEFAULTS.get(one_of("game", game, FAMILIES), {})
        return cls(out, game, **{**defaults, **settings})

    @cached_property
    def loaded_scenario(self) -> Any:
        """The scenario."""
        game = find_family(self.game).game
        game.check_arguments(self.arguments, "--env", self._action_arguments)
        changes = {name: value for name, value in self.arguments.items() if name not in self._action_arguments}
        return game.choose_scenario(self.scenario or game.default_scenario, changes)

    @property
    def _action_arguments(self) -> list[str]:
        """The names of the environment's arguments on which the number of vector actions depends."""
        return [*declared_parameters(find_family(self.game).game.num_actions)]

    @property
    def action_options(self) -> JsonObject:
        """The arguments of the environment that set the number of vector actions, such as `ladder`."""
        return {name: self.arguments[name] for name in self._action_arguments if name in self.arguments}

    @property
    def is_share(self) -> bool:
        """Whether the policy decides on a share of the seat's value."""
        return self.head == "share" or (self.head == "auto" and self.game in SHARE_GAMES)

    @property
    def plays_self(self) -> bool:
        """Whether the learner learns from all seats of some games."""
        return any(SELF in names.split("|") for names in self.rivals)

    @property
    def rivals_by_seat(self) -> tuple[str, ...]:
        """The rivals of each other seat."""
        others = len(self.loaded_scenario.bidders) - 1
        return self.rivals if len(self.rivals) == others else self.rivals * others

    def named_rivals(self, number: int) -> list[list[str]]:
        """Return the names of the rivals of each other seat, without the learner itself.

        Args:
            number: Seeds the draw of bidders of the population, with the seed of the run.
        """
        rng = np.random.default_rng([self.seed, number])
        families: tuple[Family, ...] = ()
        if any(POPULATION in names.split("|") for names in self.rivals):
            families = load_population().families(self.game, TRAIN)
        drawn = [families[i % len(families)].draw(rng) for i in range(DRAWN if families else 0)]
        return [
            [one for name in names.split("|") if name != SELF for one in (drawn if name == POPULATION else [name])]
            for names in self.rivals_by_seat
        ]

    def to_dict(self) -> JsonObject:
        """Return the configuration as JSON, without the folder."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in vars_of(self).items() if name != "out"}


def _parsed(name: str, text: str, kind: str) -> Any:
    """Return a setting's value as a user types it."""
    parse: dict[str, Callable[[str], Any]] = {
        "int": int,
        "float": float,
        "str": str,
        "bool": lambda text: {"true": True, "false": False}[text],
        "tuple[int, ...]": lambda text: tuple(int(part) for part in text.split(",")),
    }
    expected = {"int": "a whole number", "float": "a number", "bool": "true or false"}
    try:
        return parse[kind](text)
    except (ValueError, KeyError):
        raise ValueError(f"--set {name}: expected {expected.get(kind, 'whole numbers')}, got {text!r:.80}") from None


def vars_of(config: PPOConfig) -> JsonObject:
    """Return the fields of a configuration by name."""
    return {each.name: getattr(config, each.name) for each in dataclasses.fields(config)}
