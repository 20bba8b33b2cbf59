"""The games by name; a game is imported when it is first used."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from aucenv.core.checks import one_of

if TYPE_CHECKING:
    from pettingzoo import AECEnv, ParallelEnv

    from aucenv.core.batch import BatchAdapter
    from aucenv.core.game import Game
    from aucenv.core.seat_env import SeatAdapter, VectorAdapter


class EnvFamily:
    """One version of a game with all its environments; calling it creates the wrapped AEC environment.

    It has the attributes of a PettingZoo environment module, so it can be used in place of one.

    Args:
        name, version: for example "english" and 0.
        package: the game's package, for example "aucenv.envs.english".
    """

    def __init__(self, name: str, version: int, package: str) -> None:
        self.name = name
        self.version = version
        self.package = package

    def __call__(self, *args: Any, **kwargs: Any) -> AECEnv:
        return self.env(*args, **kwargs)

    @property
    def env(self) -> Callable[..., AECEnv]:
        """Create the AEC environment with PettingZoo's checking wrappers."""
        return self._env_function("env")

    @property
    def raw_env(self) -> Callable[..., AECEnv]:
        """Create the AEC environment without wrappers, which is faster."""
        return self._env_function("raw_env")

    @property
    def parallel_env(self) -> Callable[..., ParallelEnv]:
        """Create the native Parallel environment."""
        return self._env_function("parallel_env")

    @property
    def batch_env(self) -> Callable[..., BatchAdapter]:
        """Create an environment that steps many games at once, as arrays."""
        return self._env_function("batch_env")

    @property
    def seat_env(self) -> Callable[..., SeatAdapter]:
        """Create a `gymnasium.Env` of one seat; rivals play the others."""
        return self._env_function("seat_env")

    @property
    def vector_env(self) -> Callable[..., VectorAdapter]:
        """Create a `gymnasium.vector.VectorEnv` of one seat in many games; rule bidders play the others."""
        return self._env_function("vector_env")

    @property
    def game(self) -> Game:
        """The modules of the game.

        Raises:
            GameError: a module of its package is missing, incomplete, or fails to import; the message names it.
        """
        from aucenv.core.game import load_game

        return load_game(self.package)

    @property
    def label(self) -> str:
        """The name in Python: `english_v0`."""
        return f"{self.name}_v{self.version}"

    @property
    def env_name(self) -> str:
        """The id in pettingzoo.make: `aucenv/english-v0`."""
        return f"aucenv/{self.name.replace('_', '-')}-v{self.version}"

    @property
    def gym_name(self) -> str:
        """The id in gymnasium.make: `aucenv/English-v0`."""
        return f"aucenv/{self.name.title().replace('_', '')}-v{self.version}"

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # the environment's documentation is its module's
        page = self._env_module.__doc__
        return f"{page}\n**Signature**: `{self.label}{inspect.signature(self.env)}`\n"

    def __getattr__(self, name: str) -> inspect.Signature:
        if name == "__signature__":  # `inspect.signature` and editors read it
            return inspect.signature(self.env)
        raise AttributeError(f"{self!r} has no attribute {name!r}")

    def _env_function(self, name: str) -> Callable:
        return getattr(self._env_module, name)

    @property
    def _env_module(self) -> ModuleType:
        from aucenv.core.game import load_game

        load_game(self.package)  # its error names what is missing
        return import_module(f"{self.package}.env")

    def __repr__(self) -> str:
        return f"<aucenv.{self.label}>"

    def __reduce__(self) -> tuple:
        return find_family, (self.label,)


PUBLISHED = ("english", "harbor", "sealed_bid", "clock", "water_allocation")
"""Games from papers, which come first in lists; others follow in alphabetical order."""


def _discover_families() -> dict[str, EnvFamily]:
    """Return the families of all folders in `aucenv/envs` that hold an `env.py`, by folder name.

    A folder's name is that of the game (version 0), or ends with its version: `english`, `english_v1`.
    """
    families = {}
    folders = sorted(file.parent.name for file in (Path(__file__).parent / "envs").glob("*/env.py"))
    for folder in (*PUBLISHED, *(folder for folder in folders if folder not in PUBLISHED)):
        name, version = re.fullmatch(r"(.+?)(?:_v(\d+))?", folder).groups()  # type: ignore[union-attr]  # every name matches
        families[folder] = EnvFamily(name, int(version or 0), f"aucenv.envs.{folder}")
    return families


FAMILIES = _discover_families()


def find_family(name: str | EnvFamily) -> EnvFamily:
    """Return the family for a name ("english": the newest version; "english_v0": this one); a family is returned as is.

    Raises:
        ValueError: there is no such game; the message lists all games.
    """
    if isinstance(name, EnvFamily):
        return name
    labelled = {family.label: family for family in FAMILIES.values()}
    if name in labelled:
        return labelled[name]
    newest = {family.name: family for family in sorted(FAMILIES.values(), key=lambda family: family.version)}
    return newest[one_of("game", name, newest)]


def register_all() -> None:
    """Register every game with PettingZoo, and one seat of every game with Gymnasium (`make` and `make_vec`).

    PettingZoo has had a registry since version 1.27; with older versions only Gymnasium is used.
    """
    for family in FAMILIES.values():
        module = f"{family.package}.env"
        if hasattr(pettingzoo, "register"):
            pettingzoo.register("aec", family.env_name, entry_point=f"{module}:env")
            pettingzoo.register("parallel", family.env_name, entry_point=f"{module}:parallel_env")
        gymnasium.register(family.gym_name, entry_point=f"{module}:seat_env", vector_entry_point=f"{module}:vector_env")
