"""Families of bidders for English auctions that are not built in; housing auctions share them.

Their limits are shares of the expected value: the estimate, corrected as `pace` corrects it. `population.json` assigns
families to splits.
"""

from __future__ import annotations

import math

from aucenv.baselines.population.dispatch import decide_by_kind
from aucenv.baselines.scripted import english
from aucenv.baselines.scripted.english import OVERESTIMATE, up_to, value_per_estimate
from aucenv.baselines.scripted.policy import FIRST_FAMILY, Parameter, RuleBidder

from aucenv.core.kernel import draw, kernel
from aucenv.core.play.inference import Inference
from aucenv.core.play.rollouts import Rollouts
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.english import belief, rules

SHADER, FICKLE, SUNK, JUMP, FAVORITE, LATE, IMITATOR, DUMPER, GRUDGE, CHASER, STRANGER = range(FIRST_FAMILY, 111)


@kernel
def decide_family(kind, params, state, b, seat):
    """Return the amount in cents that a bidder of a family bids in an acting seat, or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    value = g["estimate"][seat][g["item"]] * value_per_estimate(g, seat, OVERESTIMATE)
    chance = chance_to_bid(kind, params, state, b, seat)
    if chance >= 0.0:
        point = draw(g["seat_key"][seat], 0, g["item"], g["round"], 0) / 4294967296.0
        return g["least"] if point < chance else WITHDRAW
    if kind == JUMP:
        higher = g["least"] + int(params[0]) * g["raise_by"]
        if higher <= min(params[1] * value, float(g["budget"][seat])):
            return higher
        return up_to(g, seat, params[1] * value)
    return up_to(g, seat, limit_of(kind, params, g, seat, value))


@kernel
def chance_to_bid(kind, params, state, b, seat):
    """Return the probability that a bidder that decides at random bids the least legal amount, and otherwise withdraws.

    It is -1 for all other bidders. That of a stranger who held the standing bid assumes that a rival raised it by the
    least raise.
    """
    if kind != FICKLE and kind != STRANGER:
        return -1.0
    g = state[b]
    least, value = g["least"], g["estimate"][seat][g["item"]] * value_per_estimate(g, seat, OVERESTIMATE)
    if least > g["budget"][seat] or value <= 0.0:
        return 0.0
    if kind == FICKLE:
        return min(1.0, max(0.0, (value - least) / (params[0] * value)))
    log_share = log_share_above(params, least / value)
    if g["bids"][seat] == 0:
        return math.exp(log_share)
    last = g["last_bid"][seat]
    if last < 0:  # it held the standing bid, which a rival raised
        last = least - 2 * g["raise_by"]
    return math.exp(log_share - log_share_above(params, last / value))


@kernel
def log_share_above(params, price):
    """Return the log of the share of a stranger's limits above a price; prices are shares of the expected value."""
    distance = (price - params[0]) / params[1]
    return -max(0.0, distance) - math.log1p(math.exp(-abs(distance)))


@kernel
def limit_of(kind, params, g, seat, value):
    """Return the price in cents up to which a family bids the least legal amount; a negative limit withdraws."""
    first, second = params[0], params[1]
    left = g["num_items"] - g["item"]
    if kind == SHADER:
        return (second + (first - second) * g["budget"][seat] / g["endowment"][seat]) * value
    if kind == SUNK:
        return (first + second * g["bids"][seat]) * value
    if kind == FAVORITE:
        return (1.0 - second) * value if more_valuable(g, seat) < first else -1.0
    if kind == LATE:
        return second * value if g["item"] >= first * g["num_items"] else -1.0
    if kind == IMITATOR:
        return imitated_price(first, second, g, seat)
    if kind == DUMPER:
        return g["budget"][seat] / left if left <= first else second * value
    if kind == GRUDGE:
        return (first if most_successful_leads(g, seat) else second) * value
    if kind == CHASER:
        return (first + second * lost_in_a_row(g, seat)) * value
    return -1.0


@kernel
def more_valuable(g, seat):
    """Return how many of all items have a higher estimate than the current one."""
    count = 0
    for j in range(g["num_items"]):
        count += g["estimate"][seat][j] > g["estimate"][seat][g["item"]]
    return count


@kernel
def imitated_price(factor, first, g, seat):
    """Return `factor` times the price that the items sold so far would predict for an item with this estimate.

    Before the first sale, it is the share `first` of the estimate.
    """
    paid = 0.0
    estimated = 0.0
    for j in range(g["item"]):
        if g["winner"][j] != NOBODY:
            paid += g["hammer"][j]
            estimated += g["estimate"][seat][j]
    ratio = factor * paid / estimated if estimated > 0.0 else first
    return ratio * g["estimate"][seat][g["item"]]


@kernel
def most_successful_leads(g, seat):
    """Return whether the seat that holds the standing bid has more profit than this seat, and none has more than it."""
    leader = g["leader"]
    if leader == NOBODY:
        return False
    most = g["profit"][seat] + 1
    for s in range(g["num_seats"]):
        most = max(most, g["profit"][s])
    return g["profit"][leader] == most


@kernel
def lost_in_a_row(g, seat):
    """Return how many items rivals have won since the seat won its last one."""
    lost = 0
    for j in range(g["item"]):
        if g["winner"][j] == seat:
            lost = 0
        elif g["winner"][j] != NOBODY:
            lost += 1
    return lost


FAMILIES = (
    RuleBidder(
        "shader",
        SHADER,
        decide_family,
        "Bids up to a share of the expected value, which falls from `full` to `empty` as its budget is spent",
        (Parameter("full", 0.9, 0, 5), Parameter("empty", 0.5, 0, 5)),
    ),
    RuleBidder(
        "fickle",
        FICKLE,
        decide_family,
        "Bids at random: it withdraws the more likely, the nearer the least legal bid is to the expected value, and "
        "always above it. The chance to withdraw is 0 while the bid saves at least the share `caution` of the value",
        (Parameter("caution", 0.4, 0.01, 100),),
    ),
    RuleBidder(
        "sunk",
        SUNK,
        decide_family,
        "Bids up to `base` times the expected value, and `step` more for each bid that it has made for the item",
        (Parameter("base", 0.5, 0, 5), Parameter("step", 0.05, 0, 5)),
    ),
    RuleBidder(
        "jump",
        JUMP,
        decide_family,
        "Bids `steps` increments more than the least legal amount, up to `share` times the expected value; if only the "
        "least legal amount is below this limit, it bids that amount",
        (Parameter("steps", 3, 1, 1000), Parameter("share", 0.8, 0, 5)),
    ),
    RuleBidder(
        "favorite",
        FAVORITE,
        decide_family,
        "Bids only for the `number` items with the highest estimates, up to (1 - `margin`) times the expected value",
        (Parameter("number", 4, 1, 1000), Parameter("margin", 0.05, -5, 1)),
    ),
    RuleBidder(
        "late",
        LATE,
        decide_family,
        "Sits out the first items, which are the share `wait` of all, and then bids up to `share` times the expected "
        "value",
        (Parameter("wait", 0.4, 0, 1), Parameter("share", 1, 0, 5)),
    ),
    RuleBidder(
        "imitator",
        IMITATOR,
        decide_family,
        "Bids up to `factor` times what the prices of the items sold so far predict for an item with its estimate, "
        "and for the first item up to `first` times its estimate",
        (Parameter("factor", 1, 0, 10), Parameter("first", 0.6, 0, 5)),
    ),
    RuleBidder(
        "dumper",
        DUMPER,
        decide_family,
        "Bids up to `early` times the expected value, and for the `last` items up to its budget divided by the number "
        "of items left, regardless of their values",
        (Parameter("last", 3, 0, 1000), Parameter("early", 0.6, 0, 5)),
    ),
    RuleBidder(
        "grudge",
        GRUDGE,
        decide_family,
        "Bids up to `keep` times the expected value, and up to `push` times against a leader that has the highest "
        "profit so far",
        (Parameter("push", 1.05, 0, 5), Parameter("keep", 0.65, 0, 5)),
    ),
    RuleBidder(
        "chaser",
        CHASER,
        decide_family,
        "Bids up to `base` times the expected value, and `step` more for each item that rivals have won since it won "
        "its last one",
        (Parameter("base", 0.6, 0, 5), Parameter("step", 0.1, 0, 5)),
    ),
    RuleBidder(
        "stranger",
        STRANGER,
        decide_family,
        "Bids the least legal amount up to a limit that is random for every item. As a share of the expected value, "
        "limits have a logistic distribution with the mean `limit` and the scale `spread`",
        (Parameter("limit", 0.8, 0, 5), Parameter("spread", 0.1, 0.001, 5)),
    ),
)

ROLLOUTS = Rollouts("english", rules, belief, decide_by_kind("english", english.decide, decide_family))
"""Compiled rollouts between built-in bidders and families, of whole games and from a state."""

INFERENCE = Inference("english", rules, belief, ROLLOUTS, chance_to_bid)
"""Inference of rivals from their bids."""
