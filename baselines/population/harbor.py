"""Families of bidders for housing auctions that are not built in: those of English auctions, and two more."""

from __future__ import annotations

import dataclasses

from aucenv.baselines.population import english
from aucenv.baselines.scripted.english import BIDDERS, OVERESTIMATE, decide_drain, up_to, value_per_estimate
from aucenv.baselines.scripted.harbor import decide_with_memory
from aucenv.baselines.scripted.harbor_planning import memory_size
from aucenv.baselines.scripted.policy import FIRST_FAMILY, Parameter, RuleBidder

from aucenv.core.kernel import kernel
from aucenv.core.play.inference import Inference
from aucenv.core.play.rollouts import Rollouts
from aucenv.envs.harbor import belief, rules

DRAIN, SPOILER = 130, 131
"""Lower kinds are those of the families of English auctions."""

EAGER = 2
"""A rival wants houses for a persona if it has bid at least so often for one of them."""


@kernel
def decide(kind, params, state, b, seat, memory):
    """Return the amount in cents that a built-in bidder or a family bids in an acting seat, or WITHDRAW.

    Args:
        memory: the memory of earlier decisions, which only built-in bidders use; see `scripted.harbor_planning`.
    """
    if kind < FIRST_FAMILY:
        return decide_with_memory(kind, params, state, b, seat, memory)
    return decide_family(kind, params, state, b, seat)


@kernel
def decide_family(kind, params, state, b, seat):
    """Return the amount in cents that a bidder of a family bids in an acting seat, or WITHDRAW.

    Args:
        params: float64, in the order of the bidder's `parameters`.
    """
    if kind < DRAIN:
        return english.decide_family(kind, params, state, b, seat)
    if kind == DRAIN:
        return decide_drain(params, state, b, seat)
    g = state[b]
    share = params[0] if wanted_by_rival(g, seat) else params[1]
    return up_to(g, seat, g["estimate"][seat][g["item"]] * value_per_estimate(g, seat, OVERESTIMATE) * share)


@kernel
def wanted_by_rival(g, seat):
    """Return whether an active rival has bid EAGER times for an earlier house that suits the same persona best."""
    kind = g["house_kind"][g["lot"][g["item"]]]
    wanted = False
    for s in range(g["num_seats"]):
        for j in range(g["item"]):
            eager = g["raises"][s][j] >= EAGER and g["house_kind"][g["lot"][j]] == kind
            wanted = wanted or (eager and s != seat and g["active"][s] != 0)
    return wanted


[BUILT_IN_DRAIN] = (bidder for bidder in BIDDERS if bidder.name == "drain")
FAMILIES = (
    *(dataclasses.replace(bidder, decide=decide_family) for bidder in english.FAMILIES),
    dataclasses.replace(BUILT_IN_DRAIN, kind=DRAIN, decide=decide_family),
    RuleBidder(
        "spoiler",
        SPOILER,
        decide_family,
        f"Bids up to `keep` times the expected value, and up to `push` times if a rival that has not withdrawn has bid "
        f"at least {EAGER} times for an earlier house that suits the same persona",
        (Parameter("push", 0.95, 0, 5), Parameter("keep", 0.6, 0, 5)),
    ),
)

ROLLOUTS = Rollouts("harbor", rules, belief, decide, memory_size, is_large=True)
"""Compiled rollouts between built-in bidders and families, of whole games and from a state."""

INFERENCE = Inference("harbor", rules, belief, ROLLOUTS, english.chance_to_bid)
"""Inference of rivals from their bids."""
