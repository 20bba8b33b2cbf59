"""Resampling of hidden values, consistent with everything that a seat has observed."""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.core.state import RESAMPLE, rekey
from aucenv.envs.single_item.rules import clear_rivals
from aucenv.envs.single_item.values import CV, REVEAL_ALL, resample_values


@kernel
def resample(state, b, seat, key):
    """Resample everything that is hidden from `seat`.

    Values follow `values.resample_values`. Rivals' bids in closed rounds are cleared, see `rules.clear_rivals`. The
    information of the current round about rivals' values, such as who has left the clock, is not used.
    """
    g = state[b]
    seat_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = seat_key
    now = g["item"]
    for j in range(g["num_items"]):
        inferable = g["reveal"] == REVEAL_ALL or g["winner"][j] == seat  # a winner can infer it from its profit
        revealed = j < now and g["model"] == CV and inferable
        resample_values(g, seat, j, j <= now, revealed, key, RESAMPLE)
    clear_rivals(g, seat)
