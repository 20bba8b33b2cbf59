"""What RLAct trains on in English auctions: AucArena's items, its niche study's for evaluation."""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.envs.english.scenario import Scenario
from aucenv.envs.english.scenario_files import load_scenario

TABLE = ("rule,k=2", "rule,k=4", "value", "value,margin=0.1", "pace", "pace,margin=0.1", "drain")
ADVISERS = ("pace", "value,margin=0.1")
JUDGE = ("pace", "value+pace")
TRAINED: tuple[str, ...] = ()

BUDGETS = (0.5, 0.75, 1.0, 1.0, 1.25, 1.5)
"""Times the game's usual budget: everybody's in half of the games, else each bidder's own."""


def scenario(split: str, rng: np.random.Generator) -> Scenario:
    """An English auction of AucArena's standard items; for evaluation, of those of its niche study."""
    chosen = load_scenario(f"standard-20k-{rng.choice(['random', 'ascending', 'descending'])}")
    chosen = chosen.changed(num_bidders=int(rng.choice([2, 3, 3, 3, 4])))
    if split == "evaluation":
        chosen = dataclasses.replace(chosen, items=load_scenario("niche-20k").items)
    amounts = budgets(20_000, len(chosen.bidders), rng)
    bidders = tuple(dataclasses.replace(b, budget=x) for b, x in zip(chosen.bidders, amounts, strict=True))
    return dataclasses.replace(chosen, bidders=bidders)


def budgets(usual: int, number: int, rng: np.random.Generator) -> list[float]:
    """A budget for each bidder."""
    if rng.random() < 0.5:
        return [usual * float(rng.choice(BUDGETS))] * number
    return [usual * float(factor) for factor in rng.choice(BUDGETS, number)]
