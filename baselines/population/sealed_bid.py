"""Families of bidders for sealed-bid auctions that are not built in."""

from __future__ import annotations

from aucenv.baselines.population.dispatch import decide_by_kind
from aucenv.baselines.population.single_item import ABSTAIN, LAST_SHARED, limit_of, shared_families
from aucenv.baselines.scripted import sealed_bid
from aucenv.baselines.scripted.policy import Parameter, RuleBidder
from aucenv.baselines.scripted.sealed_bid import bid_of
from aucenv.baselines.scripted.single_item import expected_value

from aucenv.core.kernel import kernel
from aucenv.core.play.rollouts import Rollouts
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.sealed_bid import belief, rules
from aucenv.envs.single_item.values import REVEAL_ALL, REVEAL_NONE

REPLIER = LAST_SHARED + 1


@kernel
def decide_family(kind, params, state, b, seat):
    """Return the amount in cents that a bidder of a family bids in an acting seat, or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    limit = best_reply(params, g, seat) if kind == REPLIER else limit_of(kind, params, g, seat)
    return WITHDRAW if limit < 0.0 else bid_of(state, b, seat, limit)


@kernel
def best_reply(params, g, seat):
    """Return the bid in cents with which the seat would have earned most at its value in the last rounds.

    It is one step above the bid to beat of one of these rounds, and pays its bid. Before the first such round, it is
    the share params[1] of the value; if no bid would have earned anything, ABSTAIN.
    """
    value = expected_value(g, seat)
    first = max(0, g["item"] - int(params[0]))
    best = ABSTAIN
    most = 0.0
    known = False
    for j in range(first, g["item"]):
        rival = bid_to_beat(g, seat, j)
        known = known or rival >= 0
        bid = float(rival + g["step"])
        profit = 0.0
        for k in range(first, g["item"]):
            other = bid_to_beat(g, seat, k)
            profit += value - bid if 0 <= other < bid else 0.0
        if rival >= 0 and profit > most:
            most = profit
            best = bid
    return best if known else params[1] * value


@kernel
def bid_to_beat(g, seat, j):
    """Return the highest bid of a rival in closed round `j`, or the price if bids are hidden; NOBODY: unknown."""
    if g["reveal"] == REVEAL_ALL:
        leads = g["bid"][seat][j] == g["ranked"][j][0]
        return max(NOBODY, g["ranked"][j][1] if leads else g["ranked"][j][0])
    return g["price"][j] if g["reveal"] != REVEAL_NONE or g["winner"][j] == seat else NOBODY


FAMILIES = (
    *shared_families(decide_family),
    RuleBidder(
        "replier",
        REPLIER,
        decide_family,
        "Bids what would have earned most at its value in the last `memory` rounds, if it paid its bid: a step more "
        "than the highest bid of a rival in one of them, or than the price if bids are not revealed. Before it has "
        "learnt any, it bids `first` times its value",
        (Parameter("memory", 6, 1, 1000), Parameter("first", 0.7, 0, 10)),
    ),
)

ROLLOUTS = Rollouts("sealed_bid", rules, belief, decide_by_kind("sealed_bid", sealed_bid.decide, decide_family))
"""Compiled rollouts between built-in bidders and families, of whole games and from a state."""
