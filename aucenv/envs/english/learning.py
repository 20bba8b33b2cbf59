"""RLAct's training setup for English auctions: AucArena's items, with its niche study's items for evaluation."""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.envs.english.game import GAME, EnglishScenario

ADVISERS = ("pace", "value,margin=0.1")
JUDGE = ("pace", "value+pace")
LATER_BIDDERS = "pace+rule;k=3+rule;k=6"
TRAINED: tuple[str, ...] = ()

BUDGETS = (0.5, 0.75, 1.0, 1.0, 1.25, 1.5)
"""Multiples of the default budget. Half of the games draw one for all bidders, the others one for each bidder."""


def scenario(split: str, rng: np.random.Generator) -> EnglishScenario:
    """Draw an English auction of AucArena's standard items or, for the evaluation split, of its niche study's items."""
    chosen = GAME.load_scenario(f"standard-20k-{rng.choice(['random', 'ascending', 'descending'])}")
    chosen = chosen.changed(num_bidders=int(rng.choice([2, 3, 3, 3, 4])))
    if split == "evaluation":
        chosen = dataclasses.replace(chosen, items=GAME.load_scenario("niche-20k").items)
    amounts = budgets(20_000, len(chosen.bidders), rng)
    bidders = tuple(dataclasses.replace(b, budget=x) for b, x in zip(chosen.bidders, amounts, strict=True))
    return dataclasses.replace(chosen, bidders=bidders)


def budgets(default: int, num_bidders: int, rng: np.random.Generator) -> list[float]:
    """Draw a budget for each bidder, in dollars, as a multiple of the default budget."""
    if rng.random() < 0.5:
        return [default * float(rng.choice(BUDGETS))] * num_bidders
    return [default * float(factor) for factor in rng.choice(BUDGETS, num_bidders)]
