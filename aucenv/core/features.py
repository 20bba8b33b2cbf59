"""What the features of all games share: their bounds."""

from __future__ import annotations

from aucenv.core.kernel import inlined

CLIP = 10.0
"""Every feature lies in [-CLIP, CLIP]."""


@inlined
def clipped(x):
    return max(min(x, CLIP), -CLIP)
