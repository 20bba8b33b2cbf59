"""The rules of the house: imports flow one way, nothing heavy is imported, nothing is done at import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {
    f"aucenv.{path.relative_to(ROOT).with_suffix('').as_posix().replace('/', '.')}".replace(
        "aucenv.aucenv", "aucenv"
    ): path
    for room in ("aucenv", "baselines", "benchmarks", "training")
    for path in sorted((ROOT / room).rglob("*.py"))
}
ROOMS = [
    ("aucenv.core.checks", "aucenv.core.files", "aucenv.core.bidder_name", "aucenv.core.drawing", "aucenv.core.replayed"),
    ("aucenv.core.scenarios",),
    ("aucenv.core.kernel",),
    ("aucenv.core.money", "aucenv.core.state", "aucenv.core.features"),
    ("aucenv.core.reply", "aucenv.core.clock_reply", "aucenv.core.rows", "aucenv.core.rollouts", "aucenv.core.threads"),
    ("aucenv.core.spaces", "aucenv.core.actions", "aucenv.core.game", "aucenv.core.decisions"),
    ("aucenv.core.history", "aucenv.core.record"),
    ("aucenv.core.snapshot", "aucenv.core.seat_view"),
    ("aucenv.envs.prizes.values", "aucenv.envs.harbor.personas"),
    ("aucenv.envs.harbor.houses",),
    ("aucenv.envs.harbor.describe",),
    ("aucenv.envs.harbor.generate",),
    ("aucenv.envs.*.rules",),
    ("aucenv.envs.harbor.profile",),
    ("aucenv.envs.*.belief",),
    ("aucenv.envs.*.scenario",),
    ("aucenv.envs.harbor.named",),
    ("aucenv.envs.*.scenario_files",),
    ("aucenv.envs.*.view", "aucenv.envs.prizes.wording"),
    ("aucenv.envs.*.notes",),
    (
        "aucenv.envs.*.text",
        "aucenv.envs.*.vector",
        "aucenv.envs.*.render",
        "aucenv.envs.*.report",
        "aucenv.envs.*.picture",
    ),
    ("aucenv.core.table",),
    ("aucenv.core.adapter", "aucenv.core.batch"),
    ("aucenv.core.aec", "aucenv.core.parallel"),
    ("aucenv.envs.prizes.recorded",),
    ("aucenv.envs.*.env",),
    ("aucenv.envs.*.replay",),
    ("aucenv.theory",),
    ("aucenv.registration",),
    ("aucenv.policy.*",),
    ("aucenv.runs.*",),
    ("aucenv.play", "aucenv.records"),
    ("aucenv.analysis.*",),
    ("aucenv.baselines.*",),
    ("aucenv.training.*",),
    ("aucenv.benchmarks.*",),
]
"""In the order in which imports may flow. The package itself, the cli and its commands may import from everywhere."""
FREE = ("aucenv", "aucenv.cli", "aucenv.commands")


def rank(module: str) -> int:
    parts = module.split(".")
    for number, names in enumerate(ROOMS):
        for name in names:
            pattern = name.split(".")
            same = all(p in ("*", part) for p, part in zip(pattern, parts, strict=False))
            if same and (len(parts) == len(pattern) or (len(parts) > len(pattern) and pattern[-1] == "*")):
                return number
    raise AssertionError(f"{module}: in no room of ROOMS")


def imported(module: str) -> set[str]:
    """The aucenv modules that a module's import statements name, those inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(SOURCES[module].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in SOURCES else node.module for name in names}
    return {name for name in found if name and name.startswith("aucenv.")}


@pytest.mark.parametrize(
    "module", [m for m in SOURCES if m != FREE[0] and not m.startswith(FREE[1:]) and not m.endswith("__init__")]
)
def test_imports_flow_one_way(module):
    for other in imported(module):
        assert rank(other) <= rank(module), f"{module} must not import {other}"
    assert module not in imported(module)


def test_core_knows_no_game():
    for module in SOURCES:
        if module.startswith("aucenv.core."):
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

    for name in aucenv.__all__:
        assert getattr(aucenv, name) is not None
    assert set(aucenv._LAZY) | {
        f"{name}_v0" for name in ("english", "harbor", "sealed_bid", "clock", "water_allocation")
    } == set(aucenv.__all__)


def test_play_stays_a_function_when_its_module_is_imported():
    code = "import aucenv.play, aucenv; from aucenv.play import play; assert aucenv.play is play; print('same')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "same\n"
