"""Estimates of the calls, tokens and dollars of games with models, from dry runs, before the first call."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.cost_estimate import CHARACTERS_PER_TOKEN, NOT_FOR_ESTIMATES
from aucenv.baselines.llm.dry_run import dry_run
from aucenv.baselines.llm.options import AGENTS

from aucenv.core.scenarios import Scenario
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.token_prices import TokenPrices, dollars
from aucenv.runs.play import Match

REPLY = 400
"""The assumed number of characters of a model's reply; prompts repeat earlier replies, so that they grow with it."""
LEAST_CACHED = 1024
"""The least number of tokens at the start of a prompt that OpenAI, Anthropic and Google read from a cache."""
LOCAL = "local"
"""The endpoint of models that run in this process, and of scripts."""


@dataclasses.dataclass(frozen=True)
class Price:
    """The calls, tokens and cost of the games of a bidder that calls a model.

    Attributes:
        games: The number of games, counted once for each seat that the bidder has.
        cost: Dollars; None if the price of the model is unknown.
        tokens_cached: The tokens of prompts with which an earlier call of the game starts as well.
        cost_cached: Dollars if these are read from a cache; None if the price of that is unknown.
        reply: The assumed number of characters of a reply.
        purpose: For what the calls are, if it is not games, such as "for 40 houses".
    """

    bidder: str
    games: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    tokens_cached: int = 0
    cost_cached: float | None = None
    reply: int = REPLY
    purpose: str = ""

    def __str__(self) -> str:
        cost = "at an unknown price; give it with --prices" if self.cost is None else f"about {dollars(self.cost, 2)}"
        cost += "" if self.cost_cached is None else f", or {dollars(self.cost_cached, 2)} with cached prompts"
        tokens = f"{self.tokens_in:,} tokens of prompts and {self.tokens_out:,} of replies"
        assumed = f"if a reply has {self.reply / CHARACTERS_PER_TOKEN:.0f} tokens"
        purpose = self.purpose or f"in {self.games:,} games"
        return f"{self.bidder}: about {self.calls:,} calls {purpose}; {assumed}, {tokens}, {cost}"


def price_of(name: str, games: Iterable[tuple[str, Any, int]], prices: TokenPrices) -> Price:
    """Return the price of a bidder that calls a model, from a dry run of each kind of game.

    Args:
        name: The bidder.
        games: The name of each game, its scenario, and the number of games.
        prices: Prices of tokens.
    """
    totals = [0, 0, 0, 0, 0]
    first = ""
    for game, scenario, number in games:
        totals = [total + number * part for total, part in zip(totals, _lengths(name, game, scenario), strict=True)]
        first = first or game
    played, calls = totals[:2]
    tokens_in, tokens_out, tokens_cached = (round(total / CHARACTERS_PER_TOKEN) for total in totals[2:])
    models = getattr(make_policy(first, name), "models", ())
    known = prices.of(models[0].endpoint, models[0].name) if models else None
    cost = None if known is None else known.cost(tokens_in, tokens_out)
    cost_cached = None
    if known is not None and known.cached_input is not None:
        cost_cached = known.cost(tokens_in, tokens_out, tokens_cached, tokens_written=tokens_in - tokens_cached)
    return Price(label_of(name), played, calls, tokens_in, tokens_out, cost, tokens_cached, cost_cached)


@lru_cache(maxsize=512)
def _lengths(name: str, game: str, scenario: Any) -> tuple[int, int, int, int, int]:
    """Return for one game: 1, the number of calls, and the characters of prompts, of replies, and of cached prompts."""
    params = parse_bidder(name).params
    agent = params.get("agent", "plain")
    run = dry_run(game, agent, _options(agent, params), SamplingOptions(None, 1024, None), REPLY, scenario)
    cached = sum(shared for shared in run.shared if shared >= LEAST_CACHED * CHARACTERS_PER_TOKEN)
    return 1, len(run.prompts), sum(run.prompts), sum(run.replies), cached


def total(prices: Sequence[Price]) -> Price | None:
    """Return the price of all bidders together, with the name of the first; None if there is none."""
    if not prices:
        return None
    return Price(
        bidder=prices[0].bidder,
        games=sum(price.games for price in prices),
        calls=sum(price.calls for price in prices),
        tokens_in=sum(price.tokens_in for price in prices),
        tokens_out=sum(price.tokens_out for price in prices),
        cost=_sum([price.cost for price in prices]),
        tokens_cached=sum(price.tokens_cached for price in prices),
        cost_cached=_sum([price.cost_cached for price in prices]),
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    """Return a sum; None if a part is unknown."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def prices_of_matches(matches: Iterable[Match], prices: TokenPrices, with_local: bool = False) -> list[Price]:
    """Return the price of each bidder of a schedule that calls a model.

    Games with as many seats and items, or rounds, count as one kind, whose first scenario is played in the dry run.

    Args:
        matches: The games.
        prices: Prices of tokens.
        with_local: Whether to include models that run in this process, and scripts.
    """
    counts: dict[str, dict[tuple[str, int, int], tuple[str, Scenario, int]]] = {}
    for match in matches:
        shape = match.game, len(match.scenario.bidders), match.scenario.num_items
        for name in match.bidders:
            if isinstance(name, str) and parse_bidder(name).kind == "llm":
                game, scenario, number = counts.setdefault(name, {}).get(shape, (match.game, match.scenario, 0))
                counts[name][shape] = game, scenario, number + 1
    return [
        price_of(name, kinds.values(), prices)
        for name, kinds in counts.items()
        if with_local or not _is_local(name, min(kinds)[0])
    ]


def _is_local(name: str, game: str) -> bool:
    policy: Any = make_policy(game, name)
    return all(model.endpoint == LOCAL for model in getattr(policy, "models", ()))


def _options(agent: str, params: Mapping[str, str]) -> dict[str, str]:
    names = {option.name for option in AGENTS[agent].options} - set(NOT_FOR_ESTIMATES)
    return {name: value for name, value in params.items() if name in names}
