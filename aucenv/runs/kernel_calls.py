"""The kernels that games between given bidders call, so that they can be compiled before the first game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from aucenv.core.compiled.cold_start import KernelCall, Work
from aucenv.core.game import Game
from aucenv.core.kernel import COMPILES, seed_words
from aucenv.core.scenarios import Scenario
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy.registry import NETWORK_KIND, make_policy, rule_bidders
from aucenv.registration import EnvFamily, find_family
from aucenv.runs.play import Match


def match_kernels(matches: Iterable[Match]) -> list[Work]:
    """Return what the games of a schedule compile: the kernels of their tables and of their rule bidders."""
    if not COMPILES:
        return []
    lineups: dict[tuple[str, int], tuple[Any, set[str]]] = {}  # matches share scenario objects
    for match in matches:
        _, names = lineups.setdefault((match.game, id(match.scenario)), (match.scenario, set()))
        names.update(bidder for bidder in match.bidders if isinstance(bidder, str))
    work: dict[tuple[str, np.dtype], list[Work]] = {}
    for (name, _), (given, names) in lineups.items():
        scenario = find_family(name).game.load_scenario(given)
        shape = (name, scenario.template().dtype)
        if shape not in work:
            work[shape] = game_kernels(name, scenario, names)
    return [part for parts in work.values() for part in parts]


def game_kernels(family: str | EnvFamily, scenario: Scenario, names: Iterable[str]) -> list[Work]:
    """Return what a game compiles.

    Args:
        family: The name of the game, or its environments.
        scenario: A scenario of the game.
        names: The names of the bidders; only rule bidders and networks have kernels.
    """
    family = find_family(family)
    state = scenario.template()
    known = {*rule_bidders(family.name), NETWORK_KIND}
    policies = [make_policy(family.name, bidder) for bidder in names if parse_bidder(bidder).kind in known]
    bidding = {call.path: call for policy in policies for call in _kernel_calls(policy, state)}
    name = f"{family.name} for {len(scenario.bidders)} seats"
    return [
        Work("", (KernelCall("aucenv.core.kernel:sequence_key", (seed_words(0),)),)),
        Work(name, tuple(_table_calls(family.game, state))),
        Work(name, tuple(bidding.values())),
    ]


def _kernel_calls(policy: Any, state: np.ndarray) -> tuple[KernelCall, ...]:
    calls: tuple[KernelCall, ...] = policy.kernel_calls(state)
    return calls


def _table_calls(game: Game, state: np.ndarray) -> list[KernelCall]:
    """Return the calls of `core.play.table.Table` between bidders that bid amounts."""
    kernels = f"{game.module}:GAME.kernels"
    observations, masks = np.zeros((1, 1, 1), np.float32), np.zeros((1, 1, 1), np.int8)
    scores, summary, amounts = np.zeros((2, 1)), np.zeros(1, np.int64), np.zeros((2, 1), np.int64)
    buffers = (observations, masks, scores, summary)
    return [
        KernelCall(f"{kernels}.deal_table", (state, 0, state, 0, *buffers)),
        KernelCall(f"{kernels}.close_table_round", (state, 0, amounts, *buffers)),
        KernelCall(f"{game.module}:GAME.rules.check", (state, 0, 0, 0)),
        KernelCall(
            f"{game.module}:GAME.view.make_view.copies.copy_visible",
            (state, 0, 0, state, state.view(np.int64), game.view.make_view.copies.table(state.dtype)),
        ),
    ]
