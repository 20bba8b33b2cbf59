"""Rules shared by the bidders for sealed-bid, clock and proxy auctions, from the seat's value or signal alone."""

from __future__ import annotations

from collections.abc import Callable

from aucenv.baselines.scripted.policy import Parameter, RuleBidder

from aucenv.core.kernel import kernel
from aucenv.envs.single_item.values import CV, SingleItemScenario

RANDOM, TRUTHFUL, NAIVE, SHADE, EQUILIBRIUM = range(5)

RISK_AVERSION = Parameter("r", 0.0, 0, 0.99)
FACTOR = Parameter("factor", 0.75, 0, 10)


@kernel
def expected_value(g, seat):
    """Return the prize's value to the seat, in cents; in cv, the mean of all values that the seat's signal allows."""
    signal = g["value"][seat][g["item"]]
    if g["model"] != CV:
        return float(signal)
    return 0.5 * (max(g["low"], signal - g["error"]) + min(g["high"], signal + g["error"]))


@kernel
def intended_price(kind, params, g, seat):
    """Return what a bidder is ready to pay, in cents: its expected value; SHADE: a share of it; NAIVE: its signal."""
    if kind == NAIVE:
        return float(g["value"][seat][g["item"]])
    factor = params[0] if kind == SHADE else 1.0
    return factor * expected_value(g, seat)


@kernel
def tied_value(g, seat):
    """Return E[V | X1 = Y1 = x] in cents: the expected value if the highest rival signal equals the seat's, x.

    It is the symmetric equilibrium bid of the second-price auction with common values (Milgrom and Weber 1982;
    Krishna, Auction Theory, section 6.3), computed by enumerating V on its grid.
    """
    x = g["value"][seat][g["item"]]
    grid, error = g["grid"], g["error"]
    rivals = g["num_seats"] - 1
    signals = 2 * (error // grid) + 1
    weights = 0.0
    sum_ = 0.0
    value = max(g["low"], x - error)
    while value <= min(g["high"], x + error):
        below = (x - value + error) // grid  # the number of possible signals under x
        weight = ((below + 1) / signals) ** rivals - (below / signals) ** rivals
        weights += weight
        sum_ += weight * value
        value += grid
    return sum_ / weights if weights > 0.0 else float(x)


@kernel
def first_price_share(num_seats, risk_aversion):
    """Return the share of their value that risk-averse bidders (u = x^(1 - r)) bid: (n - 1) / (n - r).

    Source: Krishna, Auction Theory, section 4.1.
    """
    return (num_seats - 1) / (num_seats - risk_aversion)


def is_uniform_from_zero(scenario: SingleItemScenario) -> bool:
    return scenario.values == "ipv" and scenario.value_range[0] == 0


def shared_bidders(decide: Callable[..., int]) -> tuple[RuleBidder, ...]:
    """Return the rule bidders that sealed-bid and clock auctions share, with the game's kernel `decide`."""
    truth = "Bids its value of the prize; with common values (cv), the expected value given its signal"
    return (
        RuleBidder("truthful", TRUTHFUL, decide, truth),
        RuleBidder(
            "shade",
            SHADE,
            decide,
            "Bids `factor` times its value of the prize (in cv, times the expected value given its signal)",
            (FACTOR,),
        ),
        RuleBidder(
            "naive", NAIVE, decide, "Bids its value, or in cv its signal, so that it suffers the winner's curse in cv"
        ),
    )
