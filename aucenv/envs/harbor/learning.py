"""RLAct's training setup for housing auctions: scenarios and bidders. Source: HARBOR, arXiv 2502.12149."""

from __future__ import annotations

import numpy as np

from aucenv.envs.english.game import NAMES
from aucenv.envs.english.learning import budgets
from aucenv.envs.harbor.game import HarborBidder, HarborScenario

ADVISERS = ("expact", "persona", "pace", "value,margin=0.1")
JUDGE = ("expact", "expact+persona")
LATER_BIDDERS = "expact+rule;k=3"
TRAINED = ("rlact",)


def scenario(split: str, rng: np.random.Generator) -> HarborScenario:
    """Draw a housing auction: with probability 1/3 the split's fixed houses, else generated ones.

    The evaluation split shares no houses with the other splits: it generates from odd seeds, the others from even ones.
    """
    num_bidders = int(rng.choice([2, 3, 3, 3, 4, 5]))
    house_split = "evaluation" if split == "evaluation" else "train"
    seed = 2 * int(rng.integers(500)) + (split == "evaluation")
    amounts = budgets(1_000_000, num_bidders, rng)
    personas = ("drawn",) * int(rng.choice([1, 1, 1, 2, 0]))
    overestimate = int(rng.choice([5, 10, 10, 10, 15]))
    return HarborScenario(
        "rlact",
        tuple(
            HarborBidder(NAMES[i], amounts[i], personas, overestimate, int(rng.choice([0, 0, 5])))
            for i in range(num_bidders)
        ),
        house_split if rng.random() < 1 / 3 else f"fresh-{seed}",
        num_items=int(rng.choice([8, 10, 10, 12])),
        matches=1 if num_bidders > 3 or len(personas) == 2 else 2,
        item_order=str(rng.choice(["random", "ascending", "descending"])),
        split=house_split,
    )
