"""Memory fetched before it is needed: rows of a batch are large, and wait for it most of the time otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import numba
except ImportError:
    numba = None  # type: ignore[assignment]  # as in core.kernel


def _nothing(address: int, size: int) -> None:
    """Nothing to be done where nothing is compiled."""


def _compiled() -> Callable[[int, int], None]:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    def of_line(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            to_write, into_every_cache, data = number(1), number(3), number(1)
            builder.call(function, [pointer, to_write, into_every_cache, data])
            return context.get_dummy_value()

        return types.void(types.intp), generate

    prefetch_line: Any = intrinsic(of_line)

    def prefetch(address: int, size: int) -> None:
        for line in range(0, size, 64):
            prefetch_line(address + line)

    return numba.njit(nogil=True)(prefetch)


_plain = numba is None or getattr(numba, "config").DISABLE_JIT  # noqa: B009  (numba's stubs lack it)
prefetch = _nothing if _plain else _compiled()
"""`prefetch(address, size)`: have `size` bytes fetched into the cache, without waiting for them."""
