"""Measure the decisions per second of a finetuned model that scores plain replies, cached or not, or writes them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from aucenv.benchmarks.timings.timing import Timings, alternate
from aucenv.training.rlact.learning.generation import ReplyGenerator
from aucenv.training.rlact.policy import BUNDLED_ADAPTER, load_generator
from aucenv.training.rlact.states.messages import BID

from aucenv.core.play.table import Table
from aucenv.envs.english.game import GAME
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

LINEUP = ("pace", "rule", "rule,k=5")
"""The bidders of the game whose decisions are measured; those of the first are the model's."""


def decision_views(number: int) -> list[Any]:
    """Return the first `number` Views of the first seat of standard games, in order."""
    game, scenario = find_family("english").game, GAME.load_scenario("standard-20k-random")
    views: list[Any] = []
    seed = 0
    while len(views) < number:
        policies = [make_policy("english", name) for name in LINEUP]
        table = Table(game, scenario, [policy.interface for policy in policies])
        table.reset((seed, 0))
        for policy, seat in zip(policies, table.scenario_text.seats, strict=True):
            policy.reset(seat, seed)
        while not table.over:
            for seat in table.pending:
                if seat == 0:
                    views.append(table.view(seat))
                table.submit(seat, policies[seat].act(table.view(seat), {}))
        seed += 1
    return views[:number]


def time_rlact(decisions: int, rounds: int, folder: str = str(BUNDLED_ADAPTER)) -> Timings:
    """Measure decisions per second of a model of `aucenv train rlact`, one after the other, in the order of a game.

    Args:
        decisions: the number of decisions.
        rounds: the number of measurements.
        folder: the folder of the model.
    """
    views = decision_views(decisions)
    scores, writes = load_generator(folder, "", False), load_generator(folder, "", True)
    cached, fresh, written = "scored", "scored without the cache", "written"
    subjects = {
        cached: lambda: _rate(scores, views, False),
        fresh: lambda: _rate(scores, views, True),
        written: lambda: _rate(writes, views, False),
    }
    title = f"RLAct in SmolLM2-135M: {decisions} decisions of a seat in English auctions"
    notes = ["A scored decision computes all plain replies in one pass; the cache has the prompts of earlier rounds."]
    return Timings(title, "decisions/s", alternate(subjects, rounds), [(cached, fresh), (cached, written)], notes)


def _rate(generator: ReplyGenerator, views: Sequence[Any], forgets: bool) -> float:
    generator.forget()
    started = time.perf_counter()
    for view in views:
        if forgets:
            generator.forget()
        generator.greedy_reply(view, BID)
    return len(views) / (time.perf_counter() - started)
