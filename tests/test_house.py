"""The repository's rules: imports flow one way, `import aucenv` is light, and modules have no effects at import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter

from games import CASES
from imports import SOURCES, defined, imported, named, nodes_of, package_imports, package_of, tree_of

PACKAGES = (
    *("core", "envs", "theory", "registration", "policy", "runs", "play", "records", "testing", "analysis"),
    *("baselines", "integrations", "training", "benchmarks", "commands", "cli", "__main__", "__init__"),
)
"""Each package imports only from packages before it."""
NAMES_ONLY = ("play", "records", "__init__")
"""Modules that only name what others define."""
MOST_LINES, MOST_MODULES = 600, 15
FORMS = "aucenv.envs.forms"
"""The forms of environments, which games share."""
KINDS = (
    ("values", "personas"),
    ("houses",),
    ("rules",),
    ("profile",),
    ("belief",),
    ("game",),
    ("view", "wording"),
    ("notes",),
    ("record_format",),
    ("phrases", "reply"),
    ("words", "features"),
    ("stated_beliefs", "theory", "learning", "field_loss"),
    ("figures", "transcript", "board"),
    ("files",),
)
"""The modules of a game; each imports only from modules before it or in its group."""


def test_imports_flow_one_way_between_packages():
    assert {package_of(module) for module in SOURCES} == set(PACKAGES)
    upward = [(at, to) for at, to in package_imports() if PACKAGES.index(to) > PACKAGES.index(at)]
    assert not upward
    assert len(set(PACKAGES) - set(NAMES_ONLY)) <= 15
    assert len([edge for edge in package_imports() if not set(edge) & set(NAMES_ONLY)]) <= 49


def is_registry(module: str, other: str) -> bool:
    """Return whether a module may name one of a later package in a string."""
    in_game = module.startswith("aucenv.envs.") and module.endswith(".game")
    of_game = other.startswith(("aucenv.baselines.scripted.", "aucenv.baselines.population."))
    in_packages = other in ("aucenv.baselines.__init__", "aucenv.training.__init__")  # whose source is compared
    in_registry = module in ("aucenv.policy.registry", "aucenv.cli", "aucenv.__init__")
    of_rivals = (module, other) == ("aucenv.envs.forms", "aucenv.policy.registry")  # environments take rivals by name
    return in_registry or of_rivals or (in_game and of_game) or (module == "aucenv.runs.cluster.job" and in_packages)


def test_names_in_strings_flow_one_way_too():
    named_by = {(module, other) for module in SOURCES for other in named(module) if not is_registry(module, other)}
    order = {package: number for number, package in enumerate(PACKAGES)}
    assert not {(at, to) for at, to in named_by if order[package_of(to)] > order[package_of(at)]}


def test_there_are_no_cycles_of_imports_and_names():
    edges = {
        module: {*imported(module), *(other for other in named(module) if not is_registry(module, other))} - {module}
        for module in SOURCES
    }
    TopologicalSorter(edges).prepare()


def test_imports_flow_one_way_inside_games():
    order = {kind: number for number, kinds in enumerate(KINDS) for kind in kinds}
    modules = [each for each in SOURCES if each.startswith("aucenv.envs.") and "__init__" not in each and each != FORMS]
    for module in modules:
        for other in imported(module):
            if other.startswith("aucenv.envs.") and other != FORMS:
                assert order[other.split(".")[3]] <= order[module.split(".")[3]], f"{module} must not import {other}"


def test_core_and_analysis_import_no_game():
    for module in SOURCES:
        if module.startswith(("aucenv.core.", "aucenv.analysis.")):
            assert not any(name.startswith("aucenv.envs") for name in imported(module)), module


def test_importing_aucenv_imports_nothing_heavy():
    code = "import aucenv, sys; print(*sys.modules)"
    modules = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())
    loaded = {name for name in modules if name.startswith("aucenv")}
    assert loaded == {"aucenv", "aucenv.registration", "aucenv.core", "aucenv.core.checks", "aucenv.core.hooks"}
    assert not modules & {"numba", "torch", "trueskill", "typer", "rich", "scipy", "matplotlib", "PIL"}


def test_modules_do_nothing_when_imported():
    """There is no file read, socket, print or path change at module level; `__init__` files only define names."""
    for module, path in SOURCES.items():
        tree = tree_of(path)
        for statement in tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                continue
            for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
                names = ast.unparse(call.func).split(".")
                assert not {"open", "print", "read_text", "socket"} & {names[0], names[-1]}, module
        if module.endswith("__init__") and module != "aucenv.__init__":
            names = (ast.ImportFrom, ast.Assign) if tree.body else ()
            assert all(isinstance(statement, names) for statement in tree.body[1:]), module


def test_modules_are_short_and_have_names_that_say_what_they_are():
    for module, path in SOURCES.items():
        assert path.stem not in ("utils", "base", "common", "helpers"), module
        assert len(path.read_text().splitlines()) <= MOST_LINES, module


def test_folders_have_few_modules():
    folders = Counter(path.parent for path in SOURCES.values() if path.stem != "__init__")
    assert {folder: number for folder, number in folders.items() if number > MOST_MODULES} == {}


def test_functions_are_short():
    for module, path in SOURCES.items():
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef):
                first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
                assert node.end_lineno - first.lineno < 50, f"{module}.{node.name}"


def test_names_in_docstrings_exist():
    """A docstring that names `module.name`, where a module of this package has that name, names what exists."""
    modules: dict[str, set[str]] = {}
    for path in SOURCES.values():
        modules.setdefault(path.parent.name, set()).add(path.stem)
        modules.setdefault(path.parent.name if path.stem == "__init__" else path.stem, set()).update(defined(path))
    files_and_views = re.compile(r"`(?:[\w.]+\.(?:py|md|jsonl?|css|png)|view\.\w+|aucenv\.\w+)`")
    for path in SOURCES.values():
        text = files_and_views.sub("", path.read_text())
        for module, name in re.findall(r"`(?:\w+\.)*([a-z]\w*)\.(\w+)`", text):
            assert module not in modules or name in modules[module] | set(modules), f"{path}: `{module}.{name}`"


def test_all_public_names_exist():
    import aucenv

    assert set(aucenv.__all__) == set(aucenv._LAZY) | {f"{name}_v0" for name in CASES}


def test_play_stays_a_function_when_its_module_is_imported():
    code = "import aucenv.play, aucenv; from aucenv.play import play; assert aucenv.play is play; print('same')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "same\n"
