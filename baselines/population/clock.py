"""Families of bidders for clock auctions that are not built in.

Most name a price at the first tick of a round. Those that watch the other seats decide at each tick of a rising clock
that shows how many are still in; on other clocks, they name a price as well.
"""

from __future__ import annotations

from aucenv.baselines.population.dispatch import decide_by_kind
from aucenv.baselines.population.single_item import LAST_SHARED, limit_of, shared_families
from aucenv.baselines.scripted import clock
from aucenv.baselines.scripted.clock import name_price
from aucenv.baselines.scripted.policy import Parameter, RuleBidder
from aucenv.baselines.scripted.single_item import expected_value

from aucenv.core.kernel import kernel
from aucenv.core.play.rollouts import Rollouts
from aucenv.core.state import WITHDRAW
from aucenv.envs.clock import belief, rules
from aucenv.envs.clock.rules import STAY

HERD, FIGHTER = LAST_SHARED + 1, LAST_SHARED + 2


@kernel
def decide_family(kind, params, state, b, seat):
    """Return the action of a bidder of a family in an acting seat: a price in cents, STAY or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    g = state[b]
    if kind > LAST_SHARED:
        share, watched = params[0], params[1]
        if g["falling"] != 0 or g["open"] == 0:
            return name_price(state, b, seat, share * expected_value(g, seat))
        if kind == FIGHTER and g["still_in"] <= 2:
            share = watched
        alone = kind == HERD and g["num_seats"] - g["still_in"] >= watched
        return WITHDRAW if alone or g["price_now"] >= share * expected_value(g, seat) else STAY
    limit = limit_of(kind, params, g, seat)
    return WITHDRAW if limit < 0.0 else name_price(state, b, seat, limit)


FAMILIES = (
    *shared_families(decide_family),
    RuleBidder(
        "herd",
        HERD,
        decide_family,
        "Stays in up to `share` times its value, but leaves a rising clock as soon as `leavers` rivals have left. If "
        "the clock falls or does not show who is in, it names the price in advance",
        (Parameter("share", 0.95, 0, 10), Parameter("leavers", 1, 1, 10)),
    ),
    RuleBidder(
        "fighter",
        FIGHTER,
        decide_family,
        "Stays in up to `share` times its value, and on a rising clock up to `push` times it once a single rival "
        "is left. If the clock falls or does not show who is in, it names the lower price in advance",
        (Parameter("share", 0.8, 0, 10), Parameter("push", 1.1, 0, 10)),
    ),
)

ROLLOUTS = Rollouts("clock", rules, belief, decide_by_kind("clock", clock.decide, decide_family))
"""Compiled rollouts between built-in bidders and families, of whole games and from a state."""
