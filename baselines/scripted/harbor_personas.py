"""What personas imply: a seat's priorities, whether rivals want an item, and what a seat's bids reveal."""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY
from aucenv.envs.harbor.profile import combine_log_odds, write_item_log_odds
from aucenv.envs.harbor.rules import LIKING, NUM_PERSONAS, has_persona, matches_persona

LIKED = 0.5
"""A house that matches none of the seat's personas has priority 2 if its mean liking is at least this."""
INTERESTED = 0.3
"""A rival is expected to want an item if its interest, from 0 to 1, is at least this."""


@kernel
def priority(g, seat, j):
    """Return the seat's priority of item `j`.

    It is 3 if the item matches one of its personas, 2 if it likes the item or has no persona, and 1 otherwise.
    """
    if g["persona"][seat] == NOBODY:
        return 2
    if matches_persona(g, seat, j):
        return 3
    liking = 0.0
    num_personas = 0
    for k in range(NUM_PERSONAS):
        if has_persona(g, seat, k):
            liking += g["liking"][g["lot"][j]][k] / LIKING
            num_personas += 1
    return 2 if liking >= LIKED * num_personas else 1


@kernel
def rival_wants_item(g, seat, interest):
    """Return whether an active rival is expected to want the current item; see INTERESTED."""
    wants = False
    for s in range(g["num_seats"]):
        wants = wants or (s != seat and g["active"][s] != 0 and interest[s, g["item"]] >= INTERESTED)
    return wants


@kernel
def true_personas_probability(g, seat, probabilities):
    """Return the total probability of the seat's true personas, as rivals infer it from its bids.

    Args:
        probabilities: (10,), of each persona.
    """
    total = 0.0
    for k in range(NUM_PERSONAS):
        if has_persona(g, seat, k):
            total += probabilities[k]
    return total


@kernel
def persona_leak(g, seat, affinities, log_odds):
    """Return the probability that rivals infer for the seat's true personas if it withdraws, minus that if it raises.

    Args:
        log_odds: (num_items, 10), the log odds from closed items; the row of the current item is overwritten.
    """
    item = g["item"]
    log_odds = log_odds[: item + 1]
    left = 0.0
    for j in range(item, g["num_items"]):
        left += g["start"][j]
    probabilities = np.empty(NUM_PERSONAS)
    write_item_log_odds(g, item, left, g["budget"][seat], g["top"][seat][item], g["least"], affinities, log_odds[item])
    combine_log_odds(log_odds, affinities, probabilities)
    withdrawn = true_personas_probability(g, seat, probabilities)
    write_item_log_odds(g, item, left, g["budget"][seat], g["least"], 0, affinities, log_odds[item])
    combine_log_odds(log_odds, affinities, probabilities)
    return withdrawn - true_personas_probability(g, seat, probabilities)
