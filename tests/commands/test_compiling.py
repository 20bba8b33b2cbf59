"""A command says on stderr that it compiles kernels, and the progress bar of a run says what it waits for."""

from __future__ import annotations

import pytest
from aucenv.benchmarks.rankings import leaderboard

from aucenv.commands.options.compiling import announce_compiling
from aucenv.core.compiled.announcing import announce
from aucenv.core.compiled.cold_start import KernelCall, Work
from aucenv.runs import loop


@pytest.mark.parametrize(
    ("cached", "line"),
    [
        (True, "compiling english for 3 seats: first run only, about 2 s\n"),
        (
            False,
            "compiling english for 3 seats: about 2 s in each run, unless NUMBA_CACHE_DIR is a writable folder\n",
        ),
    ],
)
def test_kernels_are_announced_on_stderr(capsys, cached, line):
    with announce_compiling():
        announce("english for 3 seats", 1.7, cached)
    announce("harbor for 4 seats", 5.0, cached)
    assert capsys.readouterr() == ("", line)


def test_a_run_reports_that_it_waits_for_kernels(monkeypatch):
    work = [Work("these games", (KernelCall("aucenv.core.kernel:draw", (0, 0, 0, 0, 0)),))]
    compiled = []
    monkeypatch.setattr(loop, "missing_kernels", lambda parts: work)
    monkeypatch.setattr(loop, "compile_kernels", compiled.append)
    statuses = []
    settings = leaderboard.Settings(bidders=("rule", "value", "pace"), games=3)
    leaderboard.run(settings, on_game=lambda done, total, status: statuses.append((done, total, status)))
    assert compiled == [work]
    assert statuses[:2] == [(0, 3, "compiling kernels"), (0, 3, "")]
    assert statuses[-1] == (3, 3, "")
