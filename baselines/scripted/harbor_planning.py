"""The forecasts behind ExpAct's rules: the price up to which rivals bid for each house, and a budget's highest profit.

A seat is expected to spread its budget evenly over the remaining houses, with weight 1 + lift for a house that matches
its persona. `aucenv.envs.harbor.profile` uses the same idea with starting prices; here the weights are the planner's
estimates of the values, and the forecast is computed again before each bid. Amounts are cents, as floats.
"""

from __future__ import annotations

import numpy as np

from aucenv.core.kernel import kernel
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
