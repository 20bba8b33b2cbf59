"""RLAct's training setup for sealed-bid auctions: scenarios and bidders."""

from __future__ import annotations

import numpy as np

from aucenv.envs.sealed_bid.game import SCENARIOS, SealedBidScenario

ADVISERS = ("truthful", "shade,factor=0.6", "shade,factor=0.75", "shade,factor=0.9")
JUDGE = ("truthful", "truthful")
"""The judge computes profits, and makes no rollouts; the first bidder is the one that evaluations compare with."""
LATER_BIDDERS = "truthful"
TRAINED: tuple[str, ...] = ()

NAMES = ("first-ipv", "second-ipv", "third-ipv", "all-pay-ipv", "second-cv-3")


def scenario(split: str, rng: np.random.Generator) -> SealedBidScenario:
    """Draw a sealed-bid auction of two to four bidders; the values of all splits are drawn in the same way."""
    chosen = SCENARIOS[str(rng.choice(NAMES))]
    fewest = 3 if chosen.pricing == "third" else 2
    return chosen.changed(num_bidders=int(rng.integers(fewest, 5)))
