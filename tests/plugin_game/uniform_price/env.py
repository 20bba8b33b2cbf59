"""Uniform-price auctions: each round sells K equal units, every bidder wants one, all winners pay one price.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 4 by default |
| Actions | `vector`: Discrete(highest value / step + 2); `amount`: dollars; `text`: free text |
| Observations | 9 + bidders features: see `GAME.vector.feature_names` |
| Rewards | change in profit / highest value |
"""

from __future__ import annotations

from aucenv.core.game import Game
from aucenv.envs.forms import env_forms
from uniform_price.scenario import UniformPriceScenario
from uniform_price.scenario_files import DEFAULT_SCENARIO, load_scenario


def scenario_of(
    scenario: str | UniformPriceScenario = DEFAULT_SCENARIO,
    *,
    num_bidders: int | None = None,
    num_units: int | None = None,
    num_rounds: int | None = None,
) -> UniformPriceScenario:
    """Return the scenario that an environment's arguments select."""
    return load_scenario(scenario).changed(num_bidders=num_bidders, num_units=num_units, num_rounds=num_rounds)


GAME = Game("uniform_price", 0, "uniform_price", scenario_of, bidders="uniform_price.bidders")
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
