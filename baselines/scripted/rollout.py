"""Many games between rule bidders, wholly inside compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from aucenv.core.checks import one_of, whole_number
from aucenv.core.kernel import game_key
from aucenv.policy import SCRIPTED, parse_bidder, scripted_bidders
from aucenv.registration import EnvFamily, find_family


def rollout(
    game: str | EnvFamily, scenario: Any, bidders: Sequence[str], games: int, seed: int = 0
) -> dict[str, np.ndarray]:
    """Play `games` games; game i is the game that `play` plays with the same bidders and seed `[seed, i]`.

    Args:
        game: "english" or its family.
        scenario: a name, a path or a scenario of that game.
        bidders: the name of a rule bidder for each seat.

    Returns:
        For each of the game's RESULT, an array (games, seats); money in cents. English: profit, items,
        budget_left.

    Raises:
        ValueError: a bidder is not a rule bidder of this game; not one bidder per seat; or as `load_scenario`.
    """
    family = find_family(game)
    rules = family.game.rules
    chosen = family.game.load_scenario(scenario)
    template = chosen.template()
    seats = len(chosen.bidders)
    whole_number("games", games, 0)
    if len(bidders) != seats:
        raise ValueError(f"bidders: expected one for each of {seats} seats, got {len(bidders)}")
    scripted = scripted_bidders(family.name)
    specs = [parse_bidder(name) for name in bidders]
    chosen_bidders = [scripted[one_of(f"bidder {spec.label!r}, rule bidder", spec.kind, scripted)] for spec in specs]
    kinds = np.array([bidder.kind for bidder in chosen_bidders], np.int64)
    params = np.zeros((seats, 8))
    for row, bidder, spec in zip(params, chosen_bidders, specs, strict=True):
        numbers = bidder.numbers(spec)
        row[: len(numbers)] = numbers
    keys = np.array([game_key([seed, i]) for i in range(games)], np.int64)
    results = np.empty((games, seats, len(rules.RESULT)), np.int64)
    import_module(SCRIPTED[family.name]).rollout_games(template.copy(), template, kinds, params, keys, results)
    return {name: results[:, :, i] for i, name in enumerate(rules.RESULT)}
