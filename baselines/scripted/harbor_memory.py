"""A cache of the quantities that ExpAct infers from closed items, so that it does not infer them again before each bid.

The memory contains only public information, so all seats share it. It is one float64 array, because compiled code uses
it. Element 0 is the number of closed items that it covers; a negative number means that it is empty. Element 1 is the
item for which the persona probabilities and the interest were computed. The affinities, the log odds, the probabilities
and the interest follow.
"""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.harbor_planning import write_interest

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.profile import combine_log_odds, write_affinities, write_log_odds
from aucenv.envs.harbor.rules import NUM_PERSONAS

HEAD = 2


@kernel
def memory_size(num_seats, num_items):
    """Return the length of a memory."""
    return HEAD + NUM_PERSONAS * (num_items + num_seats * num_items + num_seats) + num_seats * num_items


@kernel
def empty_memory(g):
    """Return an empty memory for the game `g`."""
    memory = np.empty(memory_size(g["num_seats"], g["num_items"]))
    memory[0] = -1.0
    return memory


@kernel
def update_memory(g, memory):
    """Bring a memory up to date with the game, and return its parts.

    Args:
        memory: (memory_size,) float64, of this game, written. If the game returns to an earlier state with n
            closed items, the caller must lower element 0 to at most n.

    Returns:
        Views of the memory: affinities (num_items, 10), log odds of closed items (seats, num_items, 10), persona
        probabilities (seats, 10) and interest (seats, num_items).
    """
    num_seats, num_items, item = g["num_seats"], g["num_items"], g["item"]
    end = HEAD + num_items * NUM_PERSONAS
    affinities = memory[HEAD:end].reshape(num_items, NUM_PERSONAS)
    start, end = end, end + num_seats * num_items * NUM_PERSONAS
    log_odds = memory[start:end].reshape(num_seats, num_items, NUM_PERSONAS)
    start, end = end, end + num_seats * NUM_PERSONAS
    probabilities = memory[start:end].reshape(num_seats, NUM_PERSONAS)
    interest = memory[end : end + num_seats * num_items].reshape(num_seats, num_items)
    if memory[0] < 0.0:
        write_affinities(g, affinities)
        memory[0] = 0.0
        memory[1] = -1.0
    if memory[1] != item or memory[0] != item:
        covered = int(memory[0])
        for s in range(num_seats):
            write_log_odds(g, s, covered, item, affinities, log_odds[s])
            combine_log_odds(log_odds[s, :item], affinities, probabilities[s])
        write_interest(g, probabilities, affinities, interest)
        memory[0] = memory[1] = item
    return affinities, log_odds, probabilities, interest
