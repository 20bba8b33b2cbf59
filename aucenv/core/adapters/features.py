"""Bounds and scaling of features, common to all games."""

from __future__ import annotations

from numpy import float32

from aucenv.core.kernel import inlined

CLIP = 10.0
"""The bound of all features, which lie in [-CLIP, CLIP]."""

_LEAST, _ZERO, _MOST = float32(-CLIP), float32(0.0), float32(CLIP)


@inlined
def clipped(x):
    """Return a feature clipped to its bounds."""
    return max(min(x, _MOST), _LEAST)


@inlined
def share(number, per_unit):
    """Return a whole number, in multiples of a unit, as a feature.

    Args:
        number: int64.
        per_unit: float32, the reciprocal of the unit.
    """
    return clipped(float32(number) * per_unit)


@inlined
def positive_share(number, per_unit):
    """Return the same as `share`, but 0 if the number is negative."""
    return max(min(float32(number) * per_unit, _MOST), _ZERO)


@inlined
def part_of(number, most):
    """Return a number as a part of the most that it can be, as a feature; 0 if that is 0."""
    return clipped(float32(number / most)) if most > 0 else _ZERO


@inlined
def seat_ahead(other, seat, num_seats):
    """Return a seat as a feature of another one: 0 for none, then for itself, the next one, ... in equal steps to 1."""
    return float32((1 + (other - seat) % num_seats) / num_seats) if other >= 0 else _ZERO
