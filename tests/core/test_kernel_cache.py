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


ROUNDS = """
import sys
import numpy as np
import aucenv
from aucenv.core.kernel import bind
from aucenv.core.rows import MOMENT, tell_row
from aucenv.envs.english.env import GAME
print(aucenv.__file__)
tell = bind(tell_row, "tell_english", quote=GAME.report.quote)
template = GAME.load_scenario(sys.argv[1]).template()
seats = int(template[0]["num_seats"])
state, told = template.copy(), np.empty(MOMENT + GAME.report.num_quoted(seats), np.int64)
for key in range(40):
    GAME.rules.deal(state, 0, template, key)
    GAME.rules.step(state, 0, np.full(seats, state[0]["least"]))
    tell(state, 0, np.zeros(seats), told)
    print(*told)
"""
"""The first round of 40 games, in which all bid the same: chance breaks the tie."""


def play(environment: dict[str, str], scenario: str = "standard-20k-random") -> subprocess.Popen:
    asked = [sys.executable, "-c", ROUNDS, scenario]
    return subprocess.Popen(asked, env=environment, stdout=subprocess.PIPE, text=True, cwd="/")


def result(process: subprocess.Popen) -> str:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out


def test_a_change_in_a_called_kernels_file_is_noticed(tmp_path):
    environment = copy_package(tmp_path)
    first = result(play(environment))
    assert str(tmp_path) in first
    assert list((tmp_path / "aucenv").rglob("*.nbc"))
    state = tmp_path / "aucenv" / "core" / "state.py"
    state.write_text(state.read_text().replace("h > highest", "h < 2**32 - 1 - highest"))
    changed = result(play(environment))
    assert changed != first
    assert result(play(environment)) == changed


def test_processes_that_compile_at_once_do_not_mix_their_kernels(tmp_path):
    environment = copy_package(tmp_path)
    scenarios = ["standard-20k-random", "niche-20k"]
    alone = {scenario: result(play({**environment, "NUMBA_DISABLE_JIT": "1"}, scenario)) for scenario in scenarios}
    running = [(scenario, play(environment, scenario)) for _ in range(2) for scenario in scenarios]
    assert all(result(process) == alone[scenario] for scenario, process in running)
    assert all(result(play(environment, scenario)) == alone[scenario] for scenario in scenarios)


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
def one(row, depth):
    return total(row, depth)

@kernel
def other(row, depth):
    return total(row, depth) * 1000

ROWS = np.array([(1, 2)], [("x", "i8"), ("y", "i8")]), np.array([(5, 20)], [("y", "i8"), ("x", "i8")])
for which in sys.argv[1:]:
    print((one, other)[int(which)](ROWS[int(which)][0], 9))
"""
"""A kernel compiled for records of two layouts. numba counts the layouts that a process meets: both are its first."""


def test_code_compiled_by_two_processes_is_not_mixed_in_a_third(tmp_path):
    (tmp_path / "totals.py").write_text(TOTALS)

    def totals(*which: str) -> list[str]:
        asked = [sys.executable, "-m", "totals", *which]
        out = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120).stdout
        return out.split()

    alone = totals("0") + totals("1")
    assert totals("0", "1") == alone
    assert totals("1", "0") == alone[::-1]
