"""Compute figures from the records of clock auctions, with the expected revenue of the equilibrium."""

from __future__ import annotations

import json

from aucenv.core.names import names_of_records
from aucenv.envs.clock.scenario import Scenario
from aucenv.envs.clock.scenario_files import load_scenario
from aucenv.envs.sealed_bid import figures as sealed_bid
from aucenv.envs.single_item.figures import (
    ALSO_SHOWN,
    FIGURES,
    SCORE,
    SHOWN,
    SeatFigures,
    agent_tables,
    figures_with_revenue,
)

__all__ = ["ALSO_SHOWN", "FIGURES", "SCORE", "SHOWN", "SeatFigures", "agent_tables", "seat_figures"]


def expected_revenue(scenario: Scenario) -> float | None:
    """Return the expected revenue of one round in equilibrium, in dollars.

    The result is None unless the auction is equivalent to a sealed-bid auction with a known equilibrium.
    """
    if not scenario.solved_as_sealed:
        return None
    try:
        return sealed_bid.expected_revenue(scenario.as_sealed())
    except ValueError:  # prices that are not multiples of the tick do not form a grid of bids
        return None


seat_figures = figures_with_revenue(names_of_records()(lambda data: expected_revenue(load_scenario(json.loads(data)))))
