"""Rule bidders for clock auctions: each names, at the first tick, the price at which it will leave, or take."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.policy import Parameter, Scripted
from aucenv.baselines.scripted.single_item import (
    EQUILIBRIUM,
    NAIVE,
    RANDOM,
    RISK_AVERSION,
    SHADE,
    TRUTHFUL,
    expected_worth,
    first_price_share,
    is_uniform_from_zero,
    simple_bidders,
    tied_worth,
)

from aucenv.core.kernel import draw, kernel
from aucenv.core.rollouts import Rollouts
from aucenv.core.state import WITHDRAW
from aucenv.envs.clock import belief, rules
from aucenv.envs.clock.rules import STAY, clip
from aucenv.envs.clock.scenario import Scenario
from aucenv.envs.single_item.values import CV


@kernel
def decide(kind, params, state, b, seat):
    """What a bidder of this kind answers, for an acting seat.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    if kind == RANDOM:
        return decide_random(params, state, b, seat)
    if kind == TRUTHFUL:
        return name_price(state, b, seat, expected_worth(g, seat))
    if kind == NAIVE:
        return name_price(state, b, seat, float(g["value"][seat][g["item"]]))
    if kind == SHADE:
        return name_price(state, b, seat, params[0] * expected_worth(g, seat))
    if kind == EQUILIBRIUM:
        return name_price(state, b, seat, equilibrium(g, seat, params[0]))
    return WITHDRAW


@kernel
def name_price(state, b, seat, cents):
    """The price of the clock nearest to an amount; where the clock is there already, leave, or take the prize."""
    g = state[b]
    price = max(0, int(cents + 0.5))
    if (g["falling"] == 0 and price == 0) or (g["falling"] != 0 and price < g["end"]):
        return WITHDRAW  # worth nothing, or less than the clock will fall to
    return clip(state, b, seat, price)


@kernel
def equilibrium(g, seat, risk_aversion):
    """The symmetric equilibrium's price, cents: the second price's bid, or the first price's; Krishna, section 1.2."""
    value = float(g["value"][seat][g["item"]])
    if g["falling"] != 0:
        return first_price_share(g["num_seats"], risk_aversion) * value
    return tied_worth(g, seat) if g["model"] == CV else value


@kernel
def decide_random(params, state, b, seat):
    g = state[b]
    point = draw(g["seat_key"][seat], 0, g["item"], g["round"], 0) / 4294967296.0
    if point < params[0]:
        return WITHDRAW if g["falling"] == 0 else g["price_now"]
    return STAY if g["falling"] == 0 else WITHDRAW


def no_equilibrium(scenario: Scenario, numbers: np.ndarray) -> str | None:
    """Why no closed form of the equilibrium is known here."""
    rising = scenario.direction == "ascending"
    known = scenario.solved_as_sealed and (scenario.values != "cv" or numbers[0] == 0)
    if ((rising and known) or (not rising and is_uniform_from_zero(scenario))) and scenario.lowest_price == 0:
        return None
    return (
        f"no closed form of the equilibrium is known for {scenario.direction} clocks, {scenario.feedback} feedback, "
        f"with {scenario.values} values from {scenario.value_range[0]:g} and prices from {scenario.lowest_price:g}: "
        "expected ascending (cv: blind, or 2 bidders, and r = 0), or descending with ipv values from 0; prices from 0"
    )


BIDDERS = (
    *simple_bidders(decide),
    Scripted(
        "equilibrium",
        EQUILIBRIUM,
        decide,
        "the symmetric equilibrium: of the second price where the clock climbs, of the first price where it falls "
        "(uniform values, risk aversion r); in cv, what the prize is worth where the best rival signal equals the own",
        (RISK_AVERSION,),
        why_unplayable_for=no_equilibrium,
    ),
    Scripted(
        "random",
        RANDOM,
        decide,
        "leaves, or takes the prize, with the same chance at each tick",
        (Parameter("chance", 0.05, 0, 1),),
    ),
)

ROLLOUTS = Rollouts("clock", rules, belief, decide)
