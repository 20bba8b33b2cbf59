"""Rule bidders for English auctions."""

from __future__ import annotations

from aucenv.baselines.scripted.policy import Parameter, RuleBidder

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.rollouts import Rollouts
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.english import belief, rules
from aucenv.envs.english.vector import amount

RANDOM, RULE, VALUE, PACE, DRAIN, ORACLE = range(6)


@kernel
def decide(kind, params, state, b, seat):
    """Return the amount that a bidder of this kind bids, for an acting seat.

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
    return WITHDRAW


@kernel
def decide_random(params, state, b, seat):
    g = state[b]
    affordable = (g["budget"][seat] - g["least"]) // g["raise_by"] + 1
    choices = min(affordable, int(params[0])) + 1
    action = draw_below(choices, g["seat_key"][seat], 0, g["item"], g["round"], 0)
    return amount(state, b, seat, action)


@kernel
def decide_rule(params, state, b, seat):
    g = state[b]
    return up_to(g, g["budget"][seat]) if g["bids"][seat] < params[0] else WITHDRAW


@kernel
def decide_value(params, state, b, seat):
    g = state[b]
    return up_to(g, g["estimate"][seat][g["item"]] * (1.0 - params[0]))


@kernel
def decide_pace(params, state, b, seat):
    g = state[b]
    correction = value_per_estimate(g, seat, params[1])
    remaining_value = 0.0
    for j in range(g["item"], g["num_items"]):
        remaining_value += g["estimate"][seat][j] * correction
    pace = min(1.0, g["num_seats"] * g["budget"][seat] / remaining_value) if remaining_value > 0.0 else 1.0
    return up_to(g, g["estimate"][seat][g["item"]] * correction * pace * (1.0 - params[0]))


@kernel
def decide_drain(params, state, b, seat):
    g = state[b]
    richest = 0
    for s in range(g["num_seats"]):
        if s != seat:
            richest = max(richest, g["budget"][s])
    share = params[0] if richest > g["budget"][seat] else params[1]
    return up_to(g, g["estimate"][seat][g["item"]] * value_per_estimate(g, seat, params[2]) * share)


@kernel
def decide_oracle(params, state, b, seat):
    g = state[b]
    return up_to(g, g["value"][g["item"]] * (1.0 - params[0]))


@kernel
def up_to(g, limit):
    """Return the least legal bid, or withdraw if it is above `limit`."""
    least = g["least"]
    return least if least <= limit else WITHDRAW


@kernel
def value_per_estimate(g, seat, prior):
    """Return total true value / total estimate of the seat over the items sold so far; 1 / (1 + prior) before any."""
    value = 0.0
    estimate = 0.0
    for j in range(g["item"]):
        if g["winner"][j] != NOBODY:
            value += g["value"][j]
            estimate += g["estimate"][seat][j]
    return value / estimate if estimate > 0.0 else 1.0 / (1.0 + prior)


MARGIN = Parameter("margin", 0.0, -5, 1)
PRIOR = Parameter("prior", 0.1, -0.99, 5)

BIDDERS = (
    RuleBidder(
        "rule",
        RULE,
        decide,
        "Bids the least legal amount at most k times per item and ignores values (AucArena's rule bidder)",
        (Parameter("k", 4, 0, 1000),),
    ),
    RuleBidder(
        "value", VALUE, decide, "Bids the least legal amount up to its estimate less the share `margin`", (MARGIN,)
    ),
    RuleBidder(
        "pace",
        PACE,
        decide,
        "Bids like `value`, but corrects its estimates by the true values revealed so far, and by `prior` before the "
        "first. It bids a smaller share of them if its budget is below its fair share of the remaining value",
        (MARGIN, PRIOR),
    ),
    RuleBidder(
        "drain",
        DRAIN,
        decide,
        "Raises up to the share `push` of the corrected estimate while a rival has a larger budget, to drain it, and "
        "otherwise up to the share `keep`",
        (Parameter("push", 0.95, 0, 5), Parameter("keep", 0.75, 0, 5), PRIOR),
    ),
    RuleBidder(
        "random",
        RANDOM,
        decide,
        "Picks uniformly among withdrawing and the affordable bids of a ladder of raises",
        (Parameter("ladder", 10, 1, 1000),),
    ),
    RuleBidder(
        "oracle",
        ORACLE,
        decide,
        "Bids the least legal amount up to the true value less the share `margin`",
        (MARGIN,),
        cheats=True,
    ),
)

ROLLOUTS = Rollouts("english", rules, belief, decide)
