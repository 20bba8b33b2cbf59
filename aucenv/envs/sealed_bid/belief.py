"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.core.state import RUNNING
from aucenv.envs.single_item.belief import resample as resample_prizes


@kernel
def resample(state, b, seat, key):
    """Draw anew what `seat` may not know: see `prizes.belief`."""
    resample_prizes(state, b, seat, key)
    g = state[b]
    if g["status"] == RUNNING:
        g["ranked"][g["item"]][:] = 0
