"""The objectives of a game's bidders: those of its scenario, but for bidders that state what they pursue."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from aucenv.core.policy import Policy


def with_stated_objectives(scenario: Any, policies: Sequence[Policy]) -> Any:
    """Return the scenario in which each bidder has the objective that its policy states.

    A bidder keeps the target of the scenario if its policy, too, seeks one item. In games whose bidders have no
    objectives, the scenario is returned unchanged.

    Args:
        policies: one for each seat.

    Raises:
        ValueError: the scenario has no such objective or item.
    """
    bidders = getattr(scenario, "bidders", ())
    if not any(hasattr(bidder, "objective") for bidder in bidders):
        return scenario
    changed = []
    for bidder, policy in zip(bidders, policies, strict=True):
        state = getattr(policy, "stated_objective", None)
        stated = state(scenario) if state is not None else None
        if stated is not None and not (stated[0] == bidder.objective == "item"):
            bidder = dataclasses.replace(bidder, objective=stated[0], target=stated[1])
        changed.append(bidder)
    return scenario if tuple(changed) == bidders else dataclasses.replace(scenario, bidders=tuple(changed))
