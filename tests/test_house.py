"""The rules of the house: imports flow one way, nothing heavy is imported, nothing is done at import."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest
from imports import SOURCES, arrows, imported, room_of

ROOMS = (
    *("core", "envs", "theory", "registration", "policy", "runs", "play", "records", "analysis", "baselines"),
    *("training", "benchmarks", "integrations", "commands", "cli", "__init__"),
)
"""In the order in which imports may flow."""
KINDS = (
    ("values", "personas"),
    ("houses",),
    ("describe",),
    ("generate",),
    ("rules",),
    ("profile",),
    ("belief",),
    ("scenario",),
    ("named_scenarios",),
    ("scenario_files",),
    ("view", "wording"),
    ("notes",),
    ("reply",),
    ("text", "vector", "render", "report", "picture"),
    ("increments", "stated_beliefs", "divergence", "theory", "learning"),
    ("plans",),
    ("thinking",),
    ("figures", "transcript"),
    ("replay_format",),
    ("env",),
    ("replay",),
)
"""The modules of games, in that order."""


def test_imports_flow_one_way_between_rooms():
    assert {room_of(module) for module in SOURCES} == set(ROOMS)
    upward = [(at, to) for at, to in arrows() if ROOMS.index(to) > ROOMS.index(at)]
    assert not upward
    assert len(ROOMS) <= 16
    assert len(arrows()) <= 50


def test_no_modules_import_each_other():
    TopologicalSorter({module: imported(module) - {module} for module in SOURCES}).prepare()


@pytest.mark.parametrize(
    "module", [module for module in SOURCES if module.startswith("aucenv.envs.") and "__init__" not in module]
)
def test_imports_flow_one_way_inside_games(module):
    order = {kind: number for number, kinds in enumerate(KINDS) for kind in kinds}
    for other in imported(module):
        if other.startswith("aucenv.envs."):
            assert order[other.split(".")[3]] <= order[module.split(".")[3]], f"{module} must not import {other}"


def test_core_and_analysis_know_no_game():
    for module in SOURCES:
        if module.startswith(("aucenv.core.", "aucenv.analysis.")):
            assert not any(name.startswith("aucenv.envs") for name in imported(module)), module


def test_importing_aucenv_imports_nothing_heavy():
    code = "import aucenv, sys; print(*sys.modules)"
    modules = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())
    ours = {name for name in modules if name.startswith("aucenv")}
    assert ours == {"aucenv", "aucenv.registration", "aucenv.core", "aucenv.core.checks"}
    assert not modules & {"numba", "torch", "trueskill", "typer", "rich", "scipy", "matplotlib", "PIL"}


@pytest.mark.parametrize("module", SOURCES)
def test_modules_do_nothing_when_imported(module):
    """No file read, socket, print or path change at module level; names only in __init__ files but the package's."""
    tree = ast.parse(SOURCES[module].read_text())
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
            assert not {"open", "print", "read_text", "socket"} & set(ast.unparse(call.func).split(".")), module
    if module.endswith("__init__") and module != "aucenv.__init__":
        names = (ast.ImportFrom, ast.Assign) if tree.body else ()
        assert all(isinstance(statement, names) for statement in tree.body[1:]), module
    assert SOURCES[module].stem not in ("utils", "base", "common", "helpers")
    assert len(SOURCES[module].read_text().splitlines()) <= 320, module


def functions():
    for module, path in SOURCES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield module, node


def test_functions_are_short():
    for module, node in functions():
        first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
        assert node.end_lineno - first.lineno < 50, f"{module}.{node.name}"


def test_names_that_are_promised_exist():
    import aucenv

    families = {f"{name}_v0" for name in ("english", "harbor", "sealed_bid", "clock", "water_allocation")}
    assert set(aucenv.__all__) == set(aucenv._LAZY) | families


def test_play_stays_a_function_when_its_module_is_imported():
    code = "import aucenv.play, aucenv; from aucenv.play import play; assert aucenv.play is play; print('same')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "same\n"
