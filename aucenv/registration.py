"""The games by name, without importing any of them before it is used."""

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
    """One version of a game in all its forms; calling it makes the wrapped AEC environment.

    It has what PettingZoo's environment modules have, so that it stands wherever one is expected.

    Args:
        name, version: "english", 0.
        package: the game's folder, "aucenv.envs.english".
    """

    def __init__(self, name: str, version: int, package: str) -> None:
        self.name = name
        self.version = version
        self.package = package

    def __call__(self, *args: Any, **kwargs: Any) -> AECEnv:
        return self.env(*args, **kwargs)

    @property
    def env(self) -> Callable[..., AECEnv]:
        """Makes the AEC environment with PettingZoo's checks around it."""
        return self._form("env")

    @property
    def raw_env(self) -> Callable[..., AECEnv]:
        """Makes the AEC environment without wrappers: faster."""
        return self._form("raw_env")

    @property
    def parallel_env(self) -> Callable[..., ParallelEnv]:
        """Makes the native Parallel environment."""
        return self._form("parallel_env")

    @property
    def batch_env(self) -> Callable[..., BatchAdapter]:
        """Makes many games at once, in arrays."""
        return self._form("batch_env")

    @property
    def seat_env(self) -> Callable[..., SeatAdapter]:
        """Makes one seat as a `gymnasium.Env`, beside rivals."""
        return self._form("seat_env")

    @property
    def vector_env(self) -> Callable[..., VectorAdapter]:
        """Makes many games from one seat as a `gymnasium.vector.VectorEnv`, beside rule bidders."""
        return self._form("vector_env")

    @property
    def game(self) -> Game:
        """What the game is made of.

        Raises:
            GameError: a module of its folder is missing, incomplete, or fails to import; names it.
        """
        from aucenv.core.game import load_game

        return load_game(self.package)

    @property
    def label(self) -> str:
        """As Python knows it: `english_v0`."""
        return f"{self.name}_v{self.version}"

    @property
    def env_name(self) -> str:
        """As pettingzoo.make knows it: `aucenv/english-v0`."""
        return f"aucenv/{self.name.replace('_', '-')}-v{self.version}"

    @property
    def gym_name(self) -> str:
        """As gymnasium.make knows it: `aucenv/English-v0`."""
        return f"aucenv/{self.name.title().replace('_', '')}-v{self.version}"

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # the page a user reads is the module's
        page = self._page.__doc__
        return f"{page}\n**Signature**: `{self.label}{inspect.signature(self.env)}`\n"

    def __getattr__(self, name: str) -> inspect.Signature:
        if name == "__signature__":  # what `inspect.signature` and editors look for
            return inspect.signature(self.env)
        raise AttributeError(f"{self!r} has no attribute {name!r}")

    def _form(self, name: str) -> Callable:
        return getattr(self._page, name)

    @property
    def _page(self) -> ModuleType:
        from aucenv.core.game import load_game

        load_game(self.package)  # an error names what is missing
        return import_module(f"{self.package}.env")

    def __repr__(self) -> str:
        return f"<aucenv.{self.label}>"

    def __reduce__(self) -> tuple:
        return find_family, (self.label,)


PUBLISHED = ("english", "harbor", "sealed_bid", "clock", "water_allocation")
"""The games of the papers come first in lists; others follow by name."""


def _built_in() -> dict[str, EnvFamily]:
    """The families of the folders in `aucenv/envs` that have an `env.py`, by name.

    A folder's name is the game's, version 0, or ends with its version: `english`, `english_v1`.
    """
    families = {}
    folders = sorted(page.parent.name for page in (Path(__file__).parent / "envs").glob("*/env.py"))
    for folder in (*PUBLISHED, *(folder for folder in folders if folder not in PUBLISHED)):
        name, version = re.fullmatch(r"(.+?)(?:_v(\d+))?", folder).groups()  # type: ignore[union-attr]  # any name does
        families[folder] = EnvFamily(name, int(version or 0), f"aucenv.envs.{folder}")
    return families


FAMILIES = _built_in()


def find_family(name: str | EnvFamily) -> EnvFamily:
    """The newest family of a game: by its name ("english"), its version's ("english_v0"), or itself.

    Raises:
        ValueError: there is none; lists those there are.
    """
    if isinstance(name, EnvFamily):
        return name
    labelled = {family.label: family for family in FAMILIES.values()}
    if name in labelled:
        return labelled[name]
    newest = {family.name: family for family in sorted(FAMILIES.values(), key=lambda family: family.version)}
    return newest[one_of("game", name, newest)]


def register_all() -> None:
    """Make the games known to `pettingzoo.make`, and one seat of each to `gymnasium.make` and `make_vec`.

    PettingZoo has a registry from 1.27 on.
    """
    for family in FAMILIES.values():
        page = f"{family.package}.env"
        if hasattr(pettingzoo, "register"):
            pettingzoo.register("aec", family.env_name, entry_point=f"{page}:env")
            pettingzoo.register("parallel", family.env_name, entry_point=f"{page}:parallel_env")
        gymnasium.register(family.gym_name, entry_point=f"{page}:seat_env", vector_entry_point=f"{page}:vector_env")
