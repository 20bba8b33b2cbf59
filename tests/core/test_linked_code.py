"""Kernels that kernels call are compiled once for each combination of types and options, and not for Python."""

from __future__ import annotations

import pytest

from aucenv.core.kernel import inlined, kernel


@kernel
def scaled(x, factor):
    return x * factor


@kernel
def halved(x):
    return scaled(x, 0.5)


@kernel
def ratio(x, y):
    return x / y


@inlined
def unchecked_ratio(x, y):
    return ratio(x, y)


@kernel
def checked_ratio(x, y):
    return ratio(x, y)


@kernel
def sum_of_scaled(x):
    return scaled(x, 2) + scaled(x, 3) + scaled(x, 4)


def test_a_called_kernel_has_no_machine_code_until_python_calls_it():
    assert sum_of_scaled(10) == 90
    assert list(sum_of_scaled.overloads)
    assert not scaled.overloads
    assert scaled(10, 2) == 20
    assert len(scaled.overloads) == 1


def signatures(compiled) -> set:
    linked = compiled.get_call_template.__self__
    return {(key, types) for key, by_types in linked._signatures.items() for types in by_types}


def test_a_kernel_is_not_compiled_again_for_each_constant():
    sum_of_scaled(10)
    sum_of_scaled.recompile()  # if it was loaded from a cache, nothing was compiled
    before = signatures(scaled)
    assert halved(9) == 4.5
    assert len(signatures(scaled) - before) <= 1  # for a float
    assert sum(str(types) == "(int64, int64)" for _, types in signatures(scaled)) == 1


def test_a_kernel_takes_its_options_from_its_caller_in_any_order():
    """numba compiles a kernel once, with the options of its first caller."""
    assert unchecked_ratio(1.0, 0.0) == float("inf")
    with pytest.raises(ZeroDivisionError):
        checked_ratio(1.0, 0.0)
