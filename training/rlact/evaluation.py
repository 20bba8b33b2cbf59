"""Evaluate a model during training: its decisions on held-out states, and its profit in games with held-out rivals."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.baselines.population.families import VALIDATION, load_population
from aucenv.training.rlact.judges.row_games import SeatGame, profits_of
from aucenv.training.rlact.learning.generation import ReplyGenerator
from aucenv.training.rlact.policy import rlact_bidder
from aucenv.training.rlact.probes.probe import probe
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.sealed.shares import SHARES, TOLERANCE, highest_value, is_sealed, share_profits
from aucenv.training.rlact.states.games import learning_module
from aucenv.training.rlact.states.messages import BID, PHASES, read_legal
from aucenv.training.rlact.states.states import DecisionState

from aucenv.core.files import JsonObject
from aucenv.core.policy import Policy
from aucenv.core.progress import track
from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import make_policy

DEALS_SEED = 19
"""The seed of the deals of an evaluation, which are not those of any state."""


def decision_rates(generator: ReplyGenerator, states: Sequence[DecisionState], phase: str) -> dict[str, float]:
    """Return how good a model's replies to judged states are.

    A state whose decision is a tie does not count as right or wrong. Unreadable and illegal replies are wrong, and
    have the regret of withdrawing. In sealed-bid auctions there are no ties, and a bid is right if it earns less than
    the best one by at most `shares.TOLERANCE`.

    Returns:
        "decisions", the number of those that count; "greedy" and "sampled", the shares of right ones among them with
        greedy and with sampled replies; "regret", the mean number of dollars by which the better decision is expected
        to earn more than that of the greedy reply, over all states; "readable", the share of legal replies among
        sampled ones; "bids", the share of bids among those.
    """
    rates: dict[str, float] = {}
    for name, seed in (("sampled", 0), ("greedy", None)):
        replies = generator.replies(states, phase, seed)
        amounts = [read_legal(reply, phase, state) for reply, state in zip(replies, states, strict=True)]
        judged = [judge_decision(state, amount) for state, amount in zip(states, amounts, strict=True)]
        right = [is_right for _, is_right in judged if is_right is not None]
        rates |= {"decisions": len(right), name: sum(right) / len(right)}
        if name == "sampled":
            legal = sum(amount is not None for amount in amounts)
            rates["readable"] = legal / len(amounts)
            rates["bids"] = sum(amount not in (None, WITHDRAW) for amount in amounts) / max(1, legal)
    rates["regret"] = sum(regret for regret, _ in judged) / len(judged)
    return {name: round(value, 6) for name, value in rates.items()}


def judge_decision(state: DecisionState, amount: int | None) -> tuple[float, bool | None]:
    """Return the regret of a decision in dollars, and whether it is right, None for a tie.

    Args:
        state: a judged state.
        amount: cents or WITHDRAW; None for an unreadable or illegal reply.
    """
    values = state.action_values
    assert values is not None
    if is_sealed(state):
        judged = [WITHDRAW if action is None else round(100 * action) for action in values.actions]
        profits = dict(zip(judged, values.means, strict=True))
        if amount is not None and amount not in profits:
            profits[amount] = float(share_profits(state, [amount])[0]) / 100
        profit = 0.0 if amount is None else profits[amount]
        regret = max(0.0, max(values.means) - profit)
        return regret, amount is not None and regret <= TOLERANCE * highest_value(state) / 100
    bid = amount not in (None, WITHDRAW)
    best = values.bid_or_withdraw
    regret = abs(values.lead) if bid != (values.lead > 0) else 0.0
    return regret, None if not best else amount is not None and bid == (best > 0)


def tasks_of(game: str) -> tuple[str, ...]:
    """Return the tasks of a game: in sealed-bid auctions, a model only bids."""
    return (BID,) if game == SEALED_BID else PHASES


def evaluate(
    generator: ReplyGenerator, states: Sequence[DecisionState], phase: str, deals: int
) -> dict[str, JsonObject]:
    """Return the evaluation of a model by game.

    Returns:
        For each game of the states, the decision rates by task; "worst", the regret of the worst decisions; and
        "profit", the mean profit per game of a bidder that replies in `phase`, in dollars, None if `deals` is 0.
    """
    results: dict[str, JsonObject] = {}
    for game, of_game in by_game(states).items():
        bidder = rlact_bidder(game, generator, phase, generator.detail)
        tasks = track(tasks_of(game), f"tasks of the evaluation on {len(of_game)} states of {game}")
        rates = {each: decision_rates(generator, of_game, each) for each in tasks}
        values = [state.action_values for state in of_game if state.action_values is not None]
        spans = [max(each.means) - min(each.means) for each in values]
        profit = mean_profit(game, bidder, deals) if deals else None
        results[game] = {**rates, "worst": round(float(np.mean(spans)), 6), "profit": profit}
    return results


def score(results: Mapping[str, JsonObject], tasks: Collection[str]) -> float:
    """Return minus the mean regret over games and tasks, each as a share of that of the worst decisions.

    Args:
        results: an evaluation; see `evaluate`.
        tasks: the tasks that count; of a game that has none of them, bids do.
    """
    regrets = [
        result[task]["regret"] / (result["worst"] or 1.0)
        for result in results.values()
        for task in (tasks if set(tasks) & set(result) else (BID,))
        if task in result
    ]
    return round(-float(np.mean(regrets)), 6)


def by_game(states: Sequence[DecisionState]) -> dict[str, list[DecisionState]]:
    """Return the states of each game, by its name."""
    return {game: [s for s in states if s.game == game] for game in dict.fromkeys(state.game for state in states)}


def mean_profit(game: str, bidder: Policy, deals: int) -> float:
    """Return a bidder's mean profit per game in dollars, in all seats of each deal of `validation_deals`."""
    games = [
        SeatGame(scenario, tuple(rivals), seat, (DEALS_SEED, number))
        for number, (scenario, rivals) in enumerate(validation_deals(game, deals))
        for seat in range(len(rivals) + 1)
    ]
    return round(float(profits_of(bidder, game, games).mean()) / 100, 2)


def validation_deals(game: str, number: int) -> Iterator[tuple[Any, list[str]]]:
    """Yield scenarios of the split validation, each with rivals of families for validation."""
    members = load_population().families(game, VALIDATION)
    for deal in range(number):
        rng = np.random.default_rng([DEALS_SEED, deal])
        scenario = learning_module("game", game).scenario("validation", rng)
        chosen = rng.integers(len(members), size=len(scenario.bidders) - 1)
        yield scenario, [members[int(i)].draw(rng) for i in chosen]


def references(
    train: Sequence[DecisionState], held_out: Sequence[DecisionState], deals: int
) -> dict[str, dict[str, float | None]]:
    """Return what evaluations are compared with, by game.

    Returns:
        For each game of the held-out states, "chance" and "probe", the accuracies of the more frequent decision and of
        boosted trees, of which there are none in sealed-bid auctions; and, if there are deals, "expert", the mean
        profit of the judge's first bidder for later decisions.
    """
    training = by_game(train)
    compared: dict[str, dict[str, float | None]] = {}
    for game, of_game in by_game(held_out).items():
        if game == SEALED_BID:
            compared[game] = {"chance": best_constant_share(of_game), "probe": None}
        else:
            result = probe(training.get(game, []), of_game)
            compared[game] = {"chance": result.chance, "probe": result.accuracy}
        if deals:
            expert = learning_module("game", game).JUDGE[0]
            compared[game]["expert"] = mean_profit(game, make_policy(game, expert), deals)
    return compared


def best_constant_share(states: Sequence[DecisionState]) -> float:
    """Return how often the share of the value that is right most often is right, in sealed-bid auctions."""
    decisions = [[read_legal(f"I bid {share}%!", BID, state) for state in states] for share in SHARES]
    right = [sum(bool(judge_decision(s, a)[1]) for s, a in zip(states, each, strict=True)) for each in decisions]
    return max(right) / len(states)
