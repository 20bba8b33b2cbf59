"""Rule bidders compared with theory: no bid on the grid is better than the equilibrium's."""

from __future__ import annotations

import numpy as np
import pytest

from aucenv import theory
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.policy.registry import scripted_bidders

DIMES = {"value_step": 0.1, "num_rounds": 1}
CASES = [(pricing, n) for pricing in ("first", "second", "third", "all_pay") for n in range(2, 6)]


def rule(game: str, name: str):
    """Return a rule bidder as a function (state, b, seat) -> cents."""
    spec = parse_bidder(name)
    bidder = scripted_bidders(game)[spec.kind]
    numbers = bidder.read_parameters(spec)
    return lambda state, b, seat: bidder.decide(bidder.kind, numbers, state, b, seat)


@pytest.mark.parametrize(("pricing", "n"), [pair for pair in CASES if pair != ("third", 2)])
def test_the_equilibrium_bidder_loses_under_two_thousandths_of_the_range(pricing, n):
    scenario = SealedBidScenario("dimes", pricing=pricing, num_bidders=n, bid_cap=None, bid_step=0.1, **DIMES)
    loss = theory.utility_loss(scenario, theory.bids_of(rule("sealed_bid", "equilibrium"), scenario))
    assert 0 <= loss < 0.002 * 99


def named_prices(scenario: ClockScenario, name: str) -> np.ndarray:
    """Return the price in cents that a rule bidder names at the first tick, for every value."""
    state, decide = scenario.template(), rule("clock", name)
    state["acting"][0, : scenario.num_bidders] = state["active"][0, : scenario.num_bidders] = 1
    state["limit"] = -1
    state["price_now"] = state["start"]
    prices = []
    for value in theory.signals(scenario.as_sealed()).tolist():
        state["value"][0, 0, 0] = value
        prices.append(max(0, int(decide(state, 0, 0))))
    return np.array(prices)


@pytest.mark.parametrize("n", range(2, 7))
@pytest.mark.parametrize(
    ("pricing", "values"), [("second", "cv"), ("first", "ipv"), ("third", "ipv"), ("all_pay", "ipv")]
)
def test_the_equilibrium_bidder_rounds_as_theory_does(pricing, values, n):
    """With two bidders, many bids are halfway between two steps, which the floats may miss by a rounding error."""
    scenario = SealedBidScenario(
        "halves", pricing=pricing, num_bidders=max(n, 3) if pricing == "third" else n, bid_cap=None,
        values=values, value_range=(20, 79) if values == "cv" else (0, 99),
    )  # fmt: skip
    bids = theory.as_bids(scenario, theory.equilibrium_bids(scenario))
    np.testing.assert_array_equal(theory.bids_of(rule("sealed_bid", "equilibrium"), scenario), bids)


@pytest.mark.parametrize("n", range(2, 7))
@pytest.mark.parametrize("values", ["cv", "ipv"])
def test_the_equilibrium_bidder_of_rising_clocks_rounds_as_theory_does(values, n):
    clock = ClockScenario("halves", feedback="blind", num_bidders=n, **ClockScenario.published(values))
    sealed = clock.as_sealed()
    bids = theory.as_bids(sealed, theory.equilibrium_bids(sealed))
    np.testing.assert_array_equal(named_prices(clock, "equilibrium"), bids)


@pytest.mark.parametrize("n", range(2, 6))
def test_truthful_bids_are_dominant_with_the_second_price_and_on_ascending_clocks(n):
    sealed = SealedBidScenario("dimes", pricing="second", num_bidders=n, bid_cap=None, bid_step=0.1, **DIMES)
    assert theory.utility_loss(sealed, theory.bids_of(rule("sealed_bid", "truthful"), sealed)) < 1e-9
    clock = ClockScenario("dimes", num_bidders=n, tick=0.1, **DIMES)
    for name in ("truthful", "equilibrium"):
        assert theory.utility_loss(clock.as_sealed(), named_prices(clock, name)) < 1e-9


@pytest.mark.parametrize("n", range(2, 6))
def test_the_equilibrium_bidder_loses_little_on_the_descending_clock(n):
    clock = ClockScenario("dimes", direction="descending", num_bidders=n, tick=0.1, **DIMES)
    assert theory.utility_loss(clock.as_sealed(), named_prices(clock, "equilibrium")) < 0.002 * 99


def test_shading_and_the_naive_bidder_lose_more():
    scenario = SealedBidScenario("dollars", bid_cap=None)
    assert theory.utility_loss(scenario, theory.bids_of(rule("sealed_bid", "shade,factor=0.4"), scenario)) > 1
    common = SealedBidScenario("common", "cv", 5, value_range=(20, 79), pricing="second")
    assert theory.utility_loss(common, theory.bids_of(rule("sealed_bid", "naive"), common)) > 1
    assert theory.utility_loss(common, theory.bids_of(rule("sealed_bid", "equilibrium"), common)) < 0.01
