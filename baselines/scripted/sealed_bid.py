"""Rule bidders for sealed-bid auctions."""

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

from aucenv.core.kernel import draw, draw_below, kernel
from aucenv.core.rollouts import Rollouts
from aucenv.core.state import WITHDRAW
from aucenv.envs.sealed_bid import belief, rules
from aucenv.envs.sealed_bid.rules import ALL_PAY, FIRST, SECOND, THIRD, clip
from aucenv.envs.sealed_bid.scenario import Scenario
from aucenv.envs.single_item.values import CV, worth

REGRET = 5


@kernel
def decide(kind, params, state, b, seat):
    """The amount that a bidder of this kind answers, for an acting seat.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    if kind == RANDOM:
        return decide_random(params, state, b, seat)
    if kind == TRUTHFUL:
        return bid_of(state, b, seat, expected_worth(state[b], seat))
    if kind == NAIVE:
        return bid_of(state, b, seat, float(seen(state[b], seat)))
    if kind == SHADE:
        return bid_of(state, b, seat, params[0] * expected_worth(state[b], seat))
    if kind == EQUILIBRIUM:
        return bid_of(state, b, seat, equilibrium(state[b], seat, params[0]))
    if kind == REGRET:
        return decide_regret(params, state, b, seat)
    return WITHDRAW


@kernel
def bid_of(state, b, seat, cents):
    """The legal bid nearest to an amount."""
    step = state[b]["step"]
    return clip(state, b, seat, max(0, int(cents / step + 0.5)) * step)


@kernel
def seen(g, seat):
    """The seat's value or signal in this round."""
    return g["value"][seat][g["item"]]


@kernel
def decide_random(params, state, b, seat):
    g = state[b]
    choice = draw_below(min(g["cap"], g["top"]) // g["step"] + 2, g["seat_key"][seat], 0, g["item"], 0, 0)
    return (choice - 1) * g["step"] if choice > 0 else WITHDRAW


@kernel
def equilibrium(g, seat, risk_aversion):
    """The symmetric equilibrium's bid, cents; Krishna, Auction Theory, chapters 2, 3 and 6."""
    value = float(seen(g, seat))
    n = g["num_seats"]
    if g["pricing"] == SECOND:
        return tied_worth(g, seat) if g["model"] == CV else value
    if g["pricing"] == FIRST:
        return first_price_share(n, risk_aversion) * value
    if g["pricing"] == THIRD:
        return (n - 1) / (n - 2) * value
    return (n - 1) / n * value * (value / g["top"]) ** (n - 1)


@kernel
def decide_regret(params, state, b, seat):
    """Regret matching (Hart and Mas-Colell 2000) over bids of 0, 1/k, ... times the value, in all closed rounds."""
    g = state[b]
    levels = int(params[0])
    total = 0.0
    point = draw(g["seat_key"][seat], 0, g["item"], 0, 0) / 4294967296.0
    for attempt in range(2):  # first the sum of all regrets, then the level where the drawn point lies
        passed = 0.0
        for level in range(levels + 1):
            regret = 0.0
            for j in range(g["item"]):
                regret += hindsight(g, seat, j, int(level * g["value"][seat][j] / levels))
                regret -= hindsight(g, seat, j, g["bid"][seat][j])
            passed += max(0.0, regret)
            if attempt == 1 and passed > point * total:
                return bid_of(state, b, seat, level * seen(g, seat) / levels)
        total = passed
        if total <= 0.0:  # no regret, or nothing is known yet
            level = draw_below(levels + 1, g["seat_key"][seat], 1, g["item"], 0, 0)
            return bid_of(state, b, seat, level * seen(g, seat) / levels)
    return WITHDRAW


@kernel
def hindsight(g, seat, j, bid):
    """What `bid` would have earned in closed round `j`, cents, had the others bid what they did; a tie is lost.

    All bids of the round must be told, and in cv what the prize was worth.
    """
    own = g["bid"][seat][j]
    highest = WITHDRAW
    second = WITHDRAW
    skipped = False
    for k in range(g["num_seats"]):
        rival = g["ranked"][j][k]
        if rival == own and not skipped:
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
    return float(worth(g, seat, j) - price)


def no_equilibrium(scenario: Scenario, numbers: np.ndarray) -> str | None:
    """Why no closed form of the equilibrium is known here."""
    if scenario.pricing == "second" and scenario.values != "cv":
        return None
    neutral = numbers[0] == 0
    if scenario.reserve == 0 and scenario.pricing == "second" and neutral:
        return None
    if scenario.reserve == 0 and is_uniform_from_zero(scenario) and (neutral or scenario.pricing == "first"):
        return None
    return (
        f"no closed form of the equilibrium is known for {scenario.pricing} price with {scenario.values} values from "
        f"{scenario.value_range[0]:g}, reserve {scenario.reserve:g} and risk aversion {numbers[0]:g}: expected second "
        "price, or ipv values from 0; reserve 0 but for second price with private values; r = 0 but for first price"
    )


def not_told(scenario: Scenario, numbers: np.ndarray) -> str | None:
    """Why regrets cannot be known."""
    return (
        None if scenario.reveal == "all" else f"expected reveal 'all', got {scenario.reveal!r}: regrets are not known"
    )


BIDDERS = (
    *simple_bidders(decide),
    Scripted(
        "equilibrium",
        EQUILIBRIUM,
        decide,
        "the symmetric equilibrium: closed forms for uniform values (Krishna, Auction Theory); in first price for "
        "risk aversion r (u = x^(1-r)); in cv, what the prize is worth where the best rival signal equals the own one",
        (RISK_AVERSION,),
        why_unplayable_for=no_equilibrium,
    ),
    Scripted(
        "regret",
        REGRET,
        decide,
        "regret matching over shares of the value: with the odds of what each would have earned it in all rounds so "
        "far beyond what it did (Hart and Mas-Colell 2000)",
        (Parameter("levels", 20, 1, 100),),
        why_unplayable_for=not_told,
    ),
    Scripted("random", RANDOM, decide, "uniform over abstaining and all bids up to the highest value, or the cap"),
)

ROLLOUTS = Rollouts("sealed_bid", rules, belief, decide)
