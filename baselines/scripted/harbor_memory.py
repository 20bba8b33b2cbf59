"""What planners in housing auctions need not work out anew before each bid: what closed items tell of everybody.

All of it is public, so that all seats share it. A memory is one array, for compiled code: how many items it knows of
(below 0: nothing), the item for which chances and keenness hold, then `likeness`, `write_odds` and what they come to.
"""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.harbor_planning import keenness

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.profile import likeness, weigh_odds, write_odds
from aucenv.envs.harbor.rules import NUM_PERSONAS

HEAD = 2


@kernel
def memory_size(num_seats, num_items):
    """How many numbers a memory has."""
    return HEAD + NUM_PERSONAS * (num_items + num_seats * num_items + num_seats) + num_seats * num_items


@kernel
def fresh_memory(g):
    """One that knows nothing yet."""
    memory = np.empty(memory_size(g["num_seats"], g["num_items"]))
    memory[0] = -1.0
    return memory


@kernel
def recall(g, memory):
    """Bring a memory up to date.

    Args:
        memory: (memory_size,) float64, of this game, written; its first number lowered to n where the game went back
            to when n items were through.

    Returns:
        Parts of it: likeness (num_items, 10), the logarithms of odds (seats, num_items, 10), of items that are
        through, chances of personas (seats, 10), keenness (seats, num_items).
    """
    num_seats, num_items, item = g["num_seats"], g["num_items"], g["item"]
    end = HEAD + num_items * NUM_PERSONAS
    alike = memory[HEAD:end].reshape(num_items, NUM_PERSONAS)
    start, end = end, end + num_seats * num_items * NUM_PERSONAS
    told = memory[start:end].reshape(num_seats, num_items, NUM_PERSONAS)
    start, end = end, end + num_seats * NUM_PERSONAS
    read = memory[start:end].reshape(num_seats, NUM_PERSONAS)
    keen = memory[end : end + num_seats * num_items].reshape(num_seats, num_items)
    if memory[0] < 0.0:
        likeness(g, alike)
        memory[0] = 0.0
        memory[1] = -1.0
    if memory[1] != item or memory[0] != item:
        known = int(memory[0])
        for s in range(num_seats):
            write_odds(g, s, known, item, alike, told[s])
            weigh_odds(told[s, :item], alike, read[s])
        keenness(g, read, alike, keen)
        memory[0] = memory[1] = item
    return alike, told, read, keen
