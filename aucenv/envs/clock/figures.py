"""A clock auction's record -> figures; revenue beside the equilibrium's."""

from __future__ import annotations

import json

from aucenv.envs.clock.scenario import Scenario
from aucenv.envs.clock.scenario_files import load_scenario
from aucenv.envs.sealed_bid import figures as sealed_bid
from aucenv.envs.single_item.figures import ALSO_SHOWN, FIGURES, SCORE, SHOWN, SeatFigures, agent_tables, figures_beside

__all__ = ["ALSO_SHOWN", "FIGURES", "SCORE", "SHOWN", "SeatFigures", "agent_tables", "seat_figures"]


def expected_revenue(scenario: Scenario) -> float | None:
    """What a round brings in equilibrium, dollars; None where no sealed-bid auction with a known one is the same."""
    if not scenario.solved_as_sealed:
        return None
    try:
        return sealed_bid.expected_revenue(scenario.as_sealed())
    except ValueError:  # prices that are no multiples of the tick are no grid of bids
        return None


seat_figures = figures_beside(lambda scenario: expected_revenue(load_scenario(json.loads(scenario))))
