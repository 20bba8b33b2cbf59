"""Estimates of what games cost at an endpoint, from dry runs and a measured decision."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.dry_run import DryRun, dry_run
from aucenv.baselines.llm.endpoints.check import EndpointReport
from aucenv.baselines.llm.endpoints.probes import is_reasoning
from aucenv.baselines.llm.options import AGENTS, agents_of

from aucenv.registration import FAMILIES
from aucenv.runs.model_calls.calls import Completion
from aucenv.runs.model_calls.token_prices import TokenPrices

CHARACTERS_PER_TOKEN = 4.0
"""The assumption about endpoints that do not report usage."""
MAX_LENGTH = 4000
"""The maximum number of characters by which replies of dry runs are lengthened."""
MISFIT = 0.05
"""The greatest relative error of prices that are derived from the costs that an endpoint reports."""
NOT_FOR_ESTIMATES = ("memory", "objective")
"""Options of agents that write files or suit only some scenarios; estimates use their defaults."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """The length of a measured decision of the model.

    Attributes:
        ratio: characters per token.
        length: characters of the reply.
        spoken: tokens of the reply.
        reasoning: tokens of reasoning before the reply.
        is_assumed: whether the endpoint does not report usage.
        is_cut: whether the reply was cut off, so that its tokens are the most that the bidder allows.
    """

    ratio: float
    length: int
    spoken: float
    reasoning: float
    is_assumed: bool = False
    is_cut: bool = False


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The calls, tokens and cost of one seat in one game.

    Attributes:
        scenario: the scenario that was played.
        cost: in dollars; None if the price is unknown.
    """

    game: str
    agent: str
    scenario: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def measure(report: EndpointReport) -> Measured:
    """Return the length of the decision that the check has asked for."""
    replies = report.replies
    bid, limit = replies.of("bid"), report.max_tokens
    if bid is None:
        return Measured(CHARACTERS_PER_TOKEN, 0, 0.0, 0.0, is_assumed=True)
    ratio = replies.bid_prompt / bid.tokens_in if bid.tokens_in else CHARACTERS_PER_TOKEN
    spoken = len(bid.text) / ratio
    reasoning = 0.0
    if is_reasoning(bid):
        total = spoken + len(bid.reasoning) / ratio if bid.tokens_out is None else bid.tokens_out
        reasoning = total - spoken if bid.tokens_reasoning is None else bid.tokens_reasoning
        spoken = total - reasoning
    elif bid.finish == "length":
        spoken = limit
    elif bid.tokens_out is not None:
        spoken = bid.tokens_out
    return Measured(ratio, len(bid.text), spoken, max(0.0, reasoning), bid.tokens_in is None, bid.finish == "length")


def estimates(report: EndpointReport, measured: Measured, prices: TokenPrices) -> Iterator[Estimate]:
    """Yield an estimate for each game and each agent that plays it."""
    options = report.replies.options
    sampling = SamplingOptions.of({**options, "max_tokens": report.max_tokens})
    per_token = reported_prices(report.replies.completions)
    for game in FAMILIES:
        for agent in agents_of(game):
            names = {option.name for option in AGENTS[agent].options} - set(NOT_FOR_ESTIMATES)
            given = {name: report.given[name] for name in names & set(report.given) if agent == report.agent}
            run = dry_run(game, agent, given, sampling, min(measured.length, MAX_LENGTH))
            tokens_in, tokens_out = _tokens(run, measured, report.max_tokens)
            model = report.replies.model
            cost = prices.cost(model.endpoint, model.name, tokens_in, tokens_out)
            if per_token is not None:
                cost = per_token[0] * tokens_in + per_token[1] * tokens_out
            yield Estimate(game, agent, run.scenario, len(run.prompts), tokens_in, tokens_out, cost)


def _tokens(run: DryRun, measured: Measured, max_tokens: int) -> tuple[int, int]:
    """Return the tokens of all prompts and of all replies of a dry run."""
    spoken = [max(measured.spoken, length / measured.ratio) for length in run.replies]
    replies = [min(max_tokens, tokens + measured.reasoning) for tokens in spoken]
    return round(sum(run.prompts) / measured.ratio), round(sum(replies))


def reported_prices(completions: Sequence[Completion]) -> tuple[float, float] | None:
    """Return dollars per token of prompts and of replies that explain the costs that an endpoint reports.

    None: it reports none, or no such prices explain them.
    """
    rows = [
        (reply.tokens_in, reply.tokens_out, reply.reported_cost)
        for reply in completions
        if None not in (reply.tokens_in, reply.tokens_out, reply.reported_cost)
    ]
    if len(rows) < 3:
        return None
    tokens, costs = np.array([row[:2] for row in rows], float), np.array([row[2] for row in rows], float)
    prices, *_ = np.linalg.lstsq(tokens, costs, rcond=None)
    prices = np.maximum(prices, 0)
    if np.abs(tokens @ prices - costs).sum() > MISFIT * costs.sum():
        return None
    return float(prices[0]), float(prices[1])
