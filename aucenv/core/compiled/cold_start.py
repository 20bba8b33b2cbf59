"""Compile the kernels of a run before it starts: at the first run, which fills the disk cache, in two processes.

numba compiles under one lock, so that a second thread would gain nothing. A second process compiles its share into the
disk cache, from which this process then loads it. Two processes that compile the same kernel at once may lose one of
its entries in the cache, so each kernel belongs to one share.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dis import get_instructions
from functools import lru_cache
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from aucenv.core.compiled.announcing import announce, announced, is_announced
from aucenv.core.kernel import COMPILES, draw
from aucenv.core.state import SMALL_TABLE

TYPING_SECONDS, OPTIMIZING_SECONDS = 1.6e-4, 5.8e-5
"""Time to type, and to optimize, a byte of bytecode on one core of the machine of docs/speed.md."""
STARTUP = 0.7
"""Seconds in which a second process imports what it needs."""
WORTH_SECONDS = 1.5
"""A second process is started if its share takes at least this long to compile."""
LONG_SECONDS = 0.8
"""A single kernel is announced if it takes at least this long to compile."""


@dataclasses.dataclass(frozen=True)
class KernelCall:
    """A kernel, with arguments of the types with which a run calls it.

    Attributes:
        path: Where another process finds the kernel: "MODULE:NAME".
        args: The arguments; only their types matter.
    """

    path: str
    args: tuple = dataclasses.field(repr=False)

    @property
    def kernel(self) -> Any:
        """The kernel."""
        return resolve_name(self.path)

    @property
    def types(self) -> tuple:
        """The types of the arguments, as numba names them."""
        return tuple(map(self.kernel.typeof_pyval, self.args))

    def compile(self) -> None:
        """Compile the kernel, or load it from the disk cache."""
        self.kernel.compile(self.types)


@dataclasses.dataclass(frozen=True)
class Work:
    """Kernels that are compiled together, because they call the same kernels.

    Attributes:
        name: What they are for, such as "english for 3 seats"; "" = part of other work.
        calls: The calls.
    """

    name: str
    calls: tuple[KernelCall, ...]

    def missing(self) -> Work:
        """Return the part of the work that is not done yet."""
        return Work(self.name, tuple(call for call in self.calls if not _is_compiled(call)))

    def seconds(self) -> float:
        """Return about how long the work takes on one core."""
        return _estimate(call.kernel for call in self.calls)


def _is_compiled(call: KernelCall) -> bool:
    """Return whether this process or the disk cache has the code of a call. Without numba, nothing is compiled."""
    try:
        kernel = call.kernel
    except (ImportError, AttributeError, ValueError):  # it has no name by which it is found: compiled when it is called
        return True
    if not hasattr(kernel, "overloads") or call.types in kernel.overloads:
        return True
    try:
        file = kernel._cache._cache_file
        name = file._load_index().get(kernel._cache._index_key(call.types, kernel.targetctx.codegen()))
        return name is not None and Path(file._data_path(name)).exists()
    except (AttributeError, OSError):  # no cache
        return False


def _estimate(kernels: Iterable[Any]) -> float:
    """Return about how many seconds it takes to compile kernels, with all kernels that they call.

    A kernel is typed once, but optimized at each call, because most are inlined there.
    """
    roots = list(kernels)
    functions = dict.fromkeys(roots)
    waiting = list(roots)
    while waiting:
        for callee in _callees(waiting.pop()):
            if callee not in functions:
                functions[callee] = None
                waiting.append(callee)
    return TYPING_SECONDS * sum(map(_size, functions)) + OPTIMIZING_SECONDS * sum(map(_inlined_size, roots))


def _size(kernel: Any) -> int:
    return len(kernel.py_func.__code__.co_code)


@lru_cache(None)
def _inlined_size(kernel: Any) -> int:
    return _size(kernel) + sum(_inlined_size(callee) for callee in _callees(kernel) if callee is not kernel)


@lru_cache(None)
def _callees(kernel: Any) -> list[Any]:
    """Return the kernels that a kernel calls, by name or as MODULE.NAME, once for each call."""
    callees = []
    value = None
    for instruction in get_instructions(kernel.py_func):
        if instruction.opname == "LOAD_GLOBAL":
            value = kernel.py_func.__globals__.get(instruction.argval)
        else:
            value = getattr(value, str(instruction.argval), None) if isinstance(value, ModuleType) else None
        if hasattr(value, "py_func"):
            callees.append(value)
    return callees


def _announce_kernel(kernel: Any, types: tuple) -> None:
    """Announce a kernel that is compiled when it is first called, without `compile_kernels`."""
    if is_announced() and kernel.py_func.__module__.startswith("aucenv."):
        seconds = _estimate([kernel])
        if seconds >= LONG_SECONDS:
            announce(f"{kernel.py_func.__name__}{_seats_in(types)}", seconds, _has_cache(kernel))


def _seats_in(types: tuple) -> str:
    """Return " for N seats", if an argument is a state, which has room for N seats."""
    for argument in types:
        fields = getattr(getattr(argument, "dtype", None), "fields", {})
        if "acting" in fields:
            room = fields["acting"].type.shape[0]
            return f" for {room if room <= SMALL_TABLE else f'up to {room}'} seats"
    return ""


def missing_kernels(work: Iterable[Work]) -> list[Work]:
    """Return what is neither in memory nor in the disk cache."""
    return [] if not COMPILES else [part for part in map(Work.missing, work) if part.calls]


def kernel_folder() -> Path | None:
    """Return the folder of this process's disk cache of the kernels in `core`; None if it has no disk cache."""
    folder = getattr(getattr(draw, "_cache", None), "cache_path", None)
    return Path(folder) if folder else None


def compile_kernels(work: Iterable[Work]) -> None:
    """Compile what is missing in memory and in the disk cache, in two processes if that is faster."""
    missing = _disjoint(missing_kernels(work))
    if not missing:
        return
    here, there = _shares(missing)
    kernels = [call.kernel for part in missing for call in part.calls]
    names = dict.fromkeys(part.name for part in missing if part.name)
    seconds = max(_seconds(here), _seconds(there) + STARTUP * bool(there))
    announce(" and ".join(names) or "ratings", seconds, all(map(_has_cache, kernels)))
    with announced(None), _second_process(there):
        for call in _calls(here):
            call.compile()
    for call in _calls(there):
        call.compile()  # loads it; if the second process has failed, compiles it


def _disjoint(work: Iterable[Work]) -> list[Work]:
    """Join the parts that compile the same kernel, if only for other types, because its cache has one index."""
    groups: list[Work] = []
    for part in work:
        paths = {call.path for call in part.calls}
        others = [group for group in groups if paths.isdisjoint(call.path for call in group.calls)]
        same = [group for group in groups if not any(group is other for other in others)]
        names = dict.fromkeys(group.name for group in (*same, part) if group.name)
        calls = {(call.path, call.types): call for group in (*same, part) for call in group.calls}
        groups = [*others, Work(" and ".join(names), tuple(calls.values()))]
    return groups


def _calls(work: Iterable[Work]) -> Iterator[KernelCall]:
    return (call for part in work for call in part.calls)


def _has_cache(kernel: Any) -> bool:
    return hasattr(kernel._cache, "_cache_file")


def _seconds(work: Sequence[Work]) -> float:
    return sum(part.seconds() for part in work)


def _shares(work: Sequence[Work]) -> tuple[list[Work], list[Work]]:
    """Divide work between this process and a second one: the longest part first, to the one that is done earlier."""
    here: list[Work] = []
    there: list[Work] = []
    for part in sorted(work, key=lambda part: -part.seconds()):
        (here if _seconds(here) <= _seconds(there) + STARTUP else there).append(part)
    if _seconds(there) < WORTH_SECONDS or not _can_share(there):
        return list(work), []
    return here, there


def _can_share(work: Sequence[Work]) -> bool:
    """Return whether there is a second core, and a disk cache by which a process can pass on its code."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores > 1 and all(_has_cache(call.kernel) for call in _calls(work))


@contextlib.contextmanager
def _second_process(work: Sequence[Work]) -> Iterator[None]:
    """Compile work in a second process, and wait for it at the end of the context; if it fails, go on without it.

    The process ends with this one: its standard input is a pipe, which closes even if this process is killed. It is
    not started by multiprocessing, which would import the main module of a script.
    """
    process = _start(work) if work else None
    try:
        yield
        if process is not None:
            process.wait()
    finally:
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()


def _start(work: Sequence[Work]) -> subprocess.Popen | None:
    if not sys.executable:  # Python is embedded in another program
        return None
    code = f"import sys; sys.path[:] = {sys.path!r}; from aucenv.core.compiled.cold_start import serve; serve()"
    orders = [(call.path, call.types) for call in _calls(work)]
    command = [sys.executable, "-c", code]
    silent = subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=silent, stderr=silent)  # noqa: S603
    except OSError:
        return None
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it has ended already
        pickle.dump(orders, process.stdin)
        process.stdin.flush()
    return process


def serve() -> None:
    """Compile the kernels that standard input names, as the second process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the first process, which stops this one
    orders = pickle.load(sys.stdin.buffer)  # noqa: S301  # from the first process
    threading.Thread(target=_end_with_input, daemon=True).start()
    for path, types in orders:
        resolve_name(path).compile(types)


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if COMPILES:
    from aucenv.core.compiled.compile_events import call_on_compile

    call_on_compile(_announce_kernel)
