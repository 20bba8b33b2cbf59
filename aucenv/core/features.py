"""What the features of all games share: their bounds."""

from __future__ import annotations

from aucenv.core.kernel import kernel

CLIP = 10.0
"""Every feature lies in [-CLIP, CLIP]."""


@kernel
def clipped(x):
    return CLIP if x > CLIP else (-CLIP if x < -CLIP else x)
