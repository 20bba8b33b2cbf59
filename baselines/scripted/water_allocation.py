"""Rule bidders for the water allocation challenge. Their objective is survival alone."""

from __future__ import annotations

from aucenv.baselines.scripted import water_rivals as simple
from aucenv.baselines.scripted.policy import Parameter, RuleBidder
from aucenv.baselines.scripted.water_planner import decide_planner
from aucenv.baselines.scripted.water_rivals import DOLLAR, bid_by, days_to_live

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import WITHDRAW

RANDOM, SALARY, SHARE, THIRST, SAVER, OUTBID, PLANNER = range(7)


@kernel
def decide(kind, params, state, b, seat):
    """Return the bid in cents of a bidder of kind `kind` in an acting seat, or WITHDRAW.

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
    """Return the least bid that gets water against any bids of the rivals, or the whole balance if no bid does.

    The candidates are 0 and a dollar above each rival's balance.
    """
    least = g["balance"][seat]
    for r in range(g["num_seats"]):
        bid = 0 if r == seat else g["balance"][r] + DOLLAR
        if bid < least and is_safe(g, seat, bid):
            least = bid
    return least


@kernel
def is_safe(g, seat, bid):
    """Return whether enough water remains for `seat` even if all rivals who can bid as much are served before it."""
    left = g["supply"] - g["need"][seat]
    for r in range(g["num_seats"]):
        if r != seat and g["gone"][r] == 0 and g["balance"][r] >= bid:
            left -= g["need"][r]
    return left >= 0


BIDDERS = (
    RuleBidder("salary", SALARY, decide, "Bids its daily salary every day"),
    RuleBidder("share", SHARE, decide, "Bids a fixed share of its balance", (Parameter("share", 0.5, 0, 1),)),
    RuleBidder(
        "thirst",
        THIRST,
        decide,
        "Bids a share of its balance that grows as death comes nearer: (its next loss of health / its health) ** power",
        (Parameter("power", 1.0, 0, 10),),
    ),
    RuleBidder(
        "saver",
        SAVER,
        decide,
        "Bids its whole balance if it would die within `days` days without water, and $0 otherwise",
        (Parameter("days", 1, 1, 100),),
    ),
    RuleBidder(
        "outbid",
        OUTBID,
        decide,
        "Bids $0 unless it would die within `days` days without water. Then it bids a dollar more than the balance of "
        "the richest rival that it has to outbid, or its whole balance if that is less",
        (Parameter("days", 1, 1, 100),),
    ),
    RuleBidder(
        "planner",
        PLANNER,
        decide,
        "Plans for survival by dynamic programming. It assumes that each rival follows the one of five rules that best "
        "fits its bids so far. If these rules have predicted all bids exactly, it searches up to `depth` days with "
        "simulated rivals. If they have not, it searches all remaining days if there are at most `depth`, and only the "
        "current day otherwise; and on a day on which it would die without water, it bids its whole balance",
        (Parameter("depth", 3, 1, 5),),
    ),
    RuleBidder("random", RANDOM, decide, "Bids a share of its balance, drawn uniformly from 0 to 1"),
)
