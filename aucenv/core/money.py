"""Dollars at the edges, whole cents inside."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

REAL = (int, float, np.integer, np.floating)

MAX_DOLLARS = 1_000_000_000
"""The largest amount: with it, every product in the rules stays inside int64."""


def to_cents(dollars: float) -> int:
    """Dollars as cents, half a cent up. The decimal digits count: 1.005 is 101 cents, as a person reads it.

    Raises:
        ValueError: not finite.
    """
    whole = int(dollars) if math.isfinite(dollars) else None
    if whole is None:
        raise ValueError(f"expected a finite number of dollars, got {dollars!r}")
    if whole == dollars:
        return whole * 100
    return int((Decimal(repr(float(dollars))) * 100).quantize(Decimal(1), ROUND_HALF_UP))


def to_dollars(cents: int) -> int | float:
    """Cents as dollars: an int where they are whole, so that records stay short and exact."""
    return cents / 100 if cents % 100 else cents // 100


def format_dollars(cents: int) -> str:
    """`$1,500`, `$0.05`, `-$20.50`."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}${whole:,}.{rest:02d}" if rest else f"{sign}${whole:,}"


def money(dollars: float) -> str:
    """Dollars as people read them: `$1,500`."""
    return format_dollars(to_cents(dollars))


def checked_dollars(value: Any, what: str, *, least: float = 0.01) -> int | float:
    """A configured amount, as Python's own number.

    Raises:
        ValueError: `value` is not a number, or not between `least` and `MAX_DOLLARS`; names `what`.
    """
    if isinstance(value, bool) or not isinstance(value, REAL) or not least <= value <= MAX_DOLLARS:
        raise ValueError(f"{what}: expected dollars between {least} and {MAX_DOLLARS:,}, got {value!r}")
    return int(value) if isinstance(value, (int, np.integer)) else float(value)
