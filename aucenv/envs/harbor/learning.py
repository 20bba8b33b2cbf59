"""What RLAct trains on in housing auctions, and how it is judged. Source: HARBOR, arXiv 2502.12149."""

from __future__ import annotations

import numpy as np

from aucenv.envs.english.learning import budgets
from aucenv.envs.english.scenario import NAMES
from aucenv.envs.harbor.scenario import Bidder, Scenario

TABLE = (
    *("expact", "expact", "persona", "persona", "second_order", "pace", "value,margin=0.1"),
    *("rule,k=2", "rule,k=3", "rule,k=4", "rule,k=6"),
)
ADVISERS = ("expact", "persona", "pace", "value,margin=0.1")
JUDGE = ("expact", "expact+persona")
TRAINED = ("rlact",)


def scenario(split: str, rng: np.random.Generator) -> Scenario:
    """A housing auction: standing houses in a third of the cases, else fresh ones, that no other split has."""
    number = int(rng.choice([2, 3, 3, 3, 4, 5]))
    kept = "evaluation" if split == "evaluation" else "train"
    fresh = 2 * int(rng.integers(500)) + (split == "evaluation")
    amounts = budgets(1_000_000, number, rng)
    personas = ("drawn",) * int(rng.choice([1, 1, 1, 2, 0]))
    over = int(rng.choice([5, 10, 10, 10, 15]))
    return Scenario(
        "rlact",
        tuple(Bidder(NAMES[i], amounts[i], personas, over, int(rng.choice([0, 0, 5]))) for i in range(number)),
        kept if rng.random() < 1 / 3 else f"fresh-{fresh}",
        num_items=int(rng.choice([8, 10, 10, 12])),
        matches=1 if number > 3 or len(personas) == 2 else 2,
        item_order=str(rng.choice(["random", "ascending", "descending"])),
        split=kept,
    )
