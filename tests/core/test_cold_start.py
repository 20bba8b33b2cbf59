"""Kernels are compiled before a run, in two processes if that is faster; the second process never outlives the first."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from uuid import uuid4

import numpy as np
import pytest

from aucenv.core.compiled import cold_start
from aucenv.core.compiled.announcing import announced
from aucenv.core.compiled.cold_start import KernelCall, Work, compile_kernels, missing_kernels

KERNELS = """
from aucenv.core.kernel import kernel

@kernel
def shared(x):
    return x + 1

@kernel
def first(x):
    return shared(x) * 2

@kernel
def second(x):
    return shared(x) * 3
"""


@pytest.fixture
def work(tmp_path, monkeypatch) -> list[Work]:
    """Two parts of work: the two kernels of a new module, whose disk cache is empty."""
    name = f"kernels_{uuid4().hex}"
    (tmp_path / f"{name}.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(name)
    return [
        Work("this test", (KernelCall(f"{name}:first", (1,)),)),
        Work("", (KernelCall(f"{name}:second", (1,)),)),
    ]


@pytest.fixture
def always_two_processes(monkeypatch) -> None:
    monkeypatch.setattr(cold_start, "WORTH_SECONDS", 0.0)
    monkeypatch.setattr(cold_start, "STARTUP", 0.0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)


def test_kernels_are_missing_until_they_are_compiled(work):
    assert missing_kernels(work) == work
    assert all(part.seconds() > 0 for part in work)
    work[0].calls[0].compile()
    assert missing_kernels(work) == work[1:]
    assert work[0].calls[0].kernel(4) == 10
    compile_kernels(work)
    assert missing_kernels(work) == []


def test_the_code_of_another_process_is_not_missing(work):
    script = f"from aucenv.core.kernel import kernel; import {work[0].calls[0].path.partition(':')[0]} as m; m.first(1)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    assert not work[0].calls[0].kernel.overloads
    assert missing_kernels(work) == work[1:]


def test_no_second_process_is_started_where_it_would_not_help(work, monkeypatch):
    assert cold_start._shares(work) == (work, [])  # little work
    monkeypatch.setattr(cold_start, "WORTH_SECONDS", 0.0)
    monkeypatch.setattr(cold_start, "STARTUP", 0.0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    here, there = cold_start._shares(work)
    assert len(here) == len(there) == 1
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}, raising=False)
    assert cold_start._shares(work) == (work, [])


@pytest.mark.usefixtures("always_two_processes")
def test_without_a_disk_cache_there_is_no_second_process(work, monkeypatch):
    monkeypatch.setattr(cold_start, "_has_cache", lambda kernel: False)
    assert cold_start._shares(work) == (work, [])


@pytest.mark.usefixtures("always_two_processes")
def test_the_second_process_compiles_its_share(work):
    _, there = cold_start._shares(work)
    with cold_start._second_process(there):
        pass
    (call,) = there[0].calls
    assert missing_kernels(there) == []
    assert not call.kernel.overloads
    call.compile()
    assert sum(call.kernel.stats.cache_hits.values()) == 1


@pytest.mark.usefixtures("always_two_processes")
@pytest.mark.parametrize("program", ["/bin/false", "/no/such/program"])
def test_everything_is_compiled_even_if_the_second_process_fails(work, monkeypatch, program):
    monkeypatch.setattr(sys, "executable", program)
    compile_kernels(work)
    assert [call.kernel(4) for part in work for call in part.calls] == [10, 15]


PARENT = """
import time
from aucenv.core.compiled.cold_start import KernelCall, Work, _second_process

with _second_process([Work("", (KernelCall("endless:kernel", ()),))]):
    time.sleep(600)
"""
ENDLESS = """
import os, signal, time
from pathlib import Path

class kernel:
    typeof_pyval = None

    @staticmethod
    def compile(types):
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        Path("pid.new").write_text(f"{os.getpid()} {ignored}")
        os.replace("pid.new", "pid")
        time.sleep(600)
"""
"""A module with a kernel that compiles for ten minutes, in a process that writes its number into the file `pid`."""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_second_process_ends_with_the_first(tmp_path, stop):
    (tmp_path / "endless.py").write_text(ENDLESS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    parent = subprocess.Popen([sys.executable, "-c", PARENT], env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL)

    def wait_until(condition) -> None:
        while not condition():
            time.sleep(0.02)

    def has_ended(number: int) -> bool:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        return False

    try:
        wait_until((tmp_path / "pid").exists)
        number, ignores_interrupt = (tmp_path / "pid").read_text().split()
        assert ignores_interrupt == "True"
        parent.send_signal(stop)
        assert parent.wait() != 0
        wait_until(lambda: has_ended(int(number)))
    finally:
        parent.kill()
        parent.wait()


def test_kernels_are_announced_once_and_only_in_the_context(work):
    announcements = []
    with announced(lambda name, seconds, cached: announcements.append((name, seconds > 0, cached))):
        compile_kernels(work[:1])
        compile_kernels(work[:1])
    compile_kernels(work)
    assert announcements == [("this test", True, True)]


def test_a_long_kernel_is_announced_when_it_is_first_called(work, monkeypatch):
    monkeypatch.setattr(cold_start, "LONG_SECONDS", 0.0)
    kernel = work[0].calls[0].kernel
    monkeypatch.setattr(kernel.py_func, "__module__", "aucenv.tests")
    announcements = []
    with announced(lambda name, seconds, cached: announcements.append((name, cached))):
        kernel(1)
        kernel(2)
    assert announcements == [("first", True)]


def test_nothing_is_missing_if_nothing_is_compiled():
    script = (
        "from aucenv.core.compiled.cold_start import *\n"
        "print(missing_kernels([Work('', (KernelCall('aucenv.core.kernel:draw', (0, 0, 0, 0, 0)),))]))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_parts_with_the_same_kernel_are_joined():
    calls = [KernelCall("aucenv.core.kernel:draw", (0, 0, 0, 0, number)) for number in (0, 0.5)]
    other = KernelCall("aucenv.core.kernel:sequence_key", (np.zeros(1, np.int64),))
    parts = [Work("a", (calls[0],)), Work("", (other,)), Work("b", (calls[1], calls[0]))]
    joined = cold_start._disjoint(parts)
    assert [part.name for part in joined] == ["", "a and b"]
    assert [len(part.calls) for part in joined] == [1, 2]
