"""The import statements of aucenv, as edges between modules and between packages.

`python tests/imports.py [CHECKOUT]` prints the packages (folders and modules directly inside `aucenv`) and what each of
them imports.
"""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path

from paths import ROOT

TOP_LEVEL_FOLDERS = ("baselines", "benchmarks", "training")


def sources(root: Path = ROOT) -> dict[str, Path]:
    """Return the file of every module."""
    files = {}
    for folder in ("aucenv", *TOP_LEVEL_FOLDERS):
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).with_suffix("").as_posix().replace("/", ".")
            files[name if folder == "aucenv" else f"aucenv.{name}"] = path
    return files


SOURCES = sources()


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree_of(path)))


def imported(module: str, files: dict[str, Path] = SOURCES) -> set[str]:
    """Return the aucenv modules that a module imports, including imports inside functions."""
    modules = set()
    for node in nodes_of(files[module]):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            modules |= {name if name in files else node.module for name in names}
    return {name for name in modules if name and name.startswith("aucenv.")}


def named(module: str, files: dict[str, Path] = SOURCES) -> set[str]:
    """Return the aucenv modules that a module names in strings, such as "aucenv.core.game:Game", to import them."""
    nodes = nodes_of(files[module])
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    modules = set()
    for text in texts:
        path = text.partition(":")[0]
        if path.startswith("aucenv.") and path.replace(".", "").replace("_", "").isalnum():
            modules.add(path if path in files else f"{path}.__init__" if f"{path}.__init__" in files else "")
    return modules - {""}


@functools.cache
def defined(path: Path) -> set[str]:
    """Return the names that a file defines or imports, at any level, and those of its attributes."""
    kinds = {ast.Name: "id", ast.arg: "arg", ast.alias: "name", ast.Attribute: "attr"}
    definitions = dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), "name")
    return {
        getattr(node, field)
        for kind, field in (kinds | definitions).items()
        for node in nodes_of(path)
        if type(node) is kind
    }


def package_of(module: str) -> str:
    """Return the folder or module directly inside `aucenv` that a module belongs to."""
    return module.split(".")[1]


def package_imports(files: dict[str, Path] = SOURCES) -> set[tuple[str, str]]:
    """Return the pairs (package, other package that it imports)."""
    return {
        (package_of(module), package_of(other))
        for module in files
        for other in imported(module, files)
        if package_of(module) != package_of(other)
    }


if __name__ == "__main__":
    files = sources(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
    packages, pairs = sorted({package_of(module) for module in files}), sorted(package_imports(files))
    print(f"{len(packages)} packages: {', '.join(packages)}")
    print(f"{len(pairs)} imports between packages")
    for package in packages:
        print(f"  {package} -> {', '.join(to for at, to in pairs if at == package) or 'nothing'}")
