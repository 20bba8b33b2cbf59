"""What a seat may believe of what it cannot know: hidden values drawn anew, consistent with all it was shown."""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.core.state import RESAMPLE, rekey
from aucenv.envs.single_item.rules import forget_rivals
from aucenv.envs.single_item.values import ALL, CV, redraw_values


@kernel
def resample(state, b, seat, key):
    """Draw anew what `seat` may not know.

    Values follow `values.redraw_values`. Who bid what in closed rounds is not known: see `rules.forget_rivals`. What
    the open round tells of rivals' values, by who has bid or left, is not used.
    """
    g = state[b]
    own_key = g["seat_key"][seat]
    rekey(g, key)
    g["seat_key"][seat] = own_key
    now = g["item"]
    for j in range(g["num_items"]):
        told = g["reveal"] == ALL or g["winner"][j] == seat  # a winner can tell by its profit
        known = j < now and g["model"] == CV and told
        redraw_values(g, seat, j, j <= now, known, key, RESAMPLE)
    forget_rivals(g, seat)
