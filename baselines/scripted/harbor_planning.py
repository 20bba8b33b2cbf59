"""The forecasts behind ExpAct's rules: the price up to which rivals bid for each house, and a budget's highest profit.

A seat is expected to spread its budget evenly over the remaining houses, with weight 1 + lift for a house that matches
its persona. `aucenv.envs.harbor.profile` uses the same idea with starting prices; here the weights are the planner's
estimates of the values, and the forecast is computed again before each bid. Amounts are cents, as floats.

A memory caches what follows from closed items, so that ExpAct does not infer it again before each bid. It contains only
public information, so all seats share it. It is one float64 array, because compiled code uses it. Element 0 is the
number of closed items that it covers; a negative number means that it is empty. Element 1 is the item for which the
persona probabilities and the interest were computed. The affinities, the log odds, the probabilities and the interest
follow.
"""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.envs.harbor.profile import combine_log_odds, write_affinities, write_log_odds
from aucenv.envs.harbor.rules import NUM_PERSONAS, has_persona

MOST_OF_VALUE = 0.95
"""No rival is expected to bid more than this share of a house's value."""
AHEAD = 0.05
"""The winner pays on average this share of the starting price (half a raise) above the highest rival limit."""


@kernel
def write_persona_probabilities(true, g, seat, out):
    """Write the probability that each rival has each persona, without looking at bids.

    Args:
        true: whether to use the true personas: 1 for each persona that the rival has, even if it has two. Otherwise,
            and for a rival without a persona, all are equally likely.
        out: (seats, 10) float64, written except for the seat's own row.
    """
    for s in range(g["num_seats"]):
        if s != seat:
            num_personas = 0
            for k in range(NUM_PERSONAS):
                num_personas += true and has_persona(g, s, k)
            for k in range(NUM_PERSONAS):
                if num_personas > 0:
                    out[s, k] = 1.0 if has_persona(g, s, k) else 0.0
                else:
                    out[s, k] = 1.0 / NUM_PERSONAS


@kernel
def write_interest(g, probabilities, affinities, out):
    """Write each seat's expected interest in each item, from 0 to 1.

    Args:
        probabilities: (seats, 10), the probability that each seat has each persona.
        affinities: (num_items, 10), as written by `profile.write_affinities`.
        out: (seats, num_items) float64, written.
    """
    for s in range(g["num_seats"]):
        for j in range(g["num_items"]):
            out[s, j] = 0.0
            for k in range(NUM_PERSONAS):
                out[s, j] = min(1.0, out[s, j] + probabilities[s, k] * affinities[j, k])


@kernel
def forecast_prices(lift, g, seat, interest, values, budgets, prices):
    """Write the expected price at which the seat can win each item from the current one on.

    Args:
        interest: (seats, num_items), as written by `write_interest`.
        values: (num_items,), the items' values in the seat's estimate.
        budgets: (seats,), the remaining budgets.
        prices: (num_items,) float64, written.
    """
    for j in range(g["item"], g["num_items"]):
        prices[j] = g["start"][j]
    for s in range(g["num_seats"]):
        if s != seat:
            total = 0.0
            for j in range(g["item"], g["num_items"]):
                total += (1.0 + lift * interest[s, j]) * values[j]
            # A rival that has withdrawn cannot bid for the current item.
            for j in range(g["item"] + (g["active"][s] == 0), g["num_items"]):
                share = (1.0 + lift * interest[s, j]) * values[j] / total if total > 0.0 else 0.0
                limit = min(share * g["num_seats"] * budgets[s], MOST_OF_VALUE * values[j], budgets[s])
                prices[j] = max(prices[j], limit + AHEAD * g["start"][j])


@kernel
def best_profit(first, values, prices, budget):
    """Return the highest profit that a budget can earn on the items from `first` on: a fractional knapsack.

    Items are bought in order of value per price; of the last one only a fraction may be bought.

    Args:
        values, prices: (num_items,).
    """
    taken = np.zeros(len(values), np.bool_)
    profit = 0.0
    while budget > 0.0:
        best = -1
        ratio = 1.0
        for j in range(first, len(values)):
            if not taken[j] and values[j] > ratio * prices[j]:
                best = j
                ratio = values[j] / prices[j]
        if best < 0:
            break
        taken[best] = True
        share = min(1.0, budget / prices[best])
        profit += share * (values[best] - prices[best])
        budget -= share * prices[best]
    return profit


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
