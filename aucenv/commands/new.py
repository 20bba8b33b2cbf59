"""The commands `aucenv new game` and `new bidder`: write a package of one's own that passes its checks."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

import aucenv
from aucenv.commands.console.terminal import print_safely
from aucenv.core.files import naming

PathArgument = Annotated[
    Path,
    typer.Argument(metavar="PATH", help="The new folder, such as posted_price; its name is that of the package."),
]

WRITTEN = {
    "game": ("a posted-price toy", "--game {}"),
    "bidder": ("a bidder of the least amount", "--bidder {} --bidder rule --bidder value"),
}
"""What each kind of package has, and the arguments of a leaderboard that tries it."""


def new_game(path: PathArgument) -> None:
    """Write a package with a game, a posted-price toy, with rule bidders and tests that pass."""
    _write("game", path.name, path.parent)


def new_bidder(path: PathArgument) -> None:
    """Write a package with a bidder, which bids the least amount, with tests that pass."""
    _write("bidder", path.name, path.parent)


def _write(kind: str, name: str, folder: Path) -> None:
    """Write a package.

    Raises:
        ValueError: The name is not one of a package, or is taken.
        OSError: The folder exists, or cannot be written.
    """
    if re.fullmatch(r"[a-z][a-z0-9_]*", name) is None:
        raise ValueError(f"PATH: expected lower-case letters, digits and _, such as posted_price, got {name!r}")
    if keyword.iskeyword(name):
        raise ValueError(f"PATH: expected a name that is no keyword of Python, such as posted_price, got {name!r}")
    names = _names_of(kind)
    if name in sys.stdlib_module_names or name in names:
        package = names.get(name)
        hint = f", which the installed package {package} has (pip uninstall {package})" if package else ""
        raise ValueError(f"PATH: expected a name that no module, game or bidder has, got {name!r}{hint}")
    target = folder / name
    if target.exists():
        raise FileExistsError(f"{target}: expected a new folder")
    title = "".join(part.capitalize() for part in name.split("_"))
    words = {"NAME": name, "TITLE": title, "DISTRIBUTION": name.replace("_", "-"), "VERSION": aucenv.__version__}
    folder.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder))
    try:
        with naming(target), as_file(files("aucenv.commands") / "skeletons" / kind) as skeleton:
            for file in sorted(skeleton.rglob("*.txt")):
                path = partial / _filled(str(file.relative_to(skeleton)).removesuffix(".txt"), words)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_filled(file.read_text(encoding="utf-8"), words), encoding="utf-8")
        partial.chmod(0o755)
        partial.rename(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    what, try_it = WRITTEN[kind]
    print_safely(f"{target} is {what}, with tests that pass; change it into your own {kind}:")
    print_safely(f"  pip install -e '{target}[dev]' && pytest {target}")
    print_safely(f"  aucenv leaderboard {try_it.format(name)}")


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub("(?:NAME|DISTRIBUTION|VERSION)(?![A-Z])|TITLE", lambda match: words[match[0]], text)


def _names_of(kind: str) -> dict[str, str]:
    """Return the names that games, or bidders, have -> the installed package that has it; "" for aucenv itself."""
    from aucenv.policy.registry import MAKERS, packaged_bidders, scripted_bidders
    from aucenv.registration import FAMILIES

    games = {family.name: family.distribution for family in FAMILIES.values()}
    if kind == "game":
        return games
    packaged = {name: distribution for name, (_, distribution) in packaged_bidders().items()}
    return {
        **packaged,
        **dict.fromkeys(MAKERS, ""),
        **{name: games[game] for game in games for name in scripted_bidders(game)},
    }
