"""Compiled functions, and chance without streams.

A kernel is ordinary Python restricted to what numba compiles. Where numba is not installed the same
function runs as it is: same results, slower. Integers stay below 2**63 throughout, so that numba's
machine integers and Python's agree.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast
from uuid import uuid4

import numpy as np

from aucenv.core.checks import whole_number

try:
    import numba
    from numba.core.bytecode import FunctionIdentity
except ImportError:
    numba = None  # type: ignore[assignment]  # everything works without, slowly

F = TypeVar("F", bound=Callable)

Seed = int | Sequence[int]
Compiler = Callable[[Callable], Callable]

_MASK32 = 0xFFFFFFFF


def kernel(function: F) -> F:
    """Compile `function` with numba and cache the result on disk; without numba, return it unchanged."""
    return _compile(function)


def inlined(function: F) -> F:
    """A kernel for what every round does: copied into the kernels that call it, and unable to allocate.

    Calls between kernels hand arrays over number by number, and views of arrays are counted: both take longer than most
    rules. numba refuses to compile it where it makes an array. Nothing asks whether a divisor is 0.
    """
    return _compile(function, forceinline=True, _nrt=False, error_model="numpy")


def _compile(function: F, **options: Any) -> F:
    if numba is None:
        return function
    try:
        compiled = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no writable place for the cache: compile in every process instead
        return numba.njit(nogil=True, **options)(function)
    _guard_cache(compiled)
    return compiled


def _guard_cache(compiled: Any) -> None:
    """Make numba's disk cache notice changes in other files, and safe for several processes.

    numba looks at a kernel's own file only, not at those of the kernels it calls. And it numbers its data files:
    processes that compile at the same moment may give two functions the same one, and run each other's code.
    """
    try:
        file = compiled._cache._cache_file
        file._source_stamp = (file._source_stamp, _sources())
        stem = file._data_name(0).removesuffix("0.nbc")
        file._data_name = lambda number: f"{stem}{uuid4().hex}.nbc"
    except AttributeError:  # NUMBA_DISABLE_JIT, or a numba that keeps its cache otherwise; a test tells
        pass


def _own_symbols() -> None:
    """Make the symbols that this process compiles differ from those of every other process.

    numba names a compiled function after counters that start again in each process: of its functions and of the types
    that it has met. So one kernel, compiled for two games in two processes, may get one name, and a third process that
    loads both from the disk cache runs one game's code on the other's states.
    """
    FunctionIdentity._unique_ids = count(uuid4().int >> 64 << 20)


if numba is not None:
    _own_symbols()
    os.register_at_fork(after_in_child=_own_symbols)


@lru_cache
def _sources() -> str:
    """A digest of the state of all source files that may hold kernels."""
    package = Path(__file__).parents[1]
    rooms = (package, package.parent / "baselines")  # the second where the package is installed editable
    states = []
    for path in sorted(path for room in rooms for path in room.rglob("*.py")):
        if path.is_file():  # not a lock that an editor left as a dangling link
            stat = path.stat()
            states.append((str(path), stat.st_mtime_ns, stat.st_size))
    return hashlib.sha256(repr(states).encode()).hexdigest()


def template(function: F) -> F:
    """Mark a function that `bind` compiles for each game. It calls the game's kernels and other templates by name."""
    assert isinstance(function, FunctionType)
    _TEMPLATES.add(function)
    return function


def bind(function: Callable, prefix: str, compiler: Compiler = kernel, /, **kernels: Any) -> Callable:
    """Compile a template with kernels in place of the global names that it calls.

    numba never finds a closure over kernels, or a function that takes kernels as arguments, in its disk cache; it does
    find a function whose globals name them.

    Args:
        function: the template.
        prefix: the compiled function is called PREFIX_TEMPLATE, which must be unique: the cache files carry that name.
        compiler: `kernel` or `inlined`.
        kernels: for exactly the names in the template that are `unbound` in its module or are templates themselves.
    """
    assert isinstance(function, FunctionType)
    placeholders = {used for used in function.__code__.co_names if _is_placeholder(function.__globals__.get(used))}
    name = f"{prefix}_{function.__name__}"
    assert placeholders == set(kernels), f"{name}: expected kernels for {sorted(placeholders)}, got {sorted(kernels)}"
    bound = FunctionType(function.__code__, {**function.__globals__, **kernels}, name)
    bound.__qualname__ = name
    bound.__module__ = function.__module__
    bound.__doc__ = function.__doc__
    return compiler(bound)


def unbound(*args: Any) -> Any:
    """Placeholder for a kernel in a template that is not bound yet."""
    raise TypeError("a template must be bound to a game's kernels first: see aucenv.core.kernel.bind")


_TEMPLATES: set[FunctionType] = {cast(FunctionType, unbound)}


def _is_placeholder(value: Any) -> bool:
    return isinstance(value, FunctionType) and value in _TEMPLATES


def game_key(seed: Seed | None) -> int:
    """The 63-bit key of the game with this seed: `SeedSequence(seed)`'s first word, halved; None: by chance."""
    if seed is None or numba is None:
        return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> np.uint64(1))
    return int(sequence_key(seed_words(seed)[:-1]))


@lru_cache
def warn_if_slow() -> None:
    """Say once, where numba is not installed, how to make it fast."""
    if numba is None:
        hint = "numba is not installed; with it this is over 100 times faster: pip install 'aucenv[fast]'"
        warnings.warn(hint, stacklevel=3)


def read_seed(seed: Seed) -> list[int]:
    """A seed as plain numbers.

    Raises:
        ValueError: not a whole number from 0, or several.
    """
    return [whole_number("seed", part, 0) for part in (seed if isinstance(seed, (list, tuple)) else [seed])]


def seed_words(seed: Seed) -> np.ndarray:
    """A seed's 32-bit words as `SeedSequence` reads them, int64, with room for the number of one more game.

    Raises:
        ValueError: not a whole number from 0, or several.
    """
    numbers = read_seed(seed)
    words = [number >> shift & _MASK32 for number in numbers for shift in range(0, max(number.bit_length(), 1), 32)]
    return np.array([*words, 0], np.int64)


_IN, _OUT = 0x931E8875, 0x58F38DED  # SeedSequence's multipliers, mixing words in and giving words out


@kernel
def sequence_key(words):
    """`game_key`, compiled: numpy's SeedSequence on 32-bit words (O'Neill, "Developing a seed_seq alternative", 2015).

    Args:
        words: (any,) int64, as `seed_words` gives them.
    """
    factor = 0x43B0D7E5
    pool = np.zeros(4, np.int64)
    for i in range(4):
        pool[i], factor = _hash_word(int(words[i]) if i < len(words) else 0, factor, _IN)
    for source in range(4):
        for i in range(4):
            if i != source:
                mixed, factor = _hash_word(int(pool[source]), factor, _IN)
                pool[i] = _mix_words(int(pool[i]), mixed)
    for source in range(4, len(words)):
        for i in range(4):
            mixed, factor = _hash_word(int(words[source]), factor, _IN)
            pool[i] = _mix_words(int(pool[i]), mixed)
    low, factor = _hash_word(int(pool[0]), 0x8B51F9DD, _OUT)
    high, factor = _hash_word(int(pool[1]), factor, _OUT)
    return high << 31 | low >> 1


@kernel
def _hash_word(word, factor, multiplier):
    word ^= factor
    factor = (factor * multiplier) & _MASK32
    word = (word * factor) & _MASK32
    return word ^ (word >> 16), factor


@kernel
def _mix_words(x, y):
    mixed = (0xCA01F9DD * x - 0x4973F715 * y) & _MASK32
    return mixed ^ (mixed >> 16)


@inlined
def _scramble(x):
    # A 32-bit bijection with full avalanche; both factors are below 2**31, so no product overflows.
    x = ((x ^ (x >> 16)) * 0x21F0AAAD) & _MASK32
    x = ((x ^ (x >> 15)) * 0x735A2D97) & _MASK32
    return x ^ (x >> 15)


@kernel
def draw(key, purpose, item, round_, seat):
    """A number uniform on 0..2**32-1 that depends on nothing but its arguments.

    Args:
        key: the game's key, or a seat's.
        purpose: what the number is for (a tie, an estimate); different purposes are independent.
        item, round_, seat: the moment; non-negative.
    """
    h = _scramble((key ^ (item * 0x9E3779B1)) & _MASK32)
    h = _scramble(h ^ (((key >> 32) + round_ * 0x85EBCA77) & _MASK32))
    return _scramble(h ^ ((seat * 0x27D4EB2F + purpose * 0x165667B1) & _MASK32))


@kernel
def draw_below(limit, key, purpose, item, round_, seat):
    """An integer uniform on 0..limit-1, for limits up to 2**31."""
    return (draw(key, purpose, item, round_, seat) * limit) >> 32


@inlined
def subkey(key, purpose, seat):
    """A 63-bit key of its own for `seat`, from which the game's key cannot be told.

    A Feistel network over the two halves, fed forward: undoing it takes trying all keys.
    """
    low = key & _MASK32
    high = key >> 32
    a = low
    b = high
    for turn in range(8):
        h = _scramble((b + turn * 0x9E3779B1 + seat * 0x27D4EB2F) & _MASK32)
        a, b = b, a ^ _scramble(h ^ ((b ^ (purpose * 0x165667B1)) & _MASK32))
    return ((b ^ high) & 0x7FFFFFFF) << 32 | (a ^ low)
