"""Features of a decision point: counts, and ratios of prices to values and of budgets to upcoming starting prices."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.english import OVERESTIMATE, value_per_estimate
from aucenv.baselines.scripted.harbor_personas import priority

from aucenv.core.state import NOBODY
from aucenv.envs.english.view import View

STATE_FEATURES = (
    *("least/worth", "least/start", "worth/start", "round", "item", "later", "budget/ahead", "after/start", "bids"),
    *("standing", "rivals/in", "rivals", "best/later", "mean/later", "later/start", "rivals/ahead", "true/estimate"),
)
PERSONA_FEATURES = ("priority", "later/3", "later/2")
"""The names of all features, in their order, and of those that are added in housing auctions."""
COUNT_FEATURES = ("round", "item", "later", "bids", "standing", "rivals/in", "rivals", "priority", "later/3", "later/2")
"""The names of features that are whole numbers."""


def state_features(view: View) -> dict[str, float]:
    """Return features of a View of an English or a housing auction, by name.

    Their number does not depend on the numbers of rivals and items. In the names, `worth` is the expected value of the
    item, its estimate corrected by the true values revealed so far, and `ahead` is the sum of the starting prices of
    this item and all later ones.
    """
    g, seat, j = view.row[0], view.seat_number, view.item_number
    start, ahead = price_ahead(view)
    correction = value_per_estimate(g, seat, OVERESTIMATE)
    value = correction * float(g["estimate"][seat][j])
    later = range(j + 1, len(view.items))
    ratios = [correction * float(g["estimate"][seat][k]) / float(g["start"][k]) for k in later]
    rivals = [s for s in range(len(view.scenario_text.seats)) if s != seat]
    features = {
        "least/worth": float(g["least"]) / value if value else 1000.0,
        "least/start": float(g["least"]) / start,
        "worth/start": value / start,
        "round": float(g["round"]),
        "item": float(j),
        "later": float(len(later)),
        "budget/ahead": g["budget"][seat] / ahead,
        "after/start": (g["budget"][seat] - g["least"]) / start,
        "bids": float(g["bids"][seat]),
        "standing": float(g["leader"] != NOBODY),
        "rivals/in": float(sum(g["active"][s] for s in rivals)),
        "rivals": float(len(rivals)),
        "best/later": max(ratios, default=0.0),
        "mean/later": float(np.mean(ratios)) if ratios else 0.0,
        "later/start": (ahead - start) / start,
        "rivals/ahead": float(sum(g["budget"][s] for s in rivals)) / ahead,
        "true/estimate": correction,
    }
    if hasattr(view, "personas"):
        priorities = [priority(g, seat, k) for k in later]
        features["priority"] = float(priority(g, seat, j))
        features["later/3"], features["later/2"] = float(priorities.count(3)), float(priorities.count(2))
    return features


def price_ahead(view: View) -> tuple[float, float]:
    """Return the item's starting price, and the sum of the starting prices of this item and all later ones; cents."""
    start = view.row[0]["start"]
    return float(start[view.item_number]), float(sum(start[j] for j in range(view.item_number, len(view.items))))
