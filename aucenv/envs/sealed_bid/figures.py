"""A sealed-bid auction's record -> figures; revenue beside the equilibrium's."""

from __future__ import annotations

import json

from aucenv.envs.sealed_bid import theory
from aucenv.envs.sealed_bid.scenario import Scenario
from aucenv.envs.sealed_bid.scenario_files import load_scenario
from aucenv.envs.single_item.figures import ALSO_SHOWN, FIGURES, SCORE, SHOWN, SeatFigures, agent_tables, figures_beside

__all__ = ["ALSO_SHOWN", "FIGURES", "SCORE", "SHOWN", "SeatFigures", "agent_tables", "seat_figures"]

LARGEST_GRIDS = {"ipv": 300_000_000, "apv": 4_000_000, "cv": 4_000_000}
"""Signals times bids: beyond, theory takes seconds."""


def expected_revenue(scenario: Scenario) -> float | None:
    """What a round brings in equilibrium without a cap, dollars.

    None where none is known, or the grid is too fine to work it out at once.
    """
    try:
        sealed = scenario.changed(bid_cap=None)
        if len(theory.signals(sealed)) * sealed.num_bids > LARGEST_GRIDS[sealed.values]:
            return None
        return theory.expected_revenue(sealed, theory.as_bids(sealed, theory.equilibrium_bids(sealed)))
    except ValueError:
        return None


seat_figures = figures_beside(lambda scenario: expected_revenue(load_scenario(json.loads(scenario))))
