"""Estimates of the calls, tokens and dollars of games with models, from dry runs, before the first call."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.cost_estimate import CHARACTERS_PER_TOKEN, NOT_FOR_ESTIMATES
from aucenv.baselines.llm.dry_run import dry_run
from aucenv.baselines.llm.options import AGENTS

from aucenv.core.bidder_name import label_of, parse_bidder
from aucenv.core.game_modules import Scenario
from aucenv.policy.registry import make_policy
from aucenv.runs.play import Match
from aucenv.runs.token_prices import TokenPrices, dollars

REPLY = 400
"""The assumed number of characters of a model's reply; prompts repeat earlier replies, so that they grow with it."""
LOCAL = "local"
"""The endpoint of models that run in this process, and of scripts."""


@dataclasses.dataclass(frozen=True)
class Price:
    """The calls, tokens and cost of the games of a bidder that calls a model.

    Attributes:
        games: The number of games, counted once for each seat that the bidder has.
        cost: Dollars; None if the price of the model is unknown.
    """

    bidder: str
    games: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None

    def __str__(self) -> str:
        cost = "at an unknown price; give it with --prices" if self.cost is None else f"about {dollars(self.cost, 2)}"
        tokens = f"{self.tokens_in:,} tokens of prompts and {self.tokens_out:,} of replies"
        assumed = f"if a reply has {REPLY / CHARACTERS_PER_TOKEN:.0f} tokens"
        return f"{self.bidder}: about {self.calls:,} calls in {self.games:,} games; {assumed}, {tokens}, {cost}"


def price_of(name: str, games: Iterable[tuple[str, Scenario, int]], prices: TokenPrices) -> Price:
    """Return the price of a bidder that calls a model, from a dry run of each kind of game.

    Args:
        name: The bidder.
        games: The name of each game, its scenario, and the number of games.
        prices: Prices of tokens.
    """
    spec = parse_bidder(name)
    agent = spec.params.get("agent", "plain")
    options = _options(agent, spec.params)
    totals = [0, 0, 0, 0]
    first = ""
    for game, scenario, number in games:
        run = dry_run(game, agent, options, SamplingOptions(None, 1024, None), REPLY, scenario)
        lengths = (1, len(run.prompts), sum(run.prompts), sum(run.replies))
        totals = [total + number * part for total, part in zip(totals, lengths, strict=True)]
        first = first or game
    played, calls = totals[:2]
    tokens_in, tokens_out = (round(total / CHARACTERS_PER_TOKEN) for total in totals[2:])
    models = getattr(make_policy(first, name), "models", ())
    costs = [prices.cost(model.endpoint, model.name, tokens_in, tokens_out) for model in models]
    return Price(label_of(name), played, calls, tokens_in, tokens_out, costs[0] if costs else None)


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
