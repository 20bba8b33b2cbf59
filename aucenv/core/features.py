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
