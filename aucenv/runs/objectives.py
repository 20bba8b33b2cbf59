"""The objectives that bidders state, as notes for their records."""

from __future__ import annotations

from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.policy import Policy


def objective_notes(policy: Policy, scenario: Any, seat: int) -> JsonObject:
    """Return the notes that state what a policy pursues, if it is not what the scenario says.

    Returns:
        `objective`, and `target` if it is one item; or nothing.
    """
    state = getattr(policy, "stated_objective", None)
    stated = state(scenario, seat) if state is not None else None
    bidders = getattr(scenario, "bidders", ())
    entry = bidders[seat] if len(bidders) > seat else None
    if stated is None or stated == (getattr(entry, "objective", "profit"), getattr(entry, "target", None)):
        return {}
    return {"objective": stated[0]} | ({} if stated[1] is None else {"target": stated[1]})
