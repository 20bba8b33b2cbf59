"""Rule bidders for the water allocation challenge: all they want is to live."""

from __future__ import annotations

from aucenv.baselines.scripted import water_rivals as simple
from aucenv.baselines.scripted.policy import Parameter, Scripted
from aucenv.baselines.scripted.water_planner import decide_planner
from aucenv.baselines.scripted.water_rivals import DOLLAR, bid_by, days_to_live

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.rollouts import Rollouts
from aucenv.core.state import WITHDRAW
from aucenv.envs.water_allocation import belief, rules

RANDOM, SALARY, SHARE, THIRST, SAVER, OUTBID, PLANNER = range(7)


@kernel
def decide(kind, params, state, b, seat):
    """What a bidder of this kind answers, for an acting seat.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    if kind == RANDOM:
        return by_rule(g, seat, simple.SHARE, draw_below(101, g["seat_key"][seat], 0, g["item"], 0, 0) / 100.0)
    if kind == SALARY:
        return by_rule(g, seat, simple.PAY, 0.0)
    if kind == SHARE:
        return by_rule(g, seat, simple.SHARE, params[0])
    if kind == THIRST:
        return by_rule(g, seat, simple.THIRST, params[0])
    if kind == SAVER:
        return by_rule(g, seat, simple.SAVE, params[0])
    if kind == OUTBID:
        return safe_bid(g, seat) if days_to_live(g["health"][seat], g["thirst"][seat]) <= params[0] else 0
    if kind == PLANNER:
        return decide_planner(int(params[0]), state, b, seat)
    return WITHDRAW


@kernel
def by_rule(g, seat, rule, level):
    return bid_by(rule, level, g["salary"][seat], g["balance"][seat], g["health"][seat], g["thirst"][seat])


@kernel
def safe_bid(g, seat):
    """The least of 0 and a dollar over each rival's balance that is served whatever all bid; the balance if none is."""
    least = g["balance"][seat]
    for r in range(g["num_seats"]):
        bid = 0 if r == seat else g["balance"][r] + DOLLAR
        if bid < least and is_safe(g, seat, bid):
            least = bid
    return least


@kernel
def is_safe(g, seat, bid):
    """Whether enough water is left for `seat` even if all rivals who can bid as much are served before it."""
    left = g["supply"] - g["need"][seat]
    for r in range(g["num_seats"]):
        if r != seat and g["gone"][r] == 0 and g["balance"][r] >= bid:
            left -= g["need"][r]
    return left >= 0


BIDDERS = (
    Scripted("salary", SALARY, decide, "its daily salary, every day"),
    Scripted("share", SHARE, decide, "a fixed share of its balance", (Parameter("share", 0.5, 0, 1),)),
    Scripted(
        "thirst",
        THIRST,
        decide,
        "a share of its balance that grows as the next loss nears death: that loss over its health, to a power",
        (Parameter("power", 1.0, 0, 10),),
    ),
    Scripted(
        "saver",
        SAVER,
        decide,
        "$0, and its whole balance where it would die within so many days without water",
        (Parameter("days", 1, 1, 100),),
    ),
    Scripted(
        "outbid",
        OUTBID,
        decide,
        "$0 while it need not win; where it would die within so many days without water, a dollar more than the "
        "richest rival it must outbid can pay, or all it has",
        (Parameter("days", 1, 1, 100),),
    ),
    Scripted(
        "planner",
        PLANNER,
        decide,
        "plans by dynamic programming for survival: rivals are taken to bid by that of five rules which has come "
        "nearest to their bids so far; while these have told all bids exactly, it searches up to depth days with "
        "all that becomes of the rivals, and where they have not, it bids all it has on a day that would be its last",
        (Parameter("depth", 3, 1, 5),),
    ),
    Scripted("random", RANDOM, decide, "a share of its balance, uniform from 0 to all"),
)

ROLLOUTS = Rollouts("water_allocation", rules, belief, decide, allocates=True)
