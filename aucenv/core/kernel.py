"""Compiled functions, and counter-based random numbers.

A kernel is ordinary Python restricted to what numba compiles. Without numba, the same function runs uncompiled, with
the same results but slower. Integers stay below 2**63, so that numba's machine integers agree with Python's.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from aucenv.core.checks import whole_number
from aucenv.core.compiled.kernel_cache import bound_identity, enable_cache, make_symbols_unique, packages_of
from aucenv.core.extras import missing_extra
from aucenv.core.notices import Notice

try:
    import numba

    from aucenv.core.compiled.linked_code import LinkedCode
except ImportError:
    numba = None  # type: ignore[assignment]  # numba is optional

COMPILES = numba is not None
"""Whether kernels are compiled."""

F = TypeVar("F", bound=Callable)

Seed = int | Sequence[int]
Compiler = Callable[[Callable], Callable]

_MASK32 = 0xFFFFFFFF


def kernel(function: F) -> F:
    """Compile `function` with numba and cache the result on disk; without numba, return it unchanged."""
    return _compile(function)


def inlined(function: F) -> F:
    """Compile a kernel that runs in every round: it is inlined into its callers and cannot allocate arrays.

    Calls between kernels unpack arrays into scalars, and views of arrays are reference-counted; both take longer than
    most rules do. numba refuses to compile a function that creates an array. Division by 0 is not checked.
    """
    return _compile(function, forceinline=True, _nrt=False, error_model="numpy")


def called(function: F) -> F:
    """Compile a kernel as `inlined` does, but as a function of its own: a large one takes long to compile inline."""
    return _compile(function, _nrt=False, error_model="numpy")


def allocating(function: F) -> F:
    """Compile a kernel that creates arrays and may be called by kernels that do not, such as `inlined` ones."""
    return _compile(function, _nrt=True)


def is_kernel(function: Any) -> bool:
    """Return whether a function is a kernel, compiled or not."""
    return getattr(function, "py_func", function) in _KERNELS


_KERNELS: set[Callable] = set()


def _compile(function: F, **options: Any) -> F:
    _KERNELS.add(function)
    if numba is None:
        return function
    options = {"nogil": True, "no_cfunc_wrapper": True, **options}
    compiled = numba.njit(**options)(function)
    if compiled is not function:  # NUMBA_DISABLE_JIT
        with suppress(RuntimeError):  # no writable folder for the cache, so every process compiles
            enable_cache(compiled, packages_of(function))
        LinkedCode(compiled).replace_calls()
    return compiled


if numba is not None:
    make_symbols_unique()
    os.register_at_fork(after_in_child=make_symbols_unique)


def template(function: F) -> F:
    """Mark a function as a template, which `bind` compiles for each game.

    A template calls the kernels of the game and other templates by name.
    """
    assert isinstance(function, FunctionType)
    _TEMPLATES.add(function)
    return function


def bind(function: Callable, prefix: str, compiler: Compiler = kernel, /, **kernels: Any) -> Callable:
    """Compile a template, with kernels in place of the global names that it calls.

    The kernels are globals because numba's disk cache cannot store a closure over kernels, or a function that takes
    kernels as arguments.

    Args:
        function: The template.
        prefix: The name of the compiled function is PREFIX_TEMPLATE, after the names of other packages whose kernels it
            calls; it must be unique, as it names the cache files.
        compiler: `kernel`, `inlined`, `called` or `allocating`.
        kernels: A kernel for each name in the template that is `unbound` in its module or is a template itself, and
            for no other name.
    """
    assert isinstance(function, FunctionType)
    placeholders = {name for name in function.__code__.co_names if _is_placeholder(function.__globals__.get(name))}
    packages = frozenset().union(*map(packages_of, kernels.values()))
    name = "_".join([*sorted(Path(each).stem for each in packages), prefix, function.__name__])
    assert placeholders == set(kernels), f"{name}: expected kernels for {sorted(placeholders)}, got {sorted(kernels)}"
    bound = FunctionType(function.__code__, {**function.__globals__, **kernels}, name)
    bound.__qualname__ = name
    bound.__module__ = function.__module__
    bound.__doc__ = function.__doc__
    bound.__packages__ = packages  # type: ignore[attr-defined]
    bound.__identity__ = bound_identity(function, kernels)  # type: ignore[attr-defined]
    return compiler(bound)


def prefix_of(module: str) -> str:
    """Return the prefix of the kernels of the game that a module declares."""
    return module.removesuffix(".game").rpartition(".")[2]


def unbound(*args: Any) -> Any:
    """Stand in for a kernel in a template that is not bound; always raise."""
    raise TypeError("a template must be bound to a game's kernels first: see aucenv.core.kernel.bind")


_TEMPLATES: set[FunctionType] = {cast(FunctionType, unbound)}


def _is_placeholder(value: Any) -> bool:
    return isinstance(value, FunctionType) and value in _TEMPLATES


def game_key(seed: Seed | None) -> int:
    """Return the 63-bit key of the game with this seed, which is half the first word of `SeedSequence(seed)`.

    Without a seed, the key is random.
    """
    if seed is None or numba is None:
        return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> np.uint64(1))
    return int(sequence_key(seed_words(seed)[:-1]))


@lru_cache
def warn_if_slow() -> None:
    """Warn once if numba is not installed, because aucenv is much slower without it."""
    if numba is None:
        hint = missing_extra("games are played uncompiled, over 100 times slower; compiling them", "fast")
        warnings.warn(Notice(str(hint)), stacklevel=3)


def read_seed(seed: Seed) -> list[int]:
    """Return a seed as a list of ints.

    Raises:
        ValueError: The seed is not a non-negative whole number or a list of such numbers.
    """
    return [whole_number("seed", part, 0) for part in (seed if isinstance(seed, (list, tuple)) else [seed])]


def seed_words(seed: Seed) -> np.ndarray:
    """Return a seed's 32-bit words as `SeedSequence` reads them, int64, followed by a 0 for the number of a game.

    Raises:
        ValueError: The seed is not a non-negative whole number or a list of such numbers.
    """
    numbers = read_seed(seed)
    words = [number >> shift & _MASK32 for number in numbers for shift in range(0, max(number.bit_length(), 1), 32)]
    return np.array([*words, 0], np.int64)


_IN, _OUT = 0x931E8875, 0x58F38DED  # SeedSequence's multipliers for input and output words


@kernel
def sequence_key(words):
    """Return the same as `game_key`, compiled.

    This is numpy's SeedSequence on 32-bit words (O'Neill, "Developing a seed_seq alternative", 2015).

    Args:
        words: (any,) int64, as `seed_words` returns them.
    """
    factor = 0x43B0D7E5
    a, factor = _hash_word(_word(words, 0), factor, _IN)  # four numbers, because arrays take long to compile
    b, factor = _hash_word(_word(words, 1), factor, _IN)
    c, factor = _hash_word(_word(words, 2), factor, _IN)
    d, factor = _hash_word(_word(words, 3), factor, _IN)
    b, c, d, factor = _mix_into(a, b, c, d, factor)
    a, c, d, factor = _mix_into(b, a, c, d, factor)
    a, b, d, factor = _mix_into(c, a, b, d, factor)
    a, b, c, factor = _mix_into(d, a, b, c, factor)
    for source in range(4, len(words)):
        word = int(words[source])
        a, b, c, factor = _mix_into(word, a, b, c, factor)
        mixed, factor = _hash_word(word, factor, _IN)
        d = _mix_words(d, mixed)
    low, factor = _hash_word(a, 0x8B51F9DD, _OUT)
    high, factor = _hash_word(b, factor, _OUT)
    return high << 31 | low >> 1


@kernel
def _word(words, i):
    return int(words[i]) if i < len(words) else 0


@kernel
def _mix_into(source, x, y, z, factor):
    """Mix the hash of a word into three words of the pool; return them and the next factor."""
    mixed, factor = _hash_word(source, factor, _IN)
    x = _mix_words(x, mixed)
    mixed, factor = _hash_word(source, factor, _IN)
    y = _mix_words(y, mixed)
    mixed, factor = _hash_word(source, factor, _IN)
    return x, y, _mix_words(z, mixed), factor


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
    """Return a uniform random number from 0 to 2**32 - 1, a function of the arguments.

    Args:
        key: The key of the game or of a seat.
        purpose: The use of the number (a tie, an estimate); numbers of different purposes are independent.
        item, round_, seat: The item, the round and the seat of the number; non-negative.
    """
    h = _scramble((key ^ (item * 0x9E3779B1)) & _MASK32)
    h = _scramble(h ^ (((key >> 32) + round_ * 0x85EBCA77) & _MASK32))
    return _scramble(h ^ ((seat * 0x27D4EB2F + purpose * 0x165667B1) & _MASK32))


@kernel
def draw_below(limit, key, purpose, item, round_, seat):
    """Return a uniform random number from 0 to `limit` - 1, a function of the arguments.

    Args:
        limit: The number of possible values, at most 2**31.
        key, purpose, item, round_, seat: As in `draw`.
    """
    return (draw(key, purpose, item, round_, seat) * limit) >> 32


@inlined
def subkey(key, purpose, seat):
    """Return a 63-bit key for `seat`, from which the key of the game cannot be inferred.

    It is a Feistel network over the two halves with feed-forward, which can only be inverted by trying all keys.
    """
    low = key & _MASK32
    high = key >> 32
    a = low
    b = high
    for step in range(8):
        h = _scramble((b + step * 0x9E3779B1 + seat * 0x27D4EB2F) & _MASK32)
        a, b = b, a ^ _scramble(h ^ ((b ^ (purpose * 0x165667B1)) & _MASK32))
    return ((b ^ high) & 0x7FFFFFFF) << 32 | (a ^ low)
