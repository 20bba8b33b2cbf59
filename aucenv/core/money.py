"""Dollars at the edges, whole cents inside."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aucenv.core.checks import REAL
from aucenv.core.kernel import kernel

MAX_DOLLARS = 1_000_000_000
"""The largest amount: with it, every product in the rules stays inside int64."""


@kernel
def cents_of(dollars):
    """Finite dollars as cents, half a cent up. The decimal digits count: 1.005 is 101 cents, as a person reads it."""
    cents = math.floor(dollars * 100.0)
    half = (2 * cents + 1) / 200.0  # the float that is written with just that half
    return int(cents + 1) if dollars >= half else int(cents)


@kernel
def cents_of_share(cents, share):
    """A share of an amount, to the nearest cent, half a cent up."""
    return int(math.floor(cents * share + 0.5))  # noqa: RUF046  (a float where it is compiled)


def to_cents(dollars: float) -> int:
    """Dollars as cents; see `cents_of`.

    Raises:
        ValueError: not finite.
    """
    if not math.isfinite(dollars):
        raise ValueError(f"expected a finite number of dollars, got {dollars!r}")
    if isinstance(dollars, int) or dollars.is_integer():
        return int(dollars) * 100
    return cents_of(float(dollars))


def to_dollars(cents: int) -> int | float:
    """Cents as dollars: an int where they are whole, so that records stay short and exact."""
    return cents / 100 if cents % 100 else cents // 100


CURRENCIES = {"dollar": "$", "euro": "\u20ac", "ruble": "\u20bd", "rupee": "\u20b9", "yen": "\u00a5"}
"""The signs of the currencies that amounts may be written in."""


def format_dollars(cents: int, sign: str = "$") -> str:
    """`$1,500`, `$0.05`, `-$20.50`."""
    minus = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{minus}{sign}{whole:,}.{rest:02d}" if rest else f"{minus}{sign}{whole:,}"


def money(dollars: float, sign: str = "$") -> str:
    """Dollars as people read them: `$1,500`."""
    return format_dollars(to_cents(dollars), sign)


def checked_dollars(value: Any, what: str, *, least: float = 0.01) -> int | float:
    """A configured amount, as Python's own number.

    Raises:
        ValueError: `value` is not a number, or not between `least` and `MAX_DOLLARS`; names `what`.
    """
    if isinstance(value, bool) or not isinstance(value, REAL) or not least <= value <= MAX_DOLLARS:
        raise ValueError(f"{what}: expected dollars between {least} and {MAX_DOLLARS:,}, got {value!r}")
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def whole_cents(what: str, value: Any, least: float) -> int:
    """A configured amount as cents.

    Raises:
        ValueError: as `checked_dollars`; or it has more than two decimals.
    """
    dollars = checked_dollars(value, what, least=least)
    cents = to_cents(dollars)
    if abs(dollars - cents / 100) > 1e-9 * max(1.0, dollars):
        raise ValueError(f"{what}: expected at most two decimals, got {value!r}")
    return cents
