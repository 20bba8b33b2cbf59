"""Compute figures from the records of sealed-bid auctions, with the expected revenue of the equilibrium."""

from __future__ import annotations

import json

from aucenv.core.names import names_of_records
from aucenv.envs.sealed_bid import theory
from aucenv.envs.sealed_bid.scenario import Scenario
from aucenv.envs.sealed_bid.scenario_files import load_scenario
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

LARGEST_GRIDS = {"ipv": 300_000_000, "apv": 4_000_000, "cv": 4_000_000}
"""The maximum number of signals times bids by value model; on larger grids, `theory` takes seconds."""


def expected_revenue(scenario: Scenario) -> float | None:
    """Return the expected revenue of one round in equilibrium without a bid cap, in dollars.

    The result is None if no equilibrium is known, or if the grid is larger than LARGEST_GRIDS.
    """
    try:
        uncapped = scenario.changed(bid_cap=None)
        if len(theory.signals(uncapped)) * uncapped.num_bids > LARGEST_GRIDS[uncapped.values]:
            return None
        return theory.expected_revenue(uncapped, theory.as_bids(uncapped, theory.equilibrium_bids(uncapped)))
    except ValueError:
        return None


seat_figures = figures_with_revenue(names_of_records()(lambda data: expected_revenue(load_scenario(json.loads(data)))))
