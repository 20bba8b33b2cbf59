"""A run knows all kernels that its games and its ratings compile."""

from __future__ import annotations

import pytest

from aucenv.registration import FAMILIES

SCRIPT = """
import gc, sys
from numba.core.dispatcher import Dispatcher
from aucenv.analysis.ranking.ratings import rating_kernels
from aucenv.benchmarks.rankings.leaderboard import Settings, chosen_bidders, report, matches
from aucenv.core.compiled.cold_start import _estimate
from aucenv.runs.kernel_calls import match_kernels

names = tuple(name for name in chosen_bidders(Settings(sys.argv[1])) if name != "rlact")
schedule = matches(Settings(sys.argv[1], names, games=3 * len(names)))
work = [*match_kernels(schedule), rating_kernels()]
known = {(id(call.kernel), call.types) for part in work for call in part.calls}
report([match.play() for match in schedule], [])
kernels = [kernel for kernel in gc.get_objects() if isinstance(kernel, Dispatcher)]
kernels = [kernel for kernel in kernels if kernel.py_func.__module__.startswith("aucenv.")]
called = {(id(kernel), types): kernel.py_func.__qualname__ for kernel in kernels for types in kernel.overloads}
long = {id(kernel) for kernel in kernels if _estimate([kernel]) > 0.1}
print(sorted({name for key, name in called.items() if key[0] in long and key not in known}), len(known - called.keys()))
"""
"""A script that plays a leaderboard, and prints the kernels that it compiles but does not know, unless they take less
than a tenth of a second, and the number of those that it knows but does not compile."""


@pytest.mark.parametrize("game", FAMILIES)
def test_the_kernels_of_a_leaderboard_are_known(game, forks, tmp_path):
    done = forks.run(SCRIPT, game, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "[] 0\n"), done.stderr
