"""The import statements of the package, as arrows between modules and between rooms.

`python tests/imports.py [CHECKOUT]` prints the rooms, the folders and modules directly inside `aucenv`, and their arrows.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from paths import ROOT

BESIDE = ("baselines", "benchmarks", "training")


def sources(root: Path = ROOT) -> dict[str, Path]:
    """Every module of the package and its file."""
    found = {}
    for room in ("aucenv", *BESIDE):
        for path in sorted((root / room).rglob("*.py")):
            name = path.relative_to(root).with_suffix("").as_posix().replace("/", ".")
            found[name if room == "aucenv" else f"aucenv.{name}"] = path
    return found


SOURCES = sources()


def imported(module: str, files: dict[str, Path] = SOURCES) -> set[str]:
    """The aucenv modules that a module's import statements name, those inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(files[module].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in files else node.module for name in names}
    return {name for name in found if name and name.startswith("aucenv.")}


def room_of(module: str) -> str:
    """The folder or module directly inside `aucenv` that a module is in."""
    return module.split(".")[1]


def arrows(files: dict[str, Path] = SOURCES) -> set[tuple[str, str]]:
    """(room, room that it imports from)."""
    return {
        (room_of(module), room_of(other))
        for module in files
        for other in imported(module, files)
        if room_of(module) != room_of(other)
    }


if __name__ == "__main__":
    found = sources(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
    rooms, between = sorted({room_of(module) for module in found}), sorted(arrows(found))
    print(f"{len(rooms)} rooms: {', '.join(rooms)}")
    print(f"{len(between)} arrows")
    for room in rooms:
        print(f"  {room} -> {', '.join(to for at, to in between if at == room) or 'nothing'}")
