"""What the features of all games share: their bounds."""

from __future__ import annotations

from numpy import float32

from aucenv.core.kernel import inlined

CLIP = 10.0
"""Every feature lies in [-CLIP, CLIP]."""

_LEAST, _NOTHING, _MOST = float32(-CLIP), float32(0.0), float32(CLIP)


@inlined
def clipped(x):
    return max(min(x, _MOST), _LEAST)


@inlined
def share(number, per_unit):
    """A whole number as a feature.

    Args:
        per_unit: float32, one over the unit.
    """
    return clipped(float32(number) * per_unit)


@inlined
def positive_share(number, per_unit):
    """The same; 0 where the number is negative."""
    return max(min(float32(number) * per_unit, _MOST), _NOTHING)
