"""Conversion between dollars, used in inputs and outputs, and the whole cents that rules compute with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from aucenv.core.checks import REAL, FieldError, excerpt
from aucenv.core.formats.schema import MISFIT, Value
from aucenv.core.kernel import kernel

MAX_DOLLARS = 1_000_000_000
"""The largest amount; up to it, no product in the rules overflows int64."""


@kernel
def round_to_cents(dollars):
    """Return finite dollars as cents, with half a cent rounded up.

    The decimal digits are rounded, not the binary value: 1.005 is 101 cents.
    """
    cents = math.floor(dollars * 100.0)
    half = (2 * cents + 1) / 200.0  # the float whose shortest decimal form ends in exactly half a cent
    return int(cents + 1) if dollars >= half else int(cents)


@kernel
def cents_of_share(cents, share):
    """Return a share of an amount in cents, with half a cent rounded up."""
    return int(math.floor(cents * share + 0.5))  # noqa: RUF046  (compiled floor returns a float)


HALF_STEP = 0.5 + 1e-9
"""Half a step, less the rounding errors of float arithmetic: 0.145 * 100 is 14.4999... cents."""


@kernel
def round_to_step(cents, step):
    """Return the multiple of `step` nearest to an amount in cents, with half a step rounded up."""
    return int(math.floor(cents / step + HALF_STEP)) * step  # noqa: RUF046  (compiled floor returns a float)


def to_cents(dollars: float) -> int:
    """Return dollars as cents; see `round_to_cents`.

    Raises:
        ValueError: The number is not finite.
    """
    if not math.isfinite(dollars):
        raise ValueError(f"expected a finite number of dollars, got {dollars!r}")
    if isinstance(dollars, int) or dollars.is_integer():
        return int(dollars) * 100
    return round_to_cents(float(dollars))


def to_dollars(cents: int) -> int | float:
    """Return cents as dollars, as an int if they are whole: records stay short and exact."""
    return cents / 100 if cents % 100 else cents // 100


CURRENCIES = {"dollar": "$", "euro": "\u20ac", "ruble": "\u20bd", "rupee": "\u20b9", "yen": "\u00a5"}
"""The signs of the currencies in which amounts may be written."""


def format_dollars(cents: int, sign: str = "$") -> str:
    """Return cents as text: `$1,500`, `$0.05`, `-$20.50`."""
    minus = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{minus}{sign}{whole:,}.{rest:02d}" if rest else f"{minus}{sign}{whole:,}"


def money(dollars: float, sign: str = "$") -> str:
    """Return dollars as text: `$1,500`."""
    return format_dollars(to_cents(dollars), sign)


def checked_dollars(value: Any, name: str, *, least: float = 0.01) -> int | float:
    """Return a configured amount of dollars as an int or a float.

    Raises:
        ValueError: `value` is not a number, or not between `least` and `MAX_DOLLARS`; the message names
            `name`.
    """
    if isinstance(value, bool) or not isinstance(value, REAL) or not least <= value <= MAX_DOLLARS:
        raise FieldError(name, f"expected dollars between {least} and {MAX_DOLLARS:,}, got {excerpt(value)}")
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def whole_cents(name: str, value: Any, least: float) -> int:
    """Return a configured amount of dollars as cents.

    Raises:
        ValueError: As `checked_dollars`; or the amount has more than two decimals.
    """
    dollars = checked_dollars(value, name, least=least)
    cents = to_cents(dollars)
    if abs(dollars - cents / 100) > 1e-9 * max(1.0, dollars):
        raise FieldError(name, f"expected at most two decimals, got {value!r}")
    return cents


class Dollars(Value):
    """The schema of an amount of dollars in whole cents."""

    def __init__(self, least: float = 0, most: float = MAX_DOLLARS) -> None:
        super().__init__(f"dollars from {least:,} to {most:,} in whole cents", int, float, least=least, most=most)

    def count_fields(self, values: Sequence[Any]) -> int:
        if super().count_fields(values) == MISFIT:
            return MISFIT
        if float not in set(map(type, values)):
            return 0
        return 0 if all(value == round(value, 2) for value in values) else MISFIT


DOLLARS = Dollars()
ANY_DOLLARS = Dollars(0, 10 * MAX_DOLLARS)
"""The schema of a bid that rules may accept, however high, and of values that are sums of two amounts."""
SIGNED_DOLLARS = Dollars(-1_000_000 * MAX_DOLLARS, 1_000_000 * MAX_DOLLARS)
"""The schema of a profit, which may be a sum of many amounts."""
