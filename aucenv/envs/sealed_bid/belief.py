"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.core.state import IDLE, NOBODY, RESAMPLE, rekey
from aucenv.envs.sealed_bid.rules import ALL
from aucenv.envs.values import CV, redraw_values


@kernel
def resample(state, b, seat, key):
    """Draw anew what `seat` may not know.

    Values follow `values.redraw_values`. What rivals bid and made in closed rounds cannot be told apart by seat: their
    bids are IDLE, their profits and prizes start at 0.
    """
    g = state[b]
    own_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = own_key
    now = g["item"]
    for j in range(g["num_items"]):
        known = j < now and g["model"] == CV and g["reveal"] == ALL
        redraw_values(g, seat, j, j <= now, known, key, RESAMPLE)
        if j < now and g["winner"][j] != seat:
            g["winner"][j] = NOBODY
        for s in range(g["num_seats"]):
            if s != seat and j < now:
                g["bid"][s][j] = IDLE
    for s in range(g["num_seats"]):
        if s != seat:
            g["gain"][s] = 0
            g["profit"][s] = 0
            g["won"][s] = 0
