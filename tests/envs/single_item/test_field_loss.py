"""Utility loss against the rivals' bids, and implied risk aversion, beside closed forms and values by hand."""

from __future__ import annotations

import numpy as np
import pytest

import aucenv
from aucenv import theory
from aucenv.analysis.ranking.standings import standings
from aucenv.analysis.ranking.tables import second_table
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.core.records.censored_mean import censored_distribution
from aucenv.envs.clock import field_loss as clock_loss
from aucenv.envs.clock.game import SCENARIOS as CLOCKS
from aucenv.envs.sealed_bid import field_loss
from aucenv.envs.sealed_bid.game import SCENARIOS, SealedBidScenario

FIRST = SCENARIOS["first-ipv"]


def measured(game, scenario, bidder, games=80):
    names = [bidder] * scenario.num_bidders
    return bidder_figures([aucenv.play(game, scenario, names, seed) for seed in range(games)])[bidder]


def exact(scenario, share):
    return theory.utility_loss(scenario, theory.as_bids(scenario, share * theory.signals(scenario) / 100))


def check(estimate, loss, tolerance):
    assert estimate.value == pytest.approx(loss, abs=tolerance)
    assert estimate.low < estimate.value < estimate.high
    assert estimate.high - estimate.low < 4 * tolerance


@pytest.mark.parametrize(("n", "share", "tolerance"), [(3, 1, 0.3), (3, 2 / 3, 0.2), (3, 2 / 2.5, 0.3), (4, 1, 0.3)])
def test_losses_in_first_price_auctions_are_those_of_theory(n, share, tolerance):
    scenario = FIRST.changed(num_bidders=n, num_rounds=15 if n == 3 else 10)
    figures = measured("sealed_bid", scenario, f"shade,factor={share}")
    check(figures["utility_loss"], exact(scenario, share), tolerance)
    r = figures["risk_aversion"]
    assert r.value == pytest.approx(n - (n - 1) / share, abs=0.01)
    assert r.low <= r.value <= r.high


def test_a_truthful_bidder_loses_a_27th_of_the_value_range():
    """With continuous values: bids of 2/3 v against two truthful rivals earn V 4/27 E[u^3] = V/27."""
    assert exact(FIRST, 1) == pytest.approx(99 / 27, rel=0.02)
    assert measured("sealed_bid", FIRST, "truthful")["risk_aversion"].value == pytest.approx(1)


@pytest.mark.parametrize("name", ["third-ipv", "all-pay-ipv"])
def test_equilibria_of_other_pricings_lose_nothing_and_have_no_risk_aversion(name):
    figures = measured("sealed_bid", SCENARIOS[name].changed(bid_cap=None), "equilibrium")
    assert figures["utility_loss"].value == pytest.approx(0, abs=0.5)
    assert figures["risk_aversion"].value is None
    truthful = measured("sealed_bid", SCENARIOS[name].changed(bid_cap=None), "truthful")["utility_loss"]
    loss = exact(SCENARIOS[name].changed(bid_cap=None), 1)
    assert loss > 5
    assert truthful.value == pytest.approx(loss, rel=0.05)


def test_naive_bids_lose_with_common_values_as_in_theory():
    scenario = SCENARIOS["second-cv-4"]
    check(measured("sealed_bid", scenario, "naive")["utility_loss"], exact(scenario, 1), 0.2)
    assert measured("sealed_bid", scenario, "equilibrium")["utility_loss"].value == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize(
    ("game", "scenario"), [("sealed_bid", SCENARIOS["second-apv"]), ("clock", CLOCKS["ascending-apv"])]
)
def test_bidding_the_value_is_dominant_and_loses_nothing(game, scenario):
    truthful = measured(game, scenario, "truthful", 6)["utility_loss"]
    assert (truthful.value, truthful.low, truthful.high) == (0, 0, 0)
    sealed = scenario if game == "sealed_bid" else scenario.as_sealed()
    check(measured(game, scenario, "shade,factor=0.75")["utility_loss"], exact(sealed, 0.75), 0.1)
    figures = bidder_figures([aucenv.play(game, scenario, ["truthful", "shade", "random"], 1)])
    assert figures["truthful"]["utility_loss"].value == 0  # also against others, and with a single deal
    assert figures["truthful"]["utility_loss"].low is None
    assert figures["random"]["utility_loss"].value > figures["shade"]["utility_loss"].value > 0


@pytest.mark.parametrize(("share", "tolerance"), [(1, 0.3), (2 / 3, 0.2), (1.2, 0.3)])
def test_losses_on_falling_clocks_are_those_of_first_price_auctions(share, tolerance):
    scenario = CLOCKS["descending-ipv"]
    estimate = measured("clock", scenario, f"shade,factor={share}")["utility_loss"]
    check(estimate, exact(scenario.as_sealed(), share), tolerance)


def test_staying_too_long_on_a_rising_clock_loses_as_in_theory():
    scenario = CLOCKS["ascending-ipv"].changed(highest_price=120)
    check(measured("clock", scenario, "shade,factor=1.2")["utility_loss"], exact(scenario.as_sealed(), 1.2), 0.15)


@pytest.mark.parametrize("name", ["ascending-cv", "ascending-cv-blind", "descending-apv", "descending-cv"])
def test_the_loss_is_undefined_where_no_best_response_is_known(name):
    assert measured("clock", CLOCKS[name], "shade", 6)["utility_loss"].value is None


def test_the_loss_needs_several_deals_where_a_response_is_chosen():
    for game, scenario in (("sealed_bid", FIRST), ("clock", CLOCKS["descending-ipv"])):
        assert measured(game, scenario, "truthful", 1)["utility_loss"].value is None
        assert measured(game, scenario, "truthful", 2)["utility_loss"].value is not None


def test_a_chosen_response_is_evaluated_on_other_deals():
    """A response that is chosen on the rounds on which it is evaluated earns more than equilibrium bids can."""
    records = [aucenv.play("sealed_bid", FIRST, ["equilibrium"] * 3, seed) for seed in range(3)]
    table = np.array([row for record in records for rows in field_loss.rounds_met(record) for row in rows])
    rounds = field_loss.as_rounds(table)
    overfitted = field_loss.profits(rounds, field_loss.best_bids(rounds, rounds["signal"]))
    gained = (overfitted - field_loss.profits(rounds, rounds["bid"])).mean()
    assert gained > 0.25 > bidder_figures(records)["equilibrium"]["utility_loss"].value


def test_profits_of_all_pricings_by_hand():
    """The seat values the prize at 10, and its rivals bid 6, 6 and 4; with a bid of 6 it wins one time in three."""
    row = {"part": 0, "values": 0, "seats": 4, "low": 0, "high": 20, "error": 0, "reserve": 5, "cap": 20, "step": 1}
    row |= {"signal": 10, "worth": 10, "bid": 0, "highest": 6, "second": 6, "ties": 2}
    bids = np.array([-1, 4, 5, 6, 7])
    expected = {"first": [0, 0, 0, 4 / 3, 3], "second": [0, 0, 0, 4 / 3, 4], "third": [0, 0, 0, 4 / 3, 4],
                "all_pay": [0, -4, -5, 10 / 3 - 6, 3]}  # fmt: skip
    for number, pricing in enumerate(("first", "second", "third", "all_pay")):
        rounds = {name: np.full(5, float({**row, "pricing": number}[name])) for name in field_loss.COLUMNS}
        np.testing.assert_allclose(field_loss.profits(rounds, bids), expected[pricing])
        wins, paid = field_loss.mean_outcomes(rounds, np.array([4.0, 5, 6, 7]))
        np.testing.assert_allclose(10 * wins - paid, expected[pricing][1:])
    rounds = {
        name: np.array([float({**row, "pricing": 2, "second": 4, "ties": 1}[name])]) for name in field_loss.COLUMNS
    }
    assert field_loss.profits(rounds, np.array([7.0])).item() == 5  # the reserve is above the third-highest bid


def test_the_rounds_of_a_game_are_those_of_its_record():
    record = aucenv.play("sealed_bid", SCENARIOS["second-cv-4"], ["naive", "shade", "equilibrium", "naive"], 3)
    for s, rows in enumerate(field_loss.rounds_met(record)):
        for j, row in enumerate(rows):
            named = dict(zip(field_loss.COLUMNS, row, strict=True))
            bids = record.outcome["prizes"][j]["bids"]
            rivals = sorted((bid for r, bid in enumerate(bids) if r != s), reverse=True)
            assert (named["highest"], named["second"], named["bid"]) == (*rivals[:2], bids[s])
            assert named["ties"] == rivals.count(rivals[0])
            assert (named["worth"], named["part"]) == (record.deal["common"][j], 3)


def test_the_loss_of_leaving_a_rising_clock_early_by_hand():
    """The seat leaves at 10 though the prize is worth 30 to it; the rival, with value 20, stays, at 18 or 22."""
    row = [0, 1, 0, 2, 0, 99, 0, 99, 1, 30, 0, 10, 0, 10, 0, 20]
    share = [clock_loss.SHARE, *row[1:9], 0, 0, 0, 0]
    table = np.array([row, [*share, 0.4, 1, 0], [*share, 0.9, 1, 0], [*share, 1.1, 1, 0]], float)
    assert clock_loss.losses(table)[0] == pytest.approx((12 + 8) / 2)
    assert np.isnan(clock_loss.losses(table)[1:]).all()
    assert clock_loss.losses(table[:2])[0] == pytest.approx(20)  # no rival is known to stay so long
    assert clock_loss.mean_loss(table)(np.ones(4)) == pytest.approx(10)


def test_implied_risk_aversion_by_hand():
    """Two bidders, values 10 and 20, bids 6 and 14: slope (60 + 280) / 500 = 0.68, r = 2 - 1 / 0.68."""
    base = [0, 0, 0, 2, 0, 99, 0, 0, 99, 1]
    table = np.array([[*base, v, v, b, 1, -1, 1] for v, b in ((10, 6), (20, 14), (0, 5), (8, -1))], float)
    assert field_loss.risk_aversion(table)(np.ones(4)) == pytest.approx(2 - 1 / 0.68)
    assert field_loss.risk_aversion(table)(np.array([1, 0, 1, 1])) == pytest.approx(2 - 1 / 0.6)
    three = table.copy()
    three[:, 3] = 3
    both = field_loss.risk_aversion(np.vstack([table, three]))(np.ones(8))
    assert both == pytest.approx((2 - 1 / 0.68 + 3 - 2 / 0.68) / 2)
    zero = np.array([[*base, 10, 10, 0, 1, -1, 1]], float)
    assert np.isnan(field_loss.risk_aversion(zero)(np.ones(1)))


def test_the_distribution_of_censored_amounts_by_hand():
    """1 exact, 2 censored, 3 exact, 4 censored: 1/4 at 1, half of the rest at 3, and what remains at the highest."""
    amounts, exact_ones = np.array([3.0, 1, 4, 2]), np.array([True, True, False, False])
    places, probs = censored_distribution(amounts, exact_ones)(np.ones(4))
    assert places.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(probs, [1 / 4, 0, 3 / 8, 3 / 8])


def test_large_grids_have_few_candidate_bids():
    scenario = SealedBidScenario("fine", value_range=(0, 999), value_step=0.01, bid_step=0.01, bid_cap=999)
    records = [aucenv.play("sealed_bid", scenario, ["truthful"] * 3, seed) for seed in range(60)]
    assert bidder_figures(records)["truthful"]["utility_loss"].value == pytest.approx(999 / 27, rel=0.1)


def test_undefined_figures_are_a_dash():
    records = [aucenv.play("sealed_bid", "second-ipv", ["truthful", "shade", "random"], seed) for seed in range(5)]
    _, headings, lines = second_table(standings(records), "sealed_bid")
    loss, r = headings.index("utility loss, $"), headings.index("implied r")
    cells = {line[0]: line for line in lines}
    assert cells["truthful"][loss] == "0.00 ±0.00"
    assert {line[r] for line in lines} == {"-"}
