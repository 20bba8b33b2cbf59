"""The disk cache of compiled kernels: fresh when any source changes, safe when many processes compile at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba

import aucenv
from aucenv.core import kernel
from aucenv.envs.english import rules

PACKAGE = Path(aucenv.__file__).parent


def test_numbas_cache_is_guarded():
    """The hooks are private to numba: this tells when they move."""
    assert kernel.numba is numba
    file = rules.step._cache._cache_file
    assert file._data_name(1) != file._data_name(1)
    assert kernel._sources() in file._source_stamp


def copy_package(folder: Path) -> dict[str, str]:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "aucenv", ignore=ignored)
    shutil.copytree(PACKAGE.parent / "baselines", folder / "aucenv" / "baselines", ignore=ignored)
    beside = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}  # beside its sources
    return {**beside, "PYTHONPATH": str(folder)}


TIE = """
import numpy as np
import aucenv
from aucenv.core.kernel import kernel
from aucenv.core.state import break_tie
from aucenv.envs.english.rules import state_dtype

@kernel
def winner_of(g, tied):
    return break_tie(g, tied)

print(aucenv.__file__)
state = np.zeros(1, state_dtype(3, 3))
state["num_seats"], state["forced_tie"] = 3, -1
for state["key"] in range(40):
    print(winner_of(state[0], np.ones(3, np.int64)))
"""
"""Who wins the tie of three in 40 games."""


def test_a_change_in_a_called_kernels_file_is_noticed(tmp_path):
    environment = copy_package(tmp_path)
    (tmp_path / "tie.py").write_text(TIE)

    def winners() -> str:
        asked = [sys.executable, "-m", "tie"]
        return subprocess.run(asked, env=environment, capture_output=True, text=True, check=True, cwd="/").stdout

    first = winners()
    assert str(tmp_path) in first
    assert list(tmp_path.rglob("*.nbc"))
    state = tmp_path / "aucenv" / "core" / "state.py"
    state.write_text(state.read_text().replace("h > highest", "h < 2**32 - 1 - highest"))
    changed = winners()
    assert changed != first
    assert winners() == changed


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
"""A kernel compiled for records of three layouts. numba counts the layouts that a process meets: each can be its first."""


def start_totals(folder: Path, *which: int) -> subprocess.Popen:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    asked = [sys.executable, "-m", "totals", *map(str, which)]
    return subprocess.Popen(asked, env=environment, stdout=subprocess.PIPE, text=True, cwd=folder)


def totals(process: subprocess.Popen) -> list[str]:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out.split()


def test_code_compiled_by_two_processes_is_not_mixed_in_a_third(tmp_path):
    (tmp_path / "totals.py").write_text(TOTALS)
    alone = totals(start_totals(tmp_path, 0)) + totals(start_totals(tmp_path, 1))
    assert totals(start_totals(tmp_path, 0, 1)) == alone


def test_processes_that_compile_at_once_do_not_mix_their_kernels(tmp_path):
    (tmp_path / "totals.py").write_text(TOTALS)
    orders = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    running = [start_totals(tmp_path, *order) for order in orders]
    results = [dict(zip(order, totals(process), strict=True)) for order, process in zip(orders, running, strict=True)]
    by_hand = total(20, 9)
    assert results == [{0: str(by_hand), 1: f"{by_hand}000", 2: f"{by_hand}000000"}] * 3
    assert totals(start_totals(tmp_path, 2, 1, 0)) == [f"{by_hand}000000", f"{by_hand}000", str(by_hand)]


def total(x: int, depth: int) -> int:
    return sum((x ^ i) + (total(x, depth - i - 1) * 3 if i % 7 == 3 else 0) for i in range(depth))
