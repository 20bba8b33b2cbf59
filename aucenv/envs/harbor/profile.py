"""What a seat's bids tell of its persona: a profile, a weight in [-1, 1] for each persona.

HARBOR (arXiv 2502.12149) has a model update such a vector after each item: zero at the start, moderate steps, raises
and wins weighed, no interest lowering what a house suits. The rule here is ours:

1. The effort of a seat for an item, over the item's starting price: where it withdrew, the mean of its last bid (or 0)
   and of the bid that it would not make; where it won or could not pay, its highest bid, and it may have gone further.
2. What is usual: the mean effort of the seat where it withdrew, and once that of all others.
3. An item moves the weight of the persona that it suits by STEP times the effort above the usual one, in units of
   WIDTH, at most 1 either way. Efforts that may have gone further only raise. Within DEAD_BAND nothing moves.
4. Other personas move by as much as they like the house, between its best and its mean liking, to the power SHARPNESS.
"""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.rules import NUM_PERSONAS

STEP, WIDTH, DEAD_BAND, SHARPNESS = 0.5, 0.6, 0.1, 3
NOTHING, AT_LEAST, EXACT = 0, 1, 2


@kernel
def effort(g, s, j):
    """How far seat `s` went for item `j`, over its starting price, and what that is: NOTHING, AT_LEAST or EXACT."""
    per_start = 1.0 / g["start"][j]
    top = g["top"][s][j] * per_start
    left_at = g["left_at"][s][j] * per_start
    if left_at > 0.0:
        return 0.5 * (top + left_at), EXACT
    return top, AT_LEAST if top > 0.0 else NOTHING


@kernel
def usual_effort(g, s, through):
    """The mean effort of seat `s` where it withdrew from one of the first `through` items, and once that of others."""
    own = 0.0
    times = 0
    all_ = 0.0
    others = 0
    for seat in range(g["num_seats"]):
        for j in range(through):
            far, kind = effort(g, seat, j)
            if kind == EXACT:
                if seat == s:
                    own += far
                    times += 1
                else:
                    all_ += far
                    others += 1
    if others > 0:
        own += all_ / others
        times += 1
    return own / times if times > 0 else -1.0


@kernel
def profile(g, s, through, out):
    """Write what the first `through` items, which are through, tell of the persona of seat `s`.

    Args:
        out: (10,) float64, written; all 0 where they tell nothing.
    """
    out[:] = 0.0
    usual = usual_effort(g, s, through)
    if usual < 0.0:
        return
    for j in range(through):
        far, kind = effort(g, s, j)
        above = min(1.0, max(-1.0, (far - usual) / WIDTH))
        if kind == NOTHING or (kind == AT_LEAST and above < 0.0) or abs(above) < DEAD_BAND:
            continue
        lot = g["lot"][j]
        best = g["liking"][lot][g["house_kind"][lot]]
        mean = 0.0
        for k in range(NUM_PERSONAS):
            mean += g["liking"][lot][k] / NUM_PERSONAS
        for k in range(NUM_PERSONAS):
            share = max(0.0, (g["liking"][lot][k] - mean) / (best - mean)) ** SHARPNESS
            out[k] = min(1.0, max(-1.0, out[k] + STEP * above * share))
