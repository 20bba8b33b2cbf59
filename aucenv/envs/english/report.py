"""A game as plain data: what infos carry in every round, what records keep of the deal and of the outcome."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.english.rules import least_bid
from aucenv.envs.english.view import Catalogue, View


@kernel
def quote(state, b, out):
    """Write the numbers of a round's facts.

    Args:
        out: (5 + 3 * seats,) int64, written: lot, or NOBODY at the end; round; standing bid; leader; least bid; then
            each seat's budget, profit and items won.
    """
    g = state[b]
    running = g["status"] == RUNNING
    out[0] = g["lot"][g["item"]] if running else NOBODY
    out[1] = g["round"]
    out[2] = g["standing"]
    out[3] = g["leader"]
    out[4] = least_bid(g) if running else 0
    for seat in range(g["num_seats"]):
        out[5 + 3 * seat] = g["budget"][seat]
        out[6 + 3 * seat] = g["profit"][seat]
        out[7 + 3 * seat] = g["won"][seat]


def facts(state: np.ndarray, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Every seat's info: the state of the current item and of its purse, in dollars; None where there is none."""
    quoted = np.empty(5 + 3 * len(catalogue.seats), np.int64)
    quote(state, 0, quoted)
    lot, round_, standing, leader, least, *purses = quoted.tolist()
    item = standing_bid = holder = least_legal = None
    if lot != NOBODY:
        item, least_legal = catalogue.item_ids[lot], to_dollars(least)
    if leader != NOBODY:
        standing_bid, holder = to_dollars(standing), catalogue.seats[leader]
    return [
        {
            "item": item,
            "round": round_,
            "standing_bid": standing_bid,
            "leader": holder,
            "least_bid": least_legal,
            "budget": to_dollars(purses[k]),
            "profit": to_dollars(purses[k + 1]),
            "items_won": purses[k + 2],
            "refused": None,
        }
        for k in range(0, len(purses), 3)
    ]


def dealt(view: View) -> dict[str, Any]:
    """A record's `deal`: what chance and the scenario gave; from a view that reveals all."""
    num_items = view._get("num_items")
    objectives, targets = view.objectives, view.targets
    return {
        "items": [
            {"id": item.id, "name": item.name, "starting_price": item.starting_price, "true_value": item.true_value}
            for item in view.items
        ],
        "seats": [
            {
                "budget": to_dollars(int(view.row["endowment"][0, s])),
                "objective": objectives[seat],
                "target": targets[seat],
                "estimates": [to_dollars(cents) for cents in view.row["estimate"][0, s, :num_items].tolist()],
            }
            for s, seat in enumerate(view.catalogue.seats)
        ],
    }


def outcome(view: View) -> dict[str, Any]:
    """A record's `outcome`; from a view that reveals all."""
    items, budgets, profits = view.items, view.budgets, view.profits
    return {
        "status": view.status,
        "rounds": view._get("rounds"),
        "items": [{"id": item.id, "winner": item.winner, "price": item.hammer_price} for item in items],
        "seats": [
            {
                "profit": profits[seat],
                "budget_left": budgets[seat],
                "won": [[item.id, item.hammer_price] for item in items if item.winner == seat],
            }
            for seat in view.catalogue.seats
        ],
    }
