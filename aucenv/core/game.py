"""A game: the modules of its folder, and what the folder declares beside them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

from aucenv.core.defaults import DecisionTranscript, NoBelief, NoReplay, ScoreFigures, TextPicture
from aucenv.core.deprecation import renamed
from aucenv.core.figures import Figures
from aucenv.core.files import JsonMapping
from aucenv.core.game_modules import (
    OPTIONAL,
    REQUIRED,
    BeliefModule,
    LearningModule,
    PictureModule,
    RenderModule,
    ReplayModule,
    ReportModule,
    RulesModule,
    ScenarioFilesModule,
    TextModule,
    TranscriptModule,
    VectorModule,
    ViewModule,
)
from aucenv.core.round_kernels import RoundKernels


class GameError(ValueError):
    """A game cannot be loaded: a module is missing, incomplete, or fails to import."""


@renamed(rows="kernels", catalogue="scenario_text")
@dataclasses.dataclass(frozen=True)
class Game:
    """A game: its folder's modules, and what the folder declares beside them.

    Modules are attributes by their names. Those of REQUIRED are loaded at once, those of OPTIONAL when they are asked
    for.

    Attributes:
        name, version: "english", 0.
        package: "aucenv.envs.english"; its module `env` has this Game as GAME.
        arguments: makes the scenario of the environments' arguments; its signature is theirs, `scenario` first.
        num_actions: the number of vector actions in a scenario; its further parameters are arguments, too.
        bidders: the module of the game's rule bidders: BIDDERS, ROLLOUTS.
        agents: LLM agents besides "plain" that play it.
        seats_die: whether seats can leave the game for good, with `gone` in the state; adds the argument `on_death`.

    Raises:
        GameError: a module is missing, incomplete, or fails to import; names it.
    """

    name: str
    version: int
    package: str
    arguments: Callable[..., Any]
    num_actions: Callable[..., int]
    bidders: str
    agents: tuple[str, ...] = ()
    seats_die: bool = False
    kernels: RoundKernels = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        for room in REQUIRED:
            self._module(room)
        object.__setattr__(self, "kernels", RoundKernels(self.package, self.rules, self.vector, self.report))

    @cached_property
    def rules(self) -> RulesModule:
        return cast(RulesModule, self._module("rules"))

    @cached_property
    def view(self) -> ViewModule:
        return cast(ViewModule, self._module("view"))

    @cached_property
    def report(self) -> ReportModule:
        return cast(ReportModule, self._module("report"))

    @cached_property
    def vector(self) -> VectorModule:
        return cast(VectorModule, self._module("vector"))

    @cached_property
    def text(self) -> TextModule:
        return cast(TextModule, self._module("text"))

    @cached_property
    def render(self) -> RenderModule:
        return cast(RenderModule, self._module("render"))

    @cached_property
    def scenario_files(self) -> ScenarioFilesModule:
        return cast(ScenarioFilesModule, self._module("scenario_files"))

    @cached_property
    def belief(self) -> BeliefModule:
        return cast(BeliefModule, self._module("belief"))

    @cached_property
    def picture(self) -> PictureModule:
        return cast(PictureModule, self._module("picture"))

    @cached_property
    def figures(self) -> Figures:
        return cast(Figures, self._module("figures"))

    @cached_property
    def transcript(self) -> TranscriptModule:
        return cast(TranscriptModule, self._module("transcript"))

    @cached_property
    def replay(self) -> ReplayModule:
        return cast(ReplayModule, self._module("replay"))

    @cached_property
    def learning(self) -> LearningModule | None:
        """None where the game is not trained on."""
        return cast("LearningModule | None", self._module("learning"))

    @property
    def scenarios(self) -> JsonMapping:
        """Those with a name."""
        return self.scenario_files.SCENARIOS

    @property
    def default_scenario(self) -> str:
        return self.scenario_files.DEFAULT_SCENARIO

    def load_scenario(self, scenario: Any) -> Any:
        """A scenario by name, from a file, from what `to_dict` makes, or as it is."""
        return self.scenario_files.load_scenario(scenario)

    def scenario_text(self, scenario: Any) -> Any:
        """The words of a scenario that everybody may read."""
        return self.view.ScenarioText.of(scenario)

    def _module(self, room: str) -> Any:
        contents = REQUIRED.get(room) or OPTIONAL[room]
        where = f"{self.package}.{room}"
        if find_spec(where) is None:
            if room in OPTIONAL:
                return _DEFAULTS[room](self)
            raise GameError(f"game {self.name!r}: expected the module {where}: {contents}")
        module = load_module(where, f"game {self.name!r}")
        missing = [name for name in names_in(contents) if not hasattr(module, name)]
        if missing:
            raise GameError(f"game {self.name!r}: expected {', '.join(missing)} in {where}: {contents}")
        return module

    def __reduce__(self) -> tuple:
        return load_game, (self.package,)


_DEFAULTS: Mapping[str, Callable[[Game], Any]] = {
    "belief": lambda game: NoBelief(game.name),
    "picture": lambda game: TextPicture(game.render.ansi),
    "figures": lambda game: ScoreFigures(game.rules.RESULT[0]),
    "transcript": lambda game: DecisionTranscript(game.rules.RESULT[0]),
    "replay": lambda game: NoReplay(game.name),
    "learning": lambda game: None,
}
"""By module of OPTIONAL: makes what stands in for it."""


def names_in(contents: str) -> list[str]:
    """The names in a description of REQUIRED or OPTIONAL."""
    words = contents.replace(";", "").replace(",", "").split()
    return [word for word in words if word not in ("kernel", "kernels")]


def load_module(where: str, what: str) -> ModuleType:
    """A module of a game.

    Raises:
        GameError: it fails to import; names it, and the error.
    """
    try:
        return import_module(where)
    except GameError:
        raise
    except Exception as error:
        raise GameError(f"{what}: {where} cannot be imported: {type(error).__name__}: {error}") from error


def load_game(package: str) -> Game:
    """The game that a folder declares.

    Raises:
        GameError: it cannot be loaded.
    """
    module = load_module(f"{package}.env", f"game {package.rpartition('.')[2]!r}")
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game):
        raise GameError(f"game {package.rpartition('.')[2]!r}: expected GAME, a Game, in {package}.env")
    return game
