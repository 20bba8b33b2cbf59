"""Features of a decision point: counts, and ratios of prices to values and of budgets to upcoming starting prices."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.decision_numbers import NAMES, decision_numbers
from aucenv.baselines.scripted.harbor_personas import priority

from aucenv.envs.english.view import View

STATE_FEATURES = NAMES
"""The names of the features in all games."""
PERSONA_FEATURES = ("priority", "later/3", "later/2")
"""The names of the features that are added in housing auctions."""
COUNT_FEATURES = ("round", "item", "later", "bids", "standing", "rivals/in", "rivals", "priority", "later/3", "later/2")
"""The names of features that are whole numbers."""


def state_features(view: View) -> dict[str, float]:
    """Return features of a View of an English or a housing auction, by name.

    Their number does not depend on the numbers of rivals and items. See `decision_numbers.NAMES`.
    """
    numbers = np.empty((1, len(STATE_FEATURES)))
    decision_numbers(0, 1, 0, view.row, np.array([0]), np.array([view.seat_number]), numbers)
    features = dict(zip(STATE_FEATURES, numbers[0].tolist(), strict=True))
    if hasattr(view, "personas"):
        g, seat, j = view.row[0], view.seat_number, view.item_number
        priorities = [priority(g, seat, k) for k in range(j + 1, len(view.items))]
        features["priority"] = float(priority(g, seat, j))
        features["later/3"], features["later/2"] = float(priorities.count(3)), float(priorities.count(2))
    return features


def price_ahead(view: View) -> tuple[float, float]:
    """Return the item's starting price, and the sum of the starting prices of this item and all later ones; cents."""
    start = view.row[0]["start"]
    return float(start[view.item_number]), float(sum(start[j] for j in range(view.item_number, len(view.items))))
