"""The disk cache of kernels is invalidated by changes in any source, and safe for processes that compile at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numba
import pytest

import aucenv
from aucenv.core import kernel
from aucenv.core.compiled import kernel_cache
from aucenv.envs.english import rules

PACKAGE = Path(aucenv.__file__).parent


def test_the_hooks_into_numbas_cache_are_active():
    """The hooks use private attributes of numba, which may change."""
    assert kernel.numba is numba
    file = rules.step._cache._cache_file
    assert file._data_name(1) != file._data_name(1)
    assert kernel_cache.source_digest(frozenset()) in file._source_stamp


def copy_package(folder: Path) -> dict[str, str]:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "aucenv", ignore=ignored)
    shutil.copytree(PACKAGE.parent / "baselines", folder / "aucenv" / "baselines", ignore=ignored)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return {**environment, "PYTHONPATH": str(folder)}


TIE = """
import numpy as np
import aucenv
from aucenv.core.kernel import kernel
from aucenv.core.state import break_tie
from aucenv.envs.english.rules import State

@kernel
def winner_of(g, tied):
    return break_tie(g, tied)

print(aucenv.__file__)
state = np.zeros(1, State.dtype(seat=3, item=3))
state["num_seats"], state["forced_tie"] = 3, -1
for state["key"] in range(40):
    print(winner_of(state[0], np.ones(3, np.int64)))
"""
"""A script that prints the winners of ties between three seats in 40 games."""


def test_the_package_of_a_kernel_is_known_by_its_file(tmp_path):
    """The name of a package may be that of a namespace package without files, such as its folder's parent."""
    (tmp_path / "shop").mkdir()
    file = tmp_path / "shop" / "rules.py"
    file.write_text("def step(): ...\n")
    module = module_from_spec(spec := spec_from_file_location("shop.rules", file))
    spec.loader.exec_module(module)
    packages = kernel_cache.packages_of(module.step)
    assert packages == {str(tmp_path / "shop")}
    before = kernel_cache.source_digest(packages)
    kernel_cache.source_digest.cache_clear()
    file.write_text("def step(): return 1\n")
    assert kernel_cache.source_digest(packages) != before


def test_a_change_in_the_file_of_a_called_kernel_recompiles_its_callers(tmp_path):
    environment = copy_package(tmp_path)
    (tmp_path / "tie.py").write_text(TIE)

    def winners() -> str:
        command = [sys.executable, "-m", "tie"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd="/").stdout

    first = winners()
    assert str(tmp_path) in first
    assert list(tmp_path.rglob("*.nbc"))
    state = tmp_path / "aucenv" / "core" / "state.py"
    state.write_text(state.read_text().replace("h > highest", "h < 2**32 - 1 - highest"))
    changed = winners()
    assert changed != first
    assert winners() == changed


BOUND = """
import sys
from aucenv.core.kernel import bind, subkey, template, unbound

read = unbound

@template
def plus_one(key, purpose, seat):
    return read(key, purpose, seat) + 1

inner = bind(plus_one, "inner", read=subkey) if sys.argv[1:] else subkey
print(bind(plus_one, "shop", read=inner)(5, 3, 1) - subkey(5, 3, 1))
"""
"""A script that binds a template to a kernel of aucenv, or to the same template that is bound to it."""


def test_a_template_bound_to_another_kernel_is_compiled_again(tmp_path):
    """A game's declarations decide which kernels of aucenv are bound; its own files may have none of them."""
    (tmp_path / "bound.py").write_text(BOUND)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def printed(*args: str) -> str:
        command = [sys.executable, "-m", "bound", *args]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
        return result.stdout.strip()

    assert [printed(), printed("twice"), printed("twice"), printed()] == ["1", "2", "2", "1"]


def test_kernels_of_an_installed_package_are_cached_in_the_users_folder(tmp_path):
    """pip does not remove files that it has not installed, so that the rest of the package could still be imported."""
    site, cache = tmp_path / "lib" / "site-packages", tmp_path / "cache"
    environment = copy_package(site)
    environment |= {"XDG_CACHE_HOME": str(cache), "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    (site / "tie.py").write_text(TIE)
    files = []
    for _ in range(2):  # the second process compiles nothing
        command = [sys.executable, "-m", "tie"]
        subprocess.run(command, env=environment, capture_output=True, check=True, cwd="/")
        files.append(sorted(tmp_path.rglob("*.nbc")))
    assert files[0] == files[1]
    assert all(file.is_relative_to(tmp_path) and not file.is_relative_to(site) for file in files[0])
    assert not list(site.rglob("__pycache__"))


def test_kernels_are_cached_beside_sources_if_there_is_no_folder_of_the_user(tmp_path):
    site = tmp_path / "lib" / "site-packages"
    (tmp_path / "file").touch()
    environment = {**copy_package(site), "XDG_CACHE_HOME": str(tmp_path / "file"), "HOME": str(tmp_path / "file")}
    (site / "tie.py").write_text(TIE)
    subprocess.run([sys.executable, "-m", "tie"], env=environment, capture_output=True, check=True, cwd="/")
    assert list(site.rglob("*.nbc"))


TOTALS = """
import sys
import numpy as np
from aucenv.core.kernel import kernel

@kernel
def total(row, depth):
    result = 0
    for i in range(depth):
        if i % 7 == 3:
            result += total(row, depth - i - 1) * 3
        result += row["x"] ^ i
    return result

@kernel
def first(row, depth):
    return total(row, depth)

@kernel
def second(row, depth):
    return total(row, depth) * 1000

@kernel
def third(row, depth):
    return total(row, depth) * 1000000

KERNELS = first, second, third
LAYOUTS = [("x", "i8"), ("y", "i8")], [("y", "i8"), ("x", "i8")], [("z", "i8"), ("y", "i8"), ("x", "i8")]
for which in map(int, sys.argv[1:]):
    row = np.zeros(1, LAYOUTS[which])
    row["x"], row["y"] = 20, 5
    print(KERNELS[which](row[0], 9))
"""
"""A script that runs a kernel for records of three layouts, which numba numbers in the order of their first use."""


def start_totals(folder: Path, *layouts: int) -> subprocess.Popen:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "totals", *map(str, layouts)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=folder)


def totals(process: subprocess.Popen) -> list[str]:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out.split()


def test_a_process_does_not_mix_code_compiled_by_two_others(tmp_path):
    (tmp_path / "totals.py").write_text(TOTALS)
    alone = totals(start_totals(tmp_path, 0)) + totals(start_totals(tmp_path, 1))
    assert totals(start_totals(tmp_path, 0, 1)) == alone


@pytest.mark.slow  # the tests above prove that names of files and of compiled functions are unique
def test_processes_that_compile_simultaneously_do_not_mix_their_kernels(tmp_path):
    (tmp_path / "totals.py").write_text(TOTALS)
    orders = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    running = [start_totals(tmp_path, *order) for order in orders]
    results = [dict(zip(order, totals(process), strict=True)) for order, process in zip(orders, running, strict=True)]
    expected = total(20, 9)
    assert results == [{0: str(expected), 1: f"{expected}000", 2: f"{expected}000000"}] * 3
    assert totals(start_totals(tmp_path, 2, 1, 0)) == [f"{expected}000000", f"{expected}000", str(expected)]


def total(x: int, depth: int) -> int:
    return sum((x ^ i) + (total(x, depth - i - 1) * 3 if i % 7 == 3 else 0) for i in range(depth))
