"""What rule bidders for sealed-bid and clock auctions share: bids that depend on the own value or signal alone."""

from __future__ import annotations

from collections.abc import Callable

from aucenv.baselines.scripted.policy import Parameter, Scripted

from aucenv.core.kernel import kernel
from aucenv.envs.single_item.values import CV, SingleItemScenario

RANDOM, TRUTHFUL, NAIVE, SHADE, EQUILIBRIUM = range(5)

RISK_AVERSION = Parameter("r", 0.0, 0, 0.99)
FACTOR = Parameter("factor", 0.75, 0, 10)


@kernel
def expected_worth(g, seat):
    """What the prize is worth to the seat, in cents; in cv, its mean over all values that fit the seat's signal."""
    seen = g["value"][seat][g["item"]]
    if g["model"] != CV:
        return float(seen)
    return 0.5 * (max(g["low"], seen - g["error"]) + min(g["high"], seen + g["error"]))


@kernel
def tied_worth(g, seat):
    """E[V | X1 = Y1 = x] in cents: what the prize is worth where the highest rival signal equals the own one, x.

    With two or more rivals that bid alike, this is the symmetric equilibrium of the second price in common values
    (Milgrom and Weber 1982; Krishna, Auction Theory, section 6.3), by enumeration of V on its grid.
    """
    x = g["value"][seat][g["item"]]
    grid, error = g["grid"], g["error"]
    rivals = g["num_seats"] - 1
    signals = 2 * (error // grid) + 1
    weights = 0.0
    sum_ = 0.0
    value = max(g["low"], x - error)
    while value <= min(g["high"], x + error):
        below = (x - value + error) // grid  # signals under x
        weight = ((below + 1) / signals) ** rivals - (below / signals) ** rivals
        weights += weight
        sum_ += weight * value
        value += grid
    return sum_ / weights if weights > 0.0 else float(x)


@kernel
def first_price_share(num_seats, risk_aversion):
    """What risk-averse bidders (u = x^(1 - r)) bid of their value: (n - 1) / (n - r); Krishna, section 4.1."""
    return (num_seats - 1) / (num_seats - risk_aversion)


def is_uniform_from_zero(scenario: SingleItemScenario) -> bool:
    return scenario.values == "ipv" and scenario.value_range[0] == 0


def simple_bidders(decide: Callable[..., int]) -> tuple[Scripted, ...]:
    """Those that both games have, whatever is sold how."""
    truth = "what the prize is worth to it; in cv, its expectation given the own signal"
    return (
        Scripted("truthful", TRUTHFUL, decide, truth),
        Scripted("shade", SHADE, decide, "a share of what the prize is worth to it", (FACTOR,)),
        Scripted("naive", NAIVE, decide, "what it sees, in cv its signal: the winner's curse in person"),
    )
