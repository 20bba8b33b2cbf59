"""Resampling of hidden values, consistent with everything that a seat has observed."""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.core.state import RUNNING
from aucenv.envs.single_item.belief import resample as resample_prizes
from aucenv.envs.single_item.rules import clear_ranked


@kernel
def resample(state, b, seat, key):
    """Resample everything that is hidden from `seat`: see `single_item.belief`."""
    resample_prizes(state, b, seat, key)
    g = state[b]
    clear_ranked(g)
    if g["status"] == RUNNING:
        g["ranked"][g["item"]][:] = 0
