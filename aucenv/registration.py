"""The games by name, without importing any of them before it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pettingzoo

from aucenv.core.checks import one_of

if TYPE_CHECKING:
    from pettingzoo import AECEnv, ParallelEnv

    from aucenv.core.batch import BatchAdapter
    from aucenv.core.game import Game


class EnvFamily:
    """One version of a game in all its forms; calling it makes the wrapped AEC environment.

    It has what PettingZoo's environment modules have, so that it stands wherever one is expected.
    """

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version

    def __call__(self, **kwargs: Any) -> AECEnv:
        return self.env(**kwargs)

    def env(self, **kwargs: Any) -> AECEnv:
        """The AEC environment with PettingZoo's checks around it."""
        return self._module.env(**kwargs)

    def raw_env(self, **kwargs: Any) -> AECEnv:
        """The AEC environment without wrappers: faster."""
        return self._module.raw_env(**kwargs)

    def parallel_env(self, **kwargs: Any) -> ParallelEnv:
        """The native Parallel environment."""
        return self._module.parallel_env(**kwargs)

    def batch_env(self, num_envs: int, num_threads: int = 1, **kwargs: Any) -> BatchAdapter:
        """Many games at once, in arrays."""
        return self._module.batch_env(num_envs, num_threads, **kwargs)

    @property
    def game(self) -> Game:
        return self._module.GAME

    @property
    def env_name(self) -> str:
        """As pettingzoo.make knows it: `aucenv/english-v0`."""
        return f"aucenv/{self.name.replace('_', '-')}-v{self.version}"

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # the page a user reads is the module's
        return self._module.__doc__

    @property
    def _module(self) -> Any:
        return import_module(f"aucenv.envs.{self.name}.env")

    def __repr__(self) -> str:
        return f"<aucenv.{self.name}_v{self.version}>"

    def __reduce__(self) -> tuple:
        return find_family, (self.name,)


english_v0 = EnvFamily("english", 0)
harbor_v0 = EnvFamily("harbor", 0)
sealed_bid_v0 = EnvFamily("sealed_bid", 0)
clock_v0 = EnvFamily("clock", 0)
water_allocation_v0 = EnvFamily("water_allocation", 0)

FAMILIES = {family.name: family for family in (english_v0, harbor_v0, sealed_bid_v0, clock_v0, water_allocation_v0)}


def find_family(name: str | EnvFamily) -> EnvFamily:
    """The newest family of a game: by its name ("english"), its version's ("english_v0"), or itself.

    Raises:
        ValueError: there is none; lists those there are.
    """
    if isinstance(name, EnvFamily):
        return name
    versioned = {f"{family.name}_v{family.version}": family for family in FAMILIES.values()}
    return versioned[name] if name in versioned else FAMILIES[one_of("game", name, FAMILIES)]


def register_all() -> None:
    """Make the games known to `pettingzoo.make`."""
    for family in FAMILIES.values():
        module = f"aucenv.envs.{family.name}.env"
        pettingzoo.register("aec", family.env_name, entry_point=f"{module}:env")
        pettingzoo.register("parallel", family.env_name, entry_point=f"{module}:parallel_env")
