"""Rule bidders for proxy auctions with many days.

They set maxima in multiples of the scenario's step. No equilibrium over many days is claimed.
"""

from __future__ import annotations

from aucenv.baselines.scripted.policy import Parameter, RuleBidder
from aucenv.baselines.scripted.single_item import FACTOR, NAIVE, RANDOM, SHADE, TRUTHFUL, expected_value, intended_price

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.play.rollouts import Rollouts
from aucenv.core.state import WITHDRAW
from aucenv.envs.ebay import belief, rules
from aucenv.envs.ebay.rules import clip, is_last_day, least_raise

SNIPER, INCREMENTAL = 5, 6


@kernel
def decide(kind, params, state, b, seat):
    """Return the move of a bidder of kind `kind` in an acting seat: a maximum in cents, or WITHDRAW to hold.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    if kind == RANDOM:
        return decide_random(params, state, b, seat)
    if kind == INCREMENTAL:
        return decide_incremental(params, state, b, seat)
    if kind == SNIPER and not is_last_day(g):
        return WITHDRAW
    if kind in (TRUTHFUL, NAIVE, SHADE, SNIPER):
        return maximum_of(state, b, seat, intended_price(kind, params, g, seat))
    return WITHDRAW


@kernel
def maximum_of(state, b, seat, cents):
    """Return the maximum nearest to `cents`, or WITHDRAW if it does not raise the seat's maximum."""
    return clip(state, b, seat, int(cents + 0.5))


@kernel
def decide_incremental(params, state, b, seat):
    """Set the maximum a number of increments above the price, up to the value, when another seat leads, or none."""
    g = state[b]
    if g["leader"] == seat:
        return WITHDRAW
    step = g["step"]
    value = int(expected_value(g, seat) + 0.5) // step * step
    return maximum_of(state, b, seat, min(g["price_now"] + int(params[0]) * g["increment"], value))


@kernel
def decide_random(params, state, b, seat):
    """Raise the maximum with probability `chance`, to one of the legal ones, each with the same probability."""
    g = state[b]
    key, least = g["seat_key"][seat], least_raise(g, seat)
    if least > g["cap"] or draw_below(1000, key, 0, g["item"], g["round"], 0) >= 1000 * params[0]:
        return WITHDRAW
    choices = (g["cap"] - least) // g["step"] + 1
    return least + g["step"] * draw_below(choices, key, 0, g["item"], g["round"], 1)


BIDDERS = (
    RuleBidder(
        "truthful",
        TRUTHFUL,
        decide,
        "Sets its maximum to its value in its first move, and then holds; with common values (cv), to the expected "
        "value given its signal. Krishna, Auction Theory, section 2.2",
    ),
    RuleBidder(
        "sniper",
        SNIPER,
        decide,
        "Holds until the last day, and then sets its maximum to its value (in cv, to the expected value given its "
        "signal). Under a soft close it does so on each last day",
    ),
    RuleBidder(
        "incremental",
        INCREMENTAL,
        decide,
        "Sets its maximum `steps` increments above the price whenever it does not lead, up to its value (in cv, up to "
        "the expected value given its signal)",
        (Parameter("steps", 1, 1, 100),),
    ),
    RuleBidder(
        "shade",
        SHADE,
        decide,
        "Sets its maximum to `factor` times its value in its first move (in cv, to `factor` times the expected value "
        "given its signal), and then holds",
        (FACTOR,),
    ),
    RuleBidder(
        "naive",
        NAIVE,
        decide,
        "Sets its maximum to its value, or in cv to its signal, in its first move, so that it suffers the winner's "
        "curse in cv",
    ),
    RuleBidder(
        "random",
        RANDOM,
        decide,
        "Raises its maximum with probability `chance` in each move, to any legal maximum with the same probability",
        (Parameter("chance", 0.1, 0, 1),),
    ),
)

ROLLOUTS = Rollouts("ebay", rules, belief, decide)
"""Compiled rollouts between built-in bidders, of whole games and from a state."""
