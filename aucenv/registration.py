"""The games by name, with those of other packages; a game is imported when it is first used."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium

from aucenv.core.checks import one_of

if TYPE_CHECKING:
    from pettingzoo import AECEnv, ParallelEnv

    from aucenv.core.adapters.batch import BatchAdapter
    from aucenv.core.adapters.seat_env import SeatAdapter, VectorAdapter
    from aucenv.core.game import Game


@contextlib.contextmanager
def _existing_folder() -> Iterator[None]:
    """Let the root be the current folder in this context if that has been deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        deleted = os.open(".", os.O_RDONLY)
        os.chdir("/")
        try:
            yield
        finally:
            os.chdir(deleted)
            os.close(deleted)
    else:
        yield


with _existing_folder():  # PettingZoo asks for the current folder when it is imported
    import pettingzoo


class EnvFamily:
    """One version of a game with all its environments; calling it creates the wrapped AEC environment.

    It has the attributes of a PettingZoo environment module, so it can be used in place of one.

    Args:
        name, version: for example "english" and 0.
        module: the module that declares the game, for example "aucenv.envs.english.game".
        distribution: the package of the registry that contains the game, if it is not part of aucenv.
    """

    def __init__(self, name: str, version: int, module: str, distribution: str = "") -> None:
        self.name = name
        self.version = version
        self.module = module
        self.distribution = distribution

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
            GameError: a module of its package is missing, incomplete, or fails to import, the game has another name, or
                its package needs a newer aucenv; the message names it.
        """
        from aucenv.core.game import load_game

        return load_game(self.module, self.label, self.distribution)

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
        page, env = self._env_module.__doc__, self.env
        table = env.arguments_table()  # type: ignore[attr-defined]  # of `envs.forms`
        return f"{page}\n**Arguments**\n\n{table}\n\n**Signature**: `{self.label}{inspect.signature(env)}`\n"

    def __getattr__(self, name: str) -> inspect.Signature:
        if name == "__signature__":  # `inspect.signature` and editors read it
            return inspect.signature(self.env)
        raise AttributeError(f"{self!r} has no attribute {name!r}")

    def _env_function(self, name: str) -> Callable:
        return getattr(self._env_module, name)

    @property
    def _env_module(self) -> ModuleType:
        self.game  # noqa: B018  # its error names what is missing
        return import_module(self.module)

    def __repr__(self) -> str:
        return f"<aucenv.{self.label}>"

    def __reduce__(self) -> tuple:
        return _restored, (self.label, self.module, self.distribution)


PUBLISHED = ("english", "harbor", "sealed_bid", "clock", "ebay", "water_allocation")
"""Games from papers, which come first in lists; others follow in alphabetical order."""


def _discover_families() -> dict[str, EnvFamily]:
    """Return the families of all folders in `aucenv/envs` that hold a `game.py`, by folder name.

    A folder's name is that of the game (version 0), or ends with its version: `english`, `english_v1`.
    """
    families = {}
    folders = sorted(file.parent.name for file in (Path(__file__).parent / "envs").glob("*/game.py"))
    for folder in (*PUBLISHED, *(folder for folder in folders if folder not in PUBLISHED)):
        name, version = re.fullmatch(r"(.+?)(?:_v(\d+))?", folder).groups()  # type: ignore[union-attr]  # every name matches
        families[folder] = EnvFamily(name, int(version or 0), f"aucenv.envs.{folder}.game")
    return families


GAMES_GROUP = "aucenv.games"
"""The group of entry points `NAME_vVERSION = "MODULE:GAME"`, by which other packages add games."""
NAME = re.compile(r"([a-z][a-z0-9_]*?)_v(\d+)")
"""The name of an entry point."""
PROBLEMS: dict[str, str] = {}
"""Entry points that are no games -> the reason."""
FAMILIES = _discover_families()


def plug_ins(group: str) -> Iterator[tuple[EntryPoint, str]]:
    """Yield the entry points of a group, each with the name of its package; nothing is imported."""
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        yield point, point.dist.name if point.dist is not None else ""


def _discover_plug_ins() -> None:
    """Add the games of other packages; the reasons of those that cannot be added are in PROBLEMS."""
    for point, distribution in plug_ins(GAMES_GROUP):
        try:
            _add(_family_of(point.name, point.value, distribution))
        except ValueError as error:
            PROBLEMS[point.name] = str(error)


def _family_of(label: str, declaration: str, distribution: str) -> EnvFamily:
    of_package = f" of the package {distribution}" if distribution else ""
    match = NAME.fullmatch(label)
    if match is None:
        raise ValueError(f"game {label!r}{of_package}: expected a name with a version, such as posted_price_v0")
    module, _, attribute = declaration.partition(":")
    if not module or attribute != "GAME":
        raise ValueError(f"game {label!r}{of_package}: expected MODULE:GAME, got {declaration!r}")
    return EnvFamily(match[1], int(match[2]), module, distribution)


def _add(family: EnvFamily) -> bool:
    """Add a family, and return whether it is new; one that is declared by the same module as before changes nothing.

    Raises:
        ValueError: the name is taken.
    """
    taken = next((known for known in FAMILIES.values() if known.label == family.label), None)
    if taken is not None and taken.module != family.module:
        of_package = f" of the package {family.distribution}" if family.distribution else ""
        raise ValueError(
            f"game {family.label!r}{of_package}: expected a name that no other game has, but {taken.module} declares "
            f"it; a new version has another number"
        )
    if taken is None:
        FAMILIES[family.name if family.name not in FAMILIES else family.label] = family
        return True
    return False


def register_game(declaration: str) -> EnvFamily:
    """Add a game for this process, as an entry point of the group `aucenv.games` does for all.

    Args:
        declaration: the module that declares it, and the name of the declaration: "my_package.game:GAME".

    Returns:
        Its environments, which are also `aucenv.NAME_vVERSION`.

    Raises:
        ValueError: the name is taken, or the declaration has another form.
        GameError: the game cannot be loaded.

    Example:
        >>> import aucenv  # after: aucenv new game corner_shop; pip install ./corner_shop
        >>> aucenv.register_game("corner_shop.game:GAME").label
        'corner_shop_v0'
    """
    from aucenv.core.game import load_game

    module, _, attribute = declaration.partition(":")
    if not module or attribute != "GAME":
        raise ValueError(f"declaration: expected MODULE:GAME, such as my_package.game:GAME, got {declaration!r}")
    game = load_game(module)
    family = EnvFamily(game.name, game.version, module)
    if _add(family):
        _register(family)
    return find_family(family.label)


def registered_games() -> list[tuple[str, str]]:
    """Return the games that this process has added, for `restore_games` in another one."""
    others = [family for family in FAMILIES.values() if not family.module.startswith("aucenv.envs.")]
    return [(family.label, family.module) for family in others if not family.distribution]


def restore_games(games: Iterable[tuple[str, str]]) -> None:
    """Add games that another process has added; they are imported when they are first used."""
    for label, module in games:
        _restored(label, module, "")


def _restored(label: str, module: str, distribution: str) -> EnvFamily:
    """Return the family of a pickle, which this process may not have registered."""
    if all(family.label != label for family in FAMILIES.values()):
        family = _family_of(label, f"{module}:GAME", distribution)
        _add(family)
        _register(family)
    return find_family(label)


_discover_plug_ins()


def find_family(name: str | EnvFamily) -> EnvFamily:
    """Return the family for a name ("english": the newest version; "english_v0": this one); a family is returned as is.

    Raises:
        ValueError: there is no such game; the message lists all games, or says why a package's game was not added.
    """
    if isinstance(name, EnvFamily):
        return name
    labelled = {family.label: family for family in FAMILIES.values()}
    if name in labelled:
        return labelled[name]
    for label, problem in PROBLEMS.items():
        if name in (label, label.rpartition("_v")[0]) and name not in FAMILIES:
            raise ValueError(problem)
    newest = {family.name: family for family in sorted(FAMILIES.values(), key=lambda family: family.version)}
    return newest[one_of("game", name, newest)]


def register_all() -> None:
    """Register every game with PettingZoo, and one seat of every game with Gymnasium (`make` and `make_vec`).

    PettingZoo has had a registry since version 1.27; with older versions only Gymnasium is used.
    """
    for family in FAMILIES.values():
        _register(family)


def _register(family: EnvFamily) -> None:
    module = family.module
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", family.env_name, entry_point=f"{module}:env")
        pettingzoo.register("parallel", family.env_name, entry_point=f"{module}:parallel_env")
    if family.gym_name not in gymnasium.registry:
        gymnasium.register(family.gym_name, entry_point=f"{module}:seat_env", vector_entry_point=f"{module}:vector_env")
