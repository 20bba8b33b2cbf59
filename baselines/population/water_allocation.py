"""Families of bidders for the water allocation challenge that are not built in."""

from __future__ import annotations

from aucenv.baselines.population.dispatch import decide_by_kind
from aucenv.baselines.scripted import water_allocation
from aucenv.baselines.scripted.policy import FIRST_FAMILY, Parameter, RuleBidder
from aucenv.baselines.scripted.water_rivals import DOLLAR

from aucenv.core.kernel import draw, kernel
from aucenv.core.play.rollouts import Rollouts
from aucenv.envs.water_allocation import belief, rules

FITFUL, PANIC, COPYCAT, HOARDER, ALTERNATOR, SCARCITY = range(FIRST_FAMILY, 106)


@kernel
def decide_family(kind, params, state, b, seat):
    """Return the bid in cents of a bidder of a family in an acting seat: whole dollars, or its whole balance.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    wanted = int(wanted_bid(kind, params, g, seat) / DOLLAR + 0.5) * DOLLAR
    return min(wanted, g["balance"][seat])


@kernel
def wanted_bid(kind, params, g, seat):
    """Return the amount in cents that a family wants to bid, which may be above its balance."""
    first, second = params[0], params[1]
    balance = float(g["balance"][seat])
    if kind == FITFUL:
        point = draw(g["seat_key"][seat], 0, g["item"], 0, 0) / 4294967296.0
        return second * balance if point < first * (g["thirst"][seat] + 1) else 0.0
    if kind == PANIC:
        return balance if g["health"][seat] <= first else second * balance
    if kind == COPYCAT:
        return first * DOLLAR + last_winning_bid(g, seat)
    if kind == HOARDER:
        return second * g["salary"][seat] if g["item"] < first * g["num_items"] else params[2] * balance
    if kind == ALTERNATOR:
        period = int(first)
        return second * balance if (g["item"] + seat) % period == 0 else 0.0
    if kind == SCARCITY:
        width = max(1, g["high"] - g["low"])
        return (first + (second - first) * (g["supply"] - g["low"]) / width) * balance
    return 0.0


@kernel
def last_winning_bid(g, seat):
    """Return the highest bid that got water on the last day, in cents, and before the first such bid the salary."""
    highest = -1
    for s in range(g["num_seats"]):
        for j in range(max(0, g["item"] - 1), g["item"]):
            if g["place"][s][j] > 0:
                highest = max(highest, g["bid"][s][j])
    return float(highest if highest >= 0 else g["salary"][seat])


FAMILIES = (
    RuleBidder(
        "fitful",
        FITFUL,
        decide_family,
        "Bids the share `share` of its balance with a probability that is `chance` times the number of days since it "
        "last got water, and $0 otherwise",
        (Parameter("chance", 0.4, 0, 1), Parameter("share", 0.6, 0, 1)),
    ),
    RuleBidder(
        "panic",
        PANIC,
        decide_family,
        "Bids its whole balance if its health is at most `level`, and otherwise the share `calm` of it",
        (Parameter("level", 4, 0, 1000), Parameter("calm", 0.2, 0, 1)),
    ),
    RuleBidder(
        "copycat",
        COPYCAT,
        decide_family,
        "Bids `extra` dollars more than the highest bid that got water on the day before; on the first day, and after "
        "a day without winners, `extra` dollars more than its salary",
        (Parameter("extra", 5, 0, 1000),),
    ),
    RuleBidder(
        "hoarder",
        HOARDER,
        decide_family,
        "Bids the share `early` of its daily salary in the first days, which are the share `wait` of all, and then the "
        "share `late` of its balance",
        (Parameter("wait", 0.4, 0, 1), Parameter("early", 0.6, 0, 10), Parameter("late", 0.6, 0, 1)),
    ),
    RuleBidder(
        "alternator",
        ALTERNATOR,
        decide_family,
        "Bids the share `share` of its balance on every `period`-th day, which depends on its seat, and otherwise $0",
        (Parameter("period", 2, 1, 100), Parameter("share", 0.7, 0, 1)),
    ),
    RuleBidder(
        "scarcity",
        SCARCITY,
        decide_family,
        "Bids a share of its balance that falls from `scarce` at the least supply of a day to `plenty` at the highest",
        (Parameter("scarce", 0.7, 0, 1), Parameter("plenty", 0.2, 0, 1)),
    ),
)

ROLLOUTS = Rollouts(
    "water_allocation",
    rules,
    belief,
    decide_by_kind("water_allocation", water_allocation.decide, decide_family),
    is_large=True,
)
"""Compiled rollouts between built-in bidders and families, of whole games and from a state."""
