"""Rule bidders for clock auctions.

At the first tick of a round, every bidder but `random` names a price in advance. When the clock reaches it, the bidder
leaves a rising clock, or takes the prize from a falling one. `random` decides at each tick.
"""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.policy import Parameter, RuleBidder
from aucenv.baselines.scripted.single_item import (
    EQUILIBRIUM,
    NAIVE,
    RANDOM,
    RISK_AVERSION,
    SHADE,
    TRUTHFUL,
    first_price_share,
    intended_price,
    is_uniform_from_zero,
    shared_bidders,
    tied_value,
)

from aucenv.core.kernel import draw, kernel
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import round_to_step
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.clock.rules import STAY, clip
from aucenv.envs.single_item.values import CV


@kernel
def decide(kind, params, state, b, seat):
    """Return the action of a bidder of kind `kind` in an acting seat: a price in cents, STAY or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    if kind == RANDOM:
        return decide_random(params, state, b, seat)
    if kind in (TRUTHFUL, NAIVE, SHADE):
        return name_price(state, b, seat, intended_price(kind, params, g, seat))
    if kind == EQUILIBRIUM:
        return name_price(state, b, seat, equilibrium(g, seat, params[0]))
    return WITHDRAW


@kernel
def name_price(state, b, seat, cents):
    """Return the clock price nearest to `cents`, or leave or take the prize now if the clock has reached that price."""
    g = state[b]
    price = max(0, int(cents + 0.5))
    if (g["falling"] == 0 and price == 0) or (g["falling"] != 0 and price < g["end"]):
        return WITHDRAW  # the price is 0 on a rising clock, or below the last price of a falling one
    return clip(state, b, seat, price)


@kernel
def equilibrium(g, seat, risk_aversion):
    """Return the symmetric equilibrium's price, in cents; Krishna, Auction Theory, section 1.2.

    A rising clock is solved as a second-price auction, with prices rounded as `theory.as_bids` does, and a falling one
    as a first-price auction. There `name_price` rounds half a tick down, which on small grids is an equilibrium.
    """
    value = float(g["value"][seat][g["item"]])
    if g["falling"] != 0:
        return first_price_share(g["num_seats"], risk_aversion) * value
    return float(round_to_step(tied_value(g, seat) if g["model"] == CV else value, g["tick"]))


@kernel
def decide_random(params, state, b, seat):
    """Leave a rising clock, or take the prize from a falling one, with probability `chance` at each tick."""
    g, chance = state[b], params[0]
    point = draw(g["seat_key"][seat], 0, g["item"], g["round"], 0) / 4294967296.0
    if point < chance:
        return WITHDRAW if g["falling"] == 0 else g["price_now"]
    return STAY if g["falling"] == 0 else WITHDRAW


def no_equilibrium(scenario: ClockScenario, params: np.ndarray) -> str | None:
    """Return the reason why no closed form of the equilibrium is known for the scenario, or None if one is."""
    rising = scenario.direction == "ascending"
    solved = scenario.solved_as_sealed and (scenario.values != "cv" or params[0] == 0)
    if ((rising and solved) or (not rising and is_uniform_from_zero(scenario))) and scenario.lowest_price == 0:
        return None
    return (
        f"no closed form of the equilibrium is known for {scenario.direction} clocks, {scenario.feedback} feedback, "
        f"with {scenario.values} values from {scenario.value_range[0]:g} and prices from {scenario.lowest_price:g}: "
        "expected prices from 0, and either an ascending clock (in cv with blind feedback or 2 bidders, and r = 0) or "
        "a descending clock with ipv values from 0"
    )


BIDDERS = (
    *shared_bidders(decide),
    RuleBidder(
        "equilibrium",
        EQUILIBRIUM,
        decide,
        "Plays the symmetric equilibrium of the second-price auction on a rising clock, and that of the first-price "
        "auction with uniform values and risk aversion r on a falling clock. With common values (cv), on a rising "
        "clock, it stays up to the expected value given that the highest rival signal equals its own",
        (RISK_AVERSION,),
        why_unplayable_for=no_equilibrium,
    ),
    RuleBidder(
        "random",
        RANDOM,
        decide,
        "Leaves a rising clock, or takes the prize from a falling one, with probability `chance` at each tick",
        (Parameter("chance", 0.05, 0, 1),),
    ),
)
