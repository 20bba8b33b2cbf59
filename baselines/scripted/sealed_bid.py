"""Rule bidders for sealed-bid auctions."""

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

from aucenv.core.kernel import draw, draw_below, kernel
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import round_to_step
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.sealed_bid.rules import ALL_PAY, FIRST, SECOND, THIRD, clip
from aucenv.envs.single_item.values import CV, prize_value

REGRET = 5


@kernel
def decide(kind, params, state, b, seat):
    """Return the amount in cents that a bidder of kind `kind` bids in an acting seat, or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    if kind == RANDOM:
        return decide_random(params, state, b, seat)
    if kind in (TRUTHFUL, NAIVE, SHADE):
        return bid_of(state, b, seat, intended_price(kind, params, state[b], seat))
    if kind == EQUILIBRIUM:
        return bid_of(state, b, seat, equilibrium(state[b], seat, params[0]))
    if kind == REGRET:
        return decide_regret(params, state, b, seat)
    return WITHDRAW


@kernel
def bid_of(state, b, seat, cents):
    """Return the legal bid nearest to an amount, as `theory.as_bids` does; half a step is rounded up."""
    return clip(state, b, seat, max(0, round_to_step(cents, state[b]["step"])))


@kernel
def signal_of(g, seat):
    """Return the seat's value in this round, or in cv its signal."""
    return g["value"][seat][g["item"]]


@kernel
def decide_random(params, state, b, seat):
    """Abstain, or bid one of the steps up to the highest value or the cap, each with the same probability."""
    g = state[b]
    choice = draw_below(min(g["cap"], g["top"]) // g["step"] + 2, g["seat_key"][seat], 0, g["item"], 0, 0)
    return (choice - 1) * g["step"] if choice > 0 else WITHDRAW


@kernel
def equilibrium(g, seat, risk_aversion):
    """Return the symmetric equilibrium's bid, in cents; Krishna, Auction Theory, chapters 2, 3 and 6."""
    value = float(signal_of(g, seat))
    n = g["num_seats"]
    if g["pricing"] == SECOND:
        return tied_value(g, seat) if g["model"] == CV else value
    if g["pricing"] == FIRST:
        return first_price_share(n, risk_aversion) * value
    if g["pricing"] == THIRD:
        return (n - 1) / (n - 2) * value
    return (n - 1) / n * value * (value / g["top"]) ** (n - 1)


@kernel
def decide_regret(params, state, b, seat):
    """Play regret matching (Hart and Mas-Colell 2000) over the bids 0, 1/k, 2/k, ..., 1 times the value, k = `levels`.

    Regrets are summed over all closed rounds.
    """
    g = state[b]
    levels = int(params[0])
    total = 0.0
    point = draw(g["seat_key"][seat], 0, g["item"], 0, 0) / 4294967296.0
    for attempt in range(2):  # the first pass sums all regrets, the second finds the level that `point` selects
        passed = 0.0
        for level in range(levels + 1):
            regret = 0.0
            for j in range(g["item"]):
                regret += hindsight(g, seat, j, int(level * g["value"][seat][j] / levels))
                regret -= hindsight(g, seat, j, g["bid"][seat][j])
            passed += max(0.0, regret)
            if attempt == 1 and passed > point * total:
                return bid_of(state, b, seat, level * signal_of(g, seat) / levels)
        total = passed
        if total <= 0.0:  # there is no regret, as in the first round
            level = draw_below(levels + 1, g["seat_key"][seat], 1, g["item"], 0, 0)
            return bid_of(state, b, seat, level * signal_of(g, seat) / levels)
    return WITHDRAW


@kernel
def hindsight(g, seat, j, bid):
    """Return the profit in cents that `bid` would have earned in closed round `j` against the rivals' actual bids.

    A tie counts as lost. All bids of the round must be public, and in cv also the prize's value.
    """
    actual = g["bid"][seat][j]
    highest = WITHDRAW
    second = WITHDRAW
    skipped = False
    for k in range(g["num_seats"]):
        rival = g["ranked"][j][k]
        if rival == actual and not skipped:
            skipped = True
        elif highest < 0:
            highest = rival
        elif second < 0:
            second = rival
    paid_anyway = max(0, bid) if g["pricing"] == ALL_PAY else 0
    if bid < 0 or bid <= highest or bid < g["reserve"]:
        return float(-paid_anyway)
    price = bid
    if g["pricing"] == SECOND:
        price = max(highest, g["reserve"])
    elif g["pricing"] == THIRD:
        price = max(second, g["reserve"])
    return float(prize_value(g, seat, j) - price)


def no_equilibrium(scenario: SealedBidScenario, params: np.ndarray) -> str | None:
    """Return the reason why no closed form of the equilibrium is known for the scenario, or None if one is."""
    if scenario.pricing == "second" and scenario.values != "cv":
        return None
    neutral = params[0] == 0
    if scenario.reserve == 0 and scenario.pricing == "second" and neutral:
        return None
    if scenario.reserve == 0 and is_uniform_from_zero(scenario) and (neutral or scenario.pricing == "first"):
        return None
    return (
        f"no closed form of the equilibrium is known for {scenario.pricing} price with {scenario.values} values from "
        f"{scenario.value_range[0]:g}, reserve {scenario.reserve:g} and risk aversion {params[0]:g}: expected second "
        "price or ipv values from 0; reserve 0, except in second price with private values; and r = 0, except in first "
        "price and in second price with private values"
    )


def hidden_bids(scenario: SealedBidScenario, params: np.ndarray) -> str | None:
    """Return the reason why regrets cannot be computed, or None if they can."""
    return (
        None
        if scenario.reveal == "all"
        else f"expected reveal 'all', got {scenario.reveal!r}: regrets cannot be computed unless all bids are revealed"
    )


BIDDERS = (
    *shared_bidders(decide),
    RuleBidder(
        "equilibrium",
        EQUILIBRIUM,
        decide,
        "Bids the symmetric equilibrium, which has a closed form for uniform values (Krishna, Auction Theory). In "
        "first-price auctions, all bidders have risk aversion r (utility x^(1-r)). With common values (cv), it bids "
        "the expected value given that the highest rival signal equals its own",
        (RISK_AVERSION,),
        why_unplayable_for=no_equilibrium,
    ),
    RuleBidder(
        "regret",
        REGRET,
        decide,
        "Plays regret matching over shares of its value (Hart and Mas-Colell 2000): it picks each share with "
        "probability proportional to the regret of this share, which is how much more the share would have earned in "
        "all rounds so far than the bids that it submitted",
        (Parameter("levels", 20, 1, 100),),
        why_unplayable_for=hidden_bids,
    ),
    RuleBidder(
        "random", RANDOM, decide, "Picks uniformly among abstaining and all bids up to the highest value or the cap"
    ),
)
