"""Make numba's disk cache of kernels detect changes of all sources, and safe for several processes."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4


def packages_of(function: Any) -> frozenset[str]:
    """Return the packages outside aucenv whose kernels a function is or calls; theirs, too, determine its code.

    Returns:
        The folders of packages, and the files of modules that are in no package.
    """
    function = getattr(function, "py_func", function)
    known: frozenset[str] | None = getattr(function, "__packages__", None)
    if known is None:
        called = [function.__globals__.get(name) for name in function.__code__.co_names]
        kernels = [each for each in called if hasattr(each, "py_func") or hasattr(each, "__packages__")]
        function.__packages__ = frozenset()  # kernels may call each other
        known = _package_of(function).union(*(packages_of(each) for each in kernels if each is not function))
        function.__packages__ = known
    return known


def _package_of(function: Any) -> frozenset[str]:
    """Return the package that defines a function; nothing for aucenv."""
    names, file = function.__module__.split("."), Path(function.__code__.co_filename)
    if names[0] == "aucenv":
        return frozenset()
    return frozenset({str(file if len(names) == 1 else file.parents[len(names) - 2])})


def identity_of(function: Any) -> str:
    """Return what distinguishes a kernel from others: the name of a function, and what a template is bound to."""
    function = getattr(function, "py_func", function)
    return getattr(function, "__identity__", f"{function.__module__}.{function.__qualname__}")


def bound_identity(function: Any, kernels: Mapping[str, Any]) -> str:
    """Return the identity of a template that is bound to kernels."""
    identities = sorted((name, identity_of(each)) for name, each in kernels.items())
    return hashlib.sha256(repr((identity_of(function), identities)).encode()).hexdigest()


def enable_cache(compiled: Any, packages: frozenset[str]) -> None:
    """Give a compiled kernel numba's disk cache, which then detects changes in other files and is safe for processes.

    numba checks only the file of a kernel, not the files of the kernels that it calls, and not which kernels a template
    is bound to. It also numbers its data files: processes that compile simultaneously may give two functions the same
    number, and run each other's code.

    Raises:
        RuntimeError: No folder for the cache can be written.
    """
    try:
        cache = _cache_class(is_installed(compiled.py_func.__code__.co_filename))(compiled.py_func)
        file = cache._cache_file
        file._source_stamp = (file._source_stamp, source_digest(packages), identity_of(compiled))
        stem = file._data_name(0).removesuffix("0.nbc")
        file._data_name = lambda number: f"{stem}{uuid4().hex}.nbc"
        compiled._cache = cache
    except (AttributeError, ImportError):  # another cache layout of numba, which a test detects
        compiled.enable_caching()


def is_installed(file: str) -> bool:
    """Return whether a file belongs to a package that pip has installed, and not to a checkout."""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


@lru_cache
def _cache_class(installed: bool) -> Any:
    """Return the class of caches, which prefers the user's cache folder for the kernels of an installed package.

    numba's default is a folder beside the sources, which pip does not remove with the package. The rest of the package
    could then still be imported, as a namespace package without contents.
    """
    from numba.core.caching import CompileResultCacheImpl, FunctionCache

    locators = CompileResultCacheImpl._locator_classes  # the folder that NUMBA_CACHE_DIR names is the first one
    if installed:
        locators = sorted(locators, key=lambda locator: "InTree" in locator.__name__)
    implementation = type("KernelCacheImpl", (CompileResultCacheImpl,), {"_locator_classes": locators})

    def save_overload(self: Any, *arguments: Any) -> None:
        with contextlib.suppress(OSError):  # such as a full disk: the next process compiles again
            FunctionCache.save_overload(self, *arguments)

    return type("KernelCache", (FunctionCache,), {"_impl_class": implementation, "save_overload": save_overload})


def make_symbols_unique() -> None:
    """Make the symbols that this process compiles differ from those of every other process.

    numba names a compiled function after counters of functions and types, which start from 0 in each process. One
    kernel compiled for two games in two processes may therefore get the same name twice, and a third process that loads
    both from the disk cache runs the code of one game on the states of the other.
    """
    from numba.core.bytecode import FunctionIdentity

    FunctionIdentity._unique_ids = count(uuid4().int >> 64 << 20)


@lru_cache
def source_digest(packages: frozenset[str]) -> str:
    """Return a digest of the paths, times and sizes of all source files of aucenv and of packages with kernels."""
    package = Path(__file__).parents[2]
    folders = [package, package.parent / "baselines"]  # the second exists if the package is installed editable
    files = [Path(each) for each in packages if not Path(each).is_dir()]
    folders += [Path(each) for each in packages if Path(each).is_dir()]
    states = []
    for path in sorted([*files, *(path for folder in folders for path in folder.rglob("*.py"))]):
        if path.is_file():  # editors leave lock files that are dangling links
            stat = path.stat()
            states.append((str(path), stat.st_mtime_ns, stat.st_size))
    return hashlib.sha256(repr(states).encode()).hexdigest()
