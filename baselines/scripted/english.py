"""Rule bidders for English auctions."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.policy import Parameter, RuleBidder

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.policy import Objective
from aucenv.core.scenarios import Scenario
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.english.features import amount
from aucenv.envs.english.game import EnglishScenario

MOST_BIDS = 20
"""The rule bidder's highest limit of bids per item, without which games with cheap items would last very long."""

OVERESTIMATE = 0.1
"""Assumed relative excess of estimates over true values, before any true value is revealed."""

RANDOM, RULE, VALUE, PACE, DRAIN, ORACLE, ITEMS, ITEM = range(8)


@kernel
def decide(kind, params, state, b, seat):
    """Return the amount in cents that a bidder of kind `kind` bids in an acting seat, or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    if kind == RANDOM:
        return decide_random(params, state, b, seat)
    if kind == RULE:
        return decide_rule(params, state, b, seat)
    if kind == VALUE:
        return decide_value(params, state, b, seat)
    if kind == PACE:
        return decide_pace(params, state, b, seat)
    if kind == DRAIN:
        return decide_drain(params, state, b, seat)
    if kind == ORACLE:
        return decide_oracle(params, state, b, seat)
    if kind == ITEMS:
        return decide_items(params, state, b, seat)
    if kind == ITEM:
        return decide_item(params, state, b, seat)
    return WITHDRAW


@kernel
def decide_random(params, state, b, seat):
    """Withdraw, or make one of the `ladder` lowest bids that the budget allows, each with the same probability."""
    g, ladder = state[b], params[0]
    affordable = max(0, (g["budget"][seat] - g["least"]) // g["raise_by"] + 1)
    choices = min(affordable, int(ladder)) + 1
    action = draw_below(choices, g["seat_key"][seat], 0, g["item"], g["round"], 0)
    return amount(state, b, seat, action)


@kernel
def decide_rule(params, state, b, seat):
    """Bid the least legal amount, at most `k` times per item. Source: AucArena's rule bidder, arXiv 2310.05746.

    A negative `k` stands for `bids_of_budget`.
    """
    g, k = state[b], params[0]
    limit = k if k >= 0 else float(bids_of_budget(g, seat))
    return up_to(g, seat, g["budget"][seat]) if g["bids"][seat] < limit else WITHDRAW


@kernel
def bids_of_budget(g, seat):
    """Return 0.6 times the seat's budget at the start over the mean starting price, rounded, from 1 to MOST_BIDS.

    For AucArena's standard items this is 4 at a budget of $20,000, as in the paper's program, and 8 at $40,000.
    """
    bids = (6 * g["endowment"][seat] * g["num_items"] + 5 * g["total"]) // (10 * g["total"])
    return min(max(1, bids), MOST_BIDS)


@kernel
def decide_value(params, state, b, seat):
    """Bid the least legal amount up to the estimate, less the share `margin`."""
    g, margin = state[b], params[0]
    return up_to(g, seat, g["estimate"][seat][g["item"]] * (1.0 - margin))


@kernel
def decide_pace(params, state, b, seat):
    """Bid up to the corrected estimate, less the share `margin`, and proportionally less if budgets are short.

    Budgets are short if the seat's budget times the number of seats is below the corrected value of the items left.
    """
    g, margin, prior = state[b], params[0], params[1]
    correction = value_per_estimate(g, seat, prior)
    remaining_value = 0.0
    for j in range(g["item"], g["num_items"]):
        remaining_value += g["estimate"][seat][j] * correction
    pace = min(1.0, g["num_seats"] * g["budget"][seat] / remaining_value) if remaining_value > 0.0 else 1.0
    return up_to(g, seat, g["estimate"][seat][g["item"]] * correction * pace * (1.0 - margin))


@kernel
def decide_drain(params, state, b, seat):
    """Bid up to the share `push` of the corrected estimate while a rival is richer, and else up to the share `keep`."""
    g, push, keep, prior = state[b], params[0], params[1], params[2]
    richest = 0  # the largest budget of a rival
    for s in range(g["num_seats"]):
        if s != seat:
            richest = max(richest, g["budget"][s])
    share = push if richest > g["budget"][seat] else keep
    return up_to(g, seat, g["estimate"][seat][g["item"]] * value_per_estimate(g, seat, prior) * share)


@kernel
def decide_oracle(params, state, b, seat):
    """Bid up to the true value, less the share `margin`: a bidder that cheats."""
    g, margin = state[b], params[0]
    return up_to(g, seat, g["value"][g["item"]] * (1.0 - margin))


@kernel
def decide_items(params, state, b, seat):
    """Bid the least legal amount up to a price that is the same for all remaining items; see `BIDDERS`."""
    g, most = state[b], params[0]
    for wanted in range(g["num_items"] - g["item"], 0, -1):
        limit = g["num_seats"] * g["budget"][seat] // wanted
        payable = 0
        for j in range(g["item"], g["num_items"]):
            payable += (g["price"] if j == g["item"] else g["start"][j]) <= limit
        if payable >= wanted:
            return up_to(g, seat, min(float(limit), most * g["price"]))
    return WITHDRAW


@kernel
def decide_item(params, state, b, seat):
    """Bid the least legal amount for one item, up to `most` times its starting price, and withdraw from all others.

    The item is the seat's target, and otherwise number `number` of the scenario.
    """
    g, number, most = state[b], params[0], params[1]
    target = g["target"][seat] if g["target"][seat] != NOBODY else int(number) - 1
    return up_to(g, seat, most * g["price"]) if g["lot"][g["item"]] == target else WITHDRAW


@kernel
def up_to(g, seat, limit):
    """Return the least legal bid, or WITHDRAW if that bid is above `limit` or the seat cannot pay it."""
    least = g["least"]
    return least if (least <= limit) & (least <= g["budget"][seat]) else WITHDRAW


@kernel
def value_per_estimate(g, seat, prior):
    """Return the total true value of the items sold so far, divided by the seat's total estimate of them.

    Args:
        prior: the assumed relative excess of estimates over true values; before the first sale, return 1 / (1 + prior).
    """
    value = 0.0
    estimate = 0.0
    for j in range(g["item"]):
        if g["winner"][j] != NOBODY:
            value += g["value"][j]
            estimate += g["estimate"][seat][j]
    return value / estimate if estimate > 0.0 else 1.0 / (1.0 + prior)


def number_of_items(scenario: Scenario, params: np.ndarray, seat: int) -> Objective:
    """Return the objective of `items`."""
    return "items", None


def target_of(scenario: EnglishScenario, params: np.ndarray, seat: int) -> Objective:
    """Return the objective of `item`: the target of its seat, and otherwise item number `number`."""
    return "item", scenario.bidders[seat].target or scenario.items[int(params[0]) - 1].name


def why_no_target(scenario: Scenario, params: np.ndarray) -> str | None:
    """Return why `item` cannot play a scenario, or None if it can."""
    number, items = params[0], len(getattr(scenario, "items", ()))
    if number == int(number) <= items:
        return None
    return f"number: expected the number of one of its {items} items, got {number:g}"


MARGIN = Parameter("margin", 0.0, -5, 1)
PRIOR = Parameter("prior", OVERESTIMATE, -0.99, 5)
MOST = Parameter("most", 10, 1, 1000)

BIDDERS = (
    RuleBidder(
        "rule",
        RULE,
        decide,
        "Bids the least legal amount at most k times per item and ignores values (AucArena's rule bidder). By default, "
        "k is 0.6 * budget / mean starting price, rounded, from 1 to 20: 4 for AucArena's items at a budget of "
        "$20,000, and 8 at $40,000. The paper says only that the limit depends on the budget; its program has 4",
        (Parameter("k", -1, 0, 1000, "0.6 * budget / mean starting price"),),
    ),
    RuleBidder(
        "value", VALUE, decide, "Bids the least legal amount up to (1 - `margin`) times its estimate", (MARGIN,)
    ),
    RuleBidder(
        "pace",
        PACE,
        decide,
        "Bids like `value`, but corrects its estimates: it multiplies them by the ratio of true values to estimates of "
        "the items sold so far (before the first sale by 1 / (1 + `prior`)). If its budget is below its equal share of "
        "the total value of the remaining items, it lowers its limits in proportion",
        (MARGIN, PRIOR),
    ),
    RuleBidder(
        "drain",
        DRAIN,
        decide,
        "Corrects its estimates like `pace`. While a rival has a larger budget, it bids up to `push` times the "
        "corrected estimate, so that the rival has to spend its budget; otherwise it bids up to `keep` times the "
        "corrected estimate",
        (Parameter("push", 0.95, 0, 5), Parameter("keep", 0.75, 0, 5), PRIOR),
    ),
    RuleBidder(
        "random",
        RANDOM,
        decide,
        "Picks uniformly among withdrawing and those of the `ladder` lowest bids (the least legal bid plus 0, 1, ... "
        "increments) that it can pay",
        (Parameter("ladder", 10, 1, 1000),),
    ),
    RuleBidder(
        "oracle",
        ORACLE,
        decide,
        "Bids the least legal amount up to (1 - `margin`) times the true value",
        (MARGIN,),
        cheats=True,
    ),
    RuleBidder(
        "items",
        ITEMS,
        decide,
        "Seeks as many items as possible, whatever they are worth. All items count the same, so it bids the least "
        "legal amount for each up to the same price: N times its budget / the number of remaining items whose starting "
        "price is not above this price, because with N seats it expects to win one of them in N. It never bids more "
        "than `most` times the starting price",
        (MOST,),
        objective=number_of_items,
    ),
    RuleBidder(
        "item",
        ITEM,
        decide,
        "Seeks one item: it bids the least legal amount for it up to its whole budget, but no more than `most` times "
        "the starting price, and withdraws from all others. The item is the target that the scenario gives it, and "
        "otherwise number `number` of the scenario's list",
        (Parameter("number", 1, 1, 1000), MOST),
        why_unplayable_for=why_no_target,
        objective=target_of,
    ),
)
