"""Compile kernels that other kernels call, without the parts that only calls from Python need.

numba compiles every function for calls from Python: wrappers that convert the arguments, optimized machine code, and an
entry in the disk cache. Most kernels are called by kernels only. These get their code as LLVM instructions that are
linked into the callers, and optimized there.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from numba.core import compiler, types
from numba.core.codegen import CPUCodeLibrary
from numba.core.typing.templates import make_concrete_template


class LinkedCode:
    """The code of one kernel for its callers, for each combination of argument types.

    Args:
        dispatcher: numba's dispatcher of the kernel, which compiles it for calls from Python.
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        self._signatures: dict[tuple, dict[tuple, Any]] = defaultdict(dict)

    def replace_calls(self) -> None:
        """Let the compiler use this code where a kernel calls the kernel of the dispatcher."""
        self._dispatcher.get_call_template = self.get_call_template
        self._dispatcher.get_overload = self.get_overload

    def get_call_template(self, args: tuple, kws: dict) -> tuple:
        """Compile the kernel for these argument types, and return what `Dispatcher.get_call_template` returns.

        Constants are passed as ordinary numbers, because numba would compile the kernel again for each constant.
        """
        signature, folded = self._dispatcher._compiler.fold_argument_types(args, kws)
        plain = tuple(map(types.unliteral, folded))
        flags = self._flags()
        key = self._key(flags)
        if plain not in self._signatures[key]:
            with self._dispatcher._compiling_counter:
                self._signatures[key][plain] = self._compile(plain, flags)
        name = self._dispatcher.py_func.__name__
        template = make_concrete_template(f"CallTemplate({name})", name, list(self._signatures[key].values()))
        return template, signature, plain, {}

    def get_overload(self, signature: Any) -> Any:
        """Return the key under which the code for a signature is registered."""
        args = signature if isinstance(signature, tuple) else signature.args
        return self, args, self._key(self._flags())

    def _flags(self) -> Any:
        """Return the options of the kernel; those that it does not state are those of its caller."""
        flags: Any = compiler.Flags()
        self._dispatcher.targetdescr.options.parse_as_flags(flags, self._dispatcher.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags

    @staticmethod
    def _key(flags: Any) -> tuple:
        return flags.forceinline, flags.nrt, flags.error_model

    def _compile(self, args: tuple, flags: Any) -> Any:
        target = self._dispatcher.targetdescr
        function = self._dispatcher.py_func
        library = _LinkedLibrary(target.target_context.codegen(), function.__qualname__)
        result = compiler.compile_extra(
            target.typing_context, target.target_context, function, args, None, flags, {}, library
        )
        target.target_context.insert_user_function((self, args, self._key(flags)), result.fndesc, [result.library])
        return result.signature


class _LinkedLibrary(CPUCodeLibrary):
    """Code that is linked into other libraries, but not turned into machine code on its own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True
