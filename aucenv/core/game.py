"""Games: each is a folder of modules with the same names, and a declaration in its `game.py`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from importlib import import_module, metadata
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

import numpy as np

import aucenv
from aucenv.core.compiled.networks import NETWORK, NetworkKernels
from aucenv.core.declared import DeclarationError
from aucenv.core.defaults.bid_forms import BidForm
from aucenv.core.defaults.board import DefaultBoard
from aucenv.core.defaults.drawn_fields import DrawnBelief, draws_hidden_fields
from aucenv.core.defaults.features import DefaultFeatures
from aucenv.core.defaults.modules import DecisionTranscript, NoBelief, NoFiles, ScoreFigures
from aucenv.core.defaults.records import DefaultRecordFormat
from aucenv.core.defaults.view import DefaultView
from aucenv.core.defaults.words import PARTS, DefaultWords
from aucenv.core.fields import FieldsError
from aucenv.core.formats.scenario_forms import ScenarioLists
from aucenv.core.game_modules import (
    BeliefModule,
    BoardModule,
    FeaturesModule,
    FilesModule,
    LearningModule,
    RecordFormatModule,
    RulesModule,
    TranscriptModule,
    ViewModule,
    WordsModule,
)
from aucenv.core.kernel import prefix_of
from aucenv.core.play.engine import Engine
from aucenv.core.play.inference import Inference
from aucenv.core.play.rollouts import Rollouts
from aucenv.core.records.figures import Figures
from aucenv.core.scenarios import Scenario, arguments, find_scenario, is_file, warned

REQUIRED = {
    "rules": "State; kernels deal, step, check, clip, payoff, result; REFUSALS, RESULT",
    "words": "describe, refusal, read, reply_writer, waiting_text",
}
"""The required modules, each with the names that it must define; `words` may instead define REPLY and PARTS."""
OPTIONAL = {
    "view": "make_view, ScenarioText, INFOS",
    "features": (
        "kernels features, update_features, mask, amount, amount_of_share, hidden_features; "
        "num_features, num_hidden_features"
    ),
    "belief": "kernel resample",
    "record_format": "DEAL, OUTCOME",
    "board": "board, said, events",
    "figures": "seat_figures, SCORE, FIGURES, SHOWN",
    "transcript": "transcript",
    "learning": "ADVISERS, JUDGE, LATER_BIDDERS, TRAINED, scenario",
    "files": "replay_game",
}
"""The modules that a game may omit, each with the names that it must define; `_DEFAULTS` has what stands for them."""


class GameError(ValueError):
    """A game cannot be loaded because a module is missing, is incomplete or fails to import."""


@dataclasses.dataclass(frozen=True)
class Game:
    """A game: the modules of its folder, and its declaration.

    Each module is an attribute of the same name, and is loaded on first access.

    Attributes:
        name, version: Such as "english" and 0.
        package: The package of the game's modules, such as "aucenv.envs.english".
        Scenario: The class of its scenarios, whose fields are arguments of the environments.
        scenarios: The named scenarios.
        default_scenario: The name of the default scenario; "" = that of the first one.
        num_actions: A function that returns the number of vector actions for a scenario. Its other parameters, which
            are declared as fields of a scenario are, are arguments of the environments, too. None = that of REPLY of
            the words.
        bidders: The module of the game's built-in rule bidders, with BIDDERS; and with their kernel `decide`, or
            ROLLOUTS, if there is no population. "" = the module `bidders` of the package, or the one of this Game.
        agents: The LLM agents that can play the game besides "plain".
        seats_die: Whether seats can leave the game permanently, recorded as `gone` in the state; it adds the argument
            `on_death`.
        population: The module of the game's population, with the rule bidders FAMILIES and with ROLLOUTS; "" = none.
        declared_in: The module that has this Game as GAME; "" = the module `game` of the package.
    """

    name: str
    version: int
    package: str
    Scenario: type[Scenario]
    scenarios: Mapping[str, Any] = dataclasses.field(compare=False)
    default_scenario: str = ""
    num_actions: Callable[..., int] = None  # type: ignore[assignment]  # replaced by that of REPLY
    bidders: str = ""
    agents: tuple[str, ...] = ()
    seats_die: bool = False
    population: str = ""
    declared_in: str = ""

    def __post_init__(self) -> None:
        if not self.default_scenario:
            object.__setattr__(self, "default_scenario", next(iter(self.scenarios)))
        if not self.bidders:
            path = f"{self.package}.bidders"
            object.__setattr__(self, "bidders", self.module if find_spec(path) is None else path)
        if self.num_actions is None:
            object.__setattr__(self, "num_actions", self._actions_of_form)

    def _actions_of_form(self, scenario: Any) -> int:
        return self.reply_form("num_actions of the Game").num_actions(scenario.template())

    def check(self) -> None:
        """Load the modules without which no game is played, and check the declaration of the scenario.

        Raises:
            GameError: A module is missing, is incomplete or fails to import, or a field lacks a part of its
                declaration; the message names it.
        """
        for module_name in (*REQUIRED, "view", "features"):
            getattr(self, module_name)
        try:
            arguments(self.Scenario)
        except DeclarationError as error:
            raise GameError(f"game {self.name!r}: {error}") from None

    @property
    def module(self) -> str:
        """The module that has this Game as GAME."""
        return self.declared_in or f"{self.package}.game"

    @property
    def label(self) -> str:
        """The name in Python: `english_v0`."""
        return f"{self.name}_v{self.version}"

    @cached_property
    def rules(self) -> RulesModule:
        return cast(RulesModule, self._module("rules"))

    @cached_property
    def view(self) -> ViewModule:
        return cast(ViewModule, self._module("view"))

    @cached_property
    def features(self) -> FeaturesModule:
        return cast(FeaturesModule, self._module("features"))

    @cached_property
    def words(self) -> WordsModule:
        return cast(WordsModule, self._module("words"))

    @cached_property
    def board(self) -> BoardModule:
        return cast(BoardModule, self._module("board"))

    @cached_property
    def kernels(self) -> Engine:
        """The engine of tables and batches in which all seats wait for actions."""
        return Engine(self.module, "kernels", self.rules, self.features)

    @cached_property
    def rival_kernels(self) -> Engine:
        """The engine of batches in which rule bidders play some of the seats."""
        return Engine(self.module, "rival_kernels", self.rules, self.features, self.rollouts)

    @cached_property
    def network_rival_kernels(self) -> Engine:
        """The same as `rival_kernels`, for batches in which networks play, too."""
        return Engine(self.module, "network_rival_kernels", self.rules, self.features, self.network_rollouts)

    @cached_property
    def files(self) -> FilesModule:
        return cast(FilesModule, self._module("files"))

    @property
    def lists(self) -> ScenarioLists | None:
        """The lists from which the game makes scenarios; None if there are none."""
        return getattr(self.files, "LISTS", None)

    @cached_property
    def belief(self) -> BeliefModule:
        return cast(BeliefModule, self._module("belief"))

    @cached_property
    def figures(self) -> Figures:
        return cast(Figures, self._module("figures"))

    @cached_property
    def transcript(self) -> TranscriptModule:
        return cast(TranscriptModule, self._module("transcript"))

    @cached_property
    def record_format(self) -> RecordFormatModule:
        return cast(RecordFormatModule, self._module("record_format"))

    @cached_property
    def learning(self) -> LearningModule | None:
        """The module `learning`; None if the game has no training setup."""
        return cast("LearningModule | None", self._module("learning"))

    @cached_property
    def rollouts(self) -> Rollouts:
        """The compiled rollouts between the game's rule bidders, those of its population included."""
        path = self.population or self.bidders
        module = load_module(path, f"game {self.name!r}")
        if hasattr(module, "ROLLOUTS"):
            return cast(Rollouts, module.ROLLOUTS)
        if not hasattr(module, "decide"):
            raise GameError(f"game {self.name!r}: expected ROLLOUTS, or the kernel decide of BIDDERS, in {path}")
        return Rollouts(prefix_of(self.module), self.rules, self.belief, module.decide)

    @cached_property
    def networks(self) -> NetworkKernels:
        """The kernels of neural networks that play the game."""
        return NetworkKernels(prefix_of(self.module), self.features)

    @cached_property
    def network_rollouts(self) -> Rollouts:
        """The same as `rollouts`, for lineups in which there are networks."""
        return self.rollouts.with_networks(self.networks)

    def rollouts_of(self, kinds: np.ndarray) -> Rollouts:
        """Return the rollouts for bidders of these kinds, which compile faster if none of them is a network."""
        return self.network_rollouts if (kinds == NETWORK).any() else self.rollouts

    def engine_of(self, kinds: np.ndarray) -> Engine:
        """Return the engine in which bidders of these kinds play some of the seats."""
        return self.network_rival_kernels if (kinds == NETWORK).any() else self.rival_kernels

    @property
    def inference(self) -> Inference | None:
        """The inference of rivals from their bids; None if the game's population has none."""
        return getattr(import_module(self.population), "INFERENCE", None) if self.population else None

    def load_scenario(self, scenario: Any) -> Any:
        """Return the scenario for a name, a file, the data of `to_dict`, or a scenario; files may warn.

        Raises:
            ValueError, OSError: As in `core.scenarios.find_scenario`.
        """
        loaded = find_scenario(scenario, self.Scenario, self.scenarios, self.lists)
        return warned(loaded) if is_file(scenario) else loaded

    def choose_scenario(self, scenario: Any, changes: Mapping[str, Any]) -> Any:
        """Return the scenario that an environment's arguments select, after its warnings.

        Raises:
            ValueError, OSError: As in `load_scenario` and `Scenario.changed`.
        """
        return warned(find_scenario(scenario, self.Scenario, self.scenarios, self.lists).changed(**changes), 4)

    def check_arguments(self, names: Iterable[str], option: str, others: Collection[str] = ()) -> None:
        """Check the names that an option of the command line gives to arguments of the environments.

        Args:
            names: The names as they were typed.
            option: The option, for errors.
            others: Arguments that are not fields of a scenario.

        Raises:
            ValueError: A name is none of these; the message lists them, the nearest first.
        """
        known = [*arguments(self.Scenario), *others]
        for name in names:
            if name in known or name == "num_items":
                continue
            why = f" ({self.Scenario.NO_BUDGET})" if name == "budget" else ""
            nearest = sorted(known, key=lambda each: -SequenceMatcher(None, name[:100], each).ratio())
            raise ValueError(
                f"{option} {name:.80}: expected a field of {self.name}{why}: {', '.join(nearest)}; "
                f"help(aucenv.{self.name}_v{self.version}) and docs/games.md describe them"
            )

    def scenario_text(self, scenario: Any) -> Any:
        """Return the texts of a scenario that all seats may read."""
        return self.view.ScenarioText.of(scenario)

    def reply_form(self, needed_by: str) -> BidForm:
        """Return the form of replies that the words name.

        Args:
            needed_by: What is omitted and follows from it, for the error.

        Raises:
            GameError: They name none.
        """
        form = getattr(self.words, "REPLY", None)
        if form is None:
            path = f"{self.package}.words"
            raise GameError(f"game {self.name!r}: expected {needed_by}, or REPLY, such as BidOrNothing(), in {path}")
        return cast(BidForm, form)

    def _module(self, module_name: str) -> Any:
        contents = REQUIRED.get(module_name) or OPTIONAL[module_name]
        path = f"{self.package}.{module_name}"
        if find_spec(path) is None:
            if module_name not in OPTIONAL:
                raise GameError(f"game {self.name!r}: expected the module {path}: {contents}")
            try:
                return _DEFAULTS[module_name](self)
            except FieldsError as error:
                raise GameError(f"game {self.name!r}: {error}; or the module {path}: {contents}") from None
        module = load_module(path, f"game {self.name!r}")
        if module_name == "words" and hasattr(module, "REPLY"):
            return self._words(module, path)
        missing = [name for name in names_in(contents) if not hasattr(module, name)]
        if missing:
            instead = f"; or REPLY, {', '.join(PARTS)}" if module_name == "words" else ""
            raise GameError(f"game {self.name!r}: expected {', '.join(missing)} in {path}: {contents}{instead}")
        return module

    def _words(self, module: ModuleType, path: str) -> DefaultWords:
        """Return the words of a module that names a form of replies."""
        if not isinstance(module.REPLY, BidForm):
            raise GameError(f"game {self.name!r}: expected REPLY to be a BidForm in {path}, got {module.REPLY!r}")
        missing = [name for name in PARTS if not hasattr(module, name)]
        if missing and not hasattr(module, "describe"):
            raise GameError(f"game {self.name!r}: expected {', '.join(missing)}, or describe, in {path}")
        return DefaultWords(module, self.rules)

    def __reduce__(self) -> tuple:
        return load_game, (self.module,)


_DEFAULTS: Mapping[str, Callable[[Game], Any]] = {
    "view": lambda game: DefaultView(game.rules, game.module),
    "features": lambda game: DefaultFeatures(
        game.rules, game.reply_form("the module features"), prefix_of(game.module)
    ),
    "belief": lambda game: DrawnBelief(game.rules.State) if draws_hidden_fields(game.rules.State) else NoBelief(),
    "record_format": lambda game: DefaultRecordFormat(game.rules),
    "board": lambda game: DefaultBoard(game.rules, getattr(game.words, "REPLY", BidForm).said),
    "figures": lambda game: ScoreFigures(game.rules.RESULT[0]),
    "transcript": lambda game: DecisionTranscript(game.rules.RESULT[0]),
    "learning": lambda game: None,
    "files": lambda game: NoFiles(game.name),
}
"""The functions that create the default of each module of OPTIONAL."""


def names_in(contents: str) -> list[str]:
    """Return the names in a description of REQUIRED or OPTIONAL."""
    words = contents.replace(";", "").replace(",", "").split()
    return [word for word in words if word not in ("kernel", "kernels")]


def load_module(path: str, label: str) -> ModuleType:
    """Import a module of a game.

    Args:
        path: The full name of the module.
        label: The name of the game, for the error.

    Raises:
        GameError: The module fails to import; the message names it and the error.
    """
    try:
        return import_module(path)
    except GameError:
        raise
    except Exception as error:
        raise GameError(f"{label}: {path} cannot be imported: {type(error).__name__}: {error}") from error


def load_game(module: str, label: str = "", distribution: str = "") -> Game:
    """Return the game that a module declares.

    Args:
        module: The module, which has a Game as GAME.
        label: The name that the game should have, such as "english_v0"; "" = any.
        distribution: The package that contains it, if it is not part of aucenv.

    Raises:
        GameError: The game cannot be loaded, has another name, or needs a newer aucenv.
    """
    name = label.rpartition("_v")[0] or module.removesuffix(".game").rpartition(".")[2]
    where = f"game {name!r}" + (f" of the package {distribution}" if distribution else "")
    if distribution and (needed := unmet_requirement(distribution)):
        raise GameError(f"{where}: it needs {needed}, but this is aucenv {aucenv.__version__}: upgrade aucenv")
    game = getattr(load_module(module, where), "GAME", None)
    if not isinstance(game, Game):
        raise GameError(f"{where}: expected GAME, a Game, in {module}")
    if label and game.label != label:
        raise GameError(f"{where}: expected GAME to be {label} as its entry point says, got {game.label} in {module}")
    if game.module != module:
        raise GameError(f"{where}: expected declared_in={module!r} in the Game of {module}, got {game.module!r}")
    game.check()
    return game


@lru_cache
def unmet_requirement(distribution: str) -> str:
    """Return the least version of aucenv that a package needs, if this one is older; "" if it is not."""
    here = _numbers(aucenv.__version__)
    for requirement in metadata.requires(distribution) or ():
        match = re.match(r"aucenv\s*(?:\[[^]]*\])?\s*\(?([^;)]*)", requirement)
        for operator, version in re.findall(r"(>=|>|~=|==)\s*([0-9][^\s,;)]*)", match[1] if match else ""):
            least = _numbers(version)
            if here < least or (operator == ">" and here == least):
                return f"aucenv{operator}{version}"
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])
