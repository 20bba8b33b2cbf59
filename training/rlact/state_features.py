"""What a seat sees, as a few shares and counts: of prices in what the item is worth, of budgets in what is to come."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.english import value_per_estimate
from aucenv.baselines.scripted.harbor import OVERESTIMATE, priority

from aucenv.core.state import NOBODY
from aucenv.envs.english.view import View

COUNTS = ("round", "item", "later", "bids", "standing", "rivals/in", "rivals", "priority", "later/3", "later/2")
"""The names of `shares` that are whole numbers."""


def shares(view: View) -> dict[str, float]:
    """Numbers of a View of an English or a housing auction; none depends on how many rivals and items there are.

    `worth` is the estimate, in view of the true values told so far; `ahead` all starting prices from this item on.
    """
    g, me, j = view.row[0], view.seat_number, view.item_number
    start, ahead = price_ahead(view)
    true = value_per_estimate(g, me, OVERESTIMATE)
    worth = true * float(g["estimate"][me][j])
    later = range(j + 1, len(view.items))
    values = [true * float(g["estimate"][me][k]) / float(g["start"][k]) for k in later]
    rivals = [s for s in range(len(view.scenario_text.seats)) if s != me]
    found = {
        "least/worth": float(g["least"]) / worth if worth else 1000.0,
        "least/start": float(g["least"]) / start,
        "worth/start": worth / start,
        "round": float(g["round"]),
        "item": float(j),
        "later": float(len(later)),
        "budget/ahead": g["budget"][me] / ahead,
        "after/start": (g["budget"][me] - g["least"]) / start,
        "bids": float(g["bids"][me]),
        "standing": float(g["leader"] != NOBODY),
        "rivals/in": float(sum(g["active"][s] for s in rivals)),
        "rivals": float(len(rivals)),
        "best/later": max(values, default=0.0),
        "mean/later": float(np.mean(values)) if values else 0.0,
        "later/start": (ahead - start) / start,
        "rivals/ahead": float(sum(g["budget"][s] for s in rivals)) / ahead,
        "true/estimate": true,
    }
    if hasattr(view, "personas"):
        wanted = [priority(g, me, k) for k in later]
        found["priority"] = float(priority(g, me, j))
        found["later/3"], found["later/2"] = float(wanted.count(3)), float(wanted.count(2))
    return found


def price_ahead(view: View) -> tuple[float, float]:
    """The starting price of the item, and those of all items from it on, together; cents."""
    start = view.row[0]["start"]
    return float(start[view.item_number]), float(sum(start[j] for j in range(view.item_number, len(view.items))))
