"""Deals: what games that draw the same values have in common, and digests by which deals are compared."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from aucenv.core.files import JsonMapping
from aucenv.core.kernel import Seed, seed_words
from aucenv.registration import find_family


def drawn_scenario(game: str, scenario: JsonMapping) -> JsonMapping:
    """Return the parts of a scenario that determine what is drawn.

    The figures of a game may have `deal_scenario`, which returns a scenario without what does not change what is drawn,
    such as names, which may rotate with the bidders.
    """
    reduce = getattr(find_family(game).game.figures, "deal_scenario", None)
    return scenario if reduce is None else reduce(scenario)


def deal_digest(game: str, scenario: JsonMapping, seed: Seed) -> str:
    """Return a digest of a deal, as 64 hexadecimal digits: two games with the same digest draw the same values.

    The name of the scenario does not count, and seeds of which SeedSequence makes the same numbers are the same.

    Args:
        game: The name of the game.
        scenario: The scenario as data, as its `to_dict` returns it and as records and states have it.
        seed: The seed of the game.

    Raises:
        ValueError: There is no such game, or the seed is not one.
    """
    drawn = {name: value for name, value in drawn_scenario(game, scenario).items() if name != "name"}
    words = np.trim_zeros(seed_words(seed), "b").tolist()
    text = json.dumps([game, drawn, words], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
