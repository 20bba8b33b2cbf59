"""Estimates of the cost of a run and of the width of its intervals, before the first call of a model."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping

from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.cost_estimate import CHARACTERS_PER_TOKEN, NOT_FOR_ESTIMATES
from aucenv.baselines.llm.dry_run import dry_run
from aucenv.baselines.llm.options import AGENTS
from aucenv.benchmarks.benchmark.plan import Plan

from aucenv.core.bidder_name import label_of, parse_bidder
from aucenv.policy.registry import make_policy
from aucenv.runs.token_prices import TokenPrices

REPLY = 400
"""The assumed number of characters of a model's reply."""
DRY_RUN_OPTIONS = ("temperature", "seed")


@dataclasses.dataclass(frozen=True)
class Price:
    """The calls, tokens and cost of the games of a bidder that calls a model.

    Attributes:
        cost: Dollars; None if the price of the model is unknown.
    """

    bidder: str
    games: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def prices_of(plan: Plan, prices: TokenPrices) -> Iterator[Price]:
    """Yield the price of each bidder that calls a model: from a dry run of each game's default scenario."""
    for name in plan.bidders:
        spec = parse_bidder(name)
        if spec.kind != "llm":
            continue
        games = [game for game in plan.games if plan.plays(name, game)]
        totals = [0, 0, 0, 0]
        agent = spec.params.get("agent", "plain")
        for game in games:
            number = sum(len(plan.deals[table.key]) for table in plan.tables(game))
            run = dry_run(game, agent, _options(agent, spec.params), SamplingOptions(None, 1024, None), REPLY)
            lengths = (len(run.prompts), sum(run.prompts), sum(run.replies))
            totals = [total + number * part for total, part in zip(totals, (1, *lengths), strict=True)]
        played, calls = totals[:2]
        tokens_in, tokens_out = (round(total / CHARACTERS_PER_TOKEN) for total in totals[2:])
        models = getattr(make_policy(games[0], name), "models", ())
        costs = [prices.cost(model.endpoint, model.name, tokens_in, tokens_out) for model in models]
        cost = None if not costs else costs[0]
        yield Price(label_of(name), played, calls, tokens_in, tokens_out, cost)


def _options(agent: str, params: Mapping[str, str]) -> dict[str, str]:
    names = {option.name for option in AGENTS[agent].options} - set(NOT_FOR_ESTIMATES)
    return {name: value for name, value in params.items() if name in names}


def half_widths(plan: Plan) -> dict[str, float]:
    """Return about half the width of the 95% interval of a score, by game, and of the overall score, as "overall"."""
    widths = {}
    for game in plan.played:
        deals = min((len(plan.deals[table.key]) for table in plan.tables(game)), default=0)
        if deals > 1:
            widths[game] = 1.96 * plan.references.spread[game] / math.sqrt(deals - 1)
    if len(widths) > 1:
        widths["overall"] = math.sqrt(sum(width**2 for width in widths.values())) / len(widths)
    return widths
