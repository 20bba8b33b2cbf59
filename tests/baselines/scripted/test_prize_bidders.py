"""Sealed bids and clocks: the distribution of values and ties, and rule bidders that bid as described and as in theory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import aucenv
from aucenv import theory
from aucenv.core.play.table import Table
from aucenv.envs.clock.game import SCENARIOS as CLOCKS
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.sealed_bid.game import SCENARIOS, SealedBidScenario
from aucenv.envs.single_item.files import RecordedValues, write_values
from aucenv.policy.registry import make_policy


def dealt(seeds=100, **fields):
    """Return the values (seat, prize) and the common components (prize,) of several games, in dollars."""
    scenario = SealedBidScenario("first").changed(num_rounds=1000, **fields)
    rows = []
    for seed in range(1000, 1000 + seeds):
        table = Table(aucenv.sealed_bid_v0.game, scenario, ["amount"] * 3)
        table.reset(seed)
        rows.append((table.state["value"][0, :3, :1000], table.state["common"][0, :1000]))
    values, common = (np.concatenate(part, axis=-1) / 100 for part in zip(*rows, strict=True))
    return values, common


def assert_uniform(drawn, low, high, step=1):
    places = ((drawn - low) / step).round(6)
    assert (places == places.round()).all()
    counts = np.bincount(places.astype(int), minlength=round((high - low) / step) + 1)
    assert len(counts) == round((high - low) / step) + 1
    assert stats.chisquare(counts).pvalue > 0.001


def assert_independent(x, y):
    assert stats.chi2_contingency(np.histogram2d(x, y, bins=10)[0]).pvalue > 0.001


def test_private_values_are_uniform_and_independent():
    values, _ = dealt()
    for seat in range(3):
        assert_uniform(values[seat], 0, 99)
        assert_independent(values[seat], values[seat - 1])
        assert_independent(values[seat, :-1], values[seat, 1:])
    assert_uniform(dealt(value_range=(10, 12.5), value_step=0.05)[0][0], 10, 12.5, 0.05)


def test_affiliated_values_are_sums_of_a_common_and_a_private_component():
    values, common = dealt(values="apv")
    assert_uniform(common, 0, 20)
    for seat in range(3):
        assert_uniform(values[seat] - common, 0, 20)
        assert_independent(values[seat] - common, common)
        assert_independent(values[seat] - common, values[seat - 1] - common)


def test_signals_of_a_common_value_have_independent_errors():
    values, common = dealt(values="cv")
    assert_uniform(common, 20, 79)
    for seat in range(3):
        assert_uniform(values[seat] - common, -20, 20)
        assert_independent(values[seat] - common, common)
        assert_independent(values[seat] - common, values[seat - 1] - common)


def test_equal_seeds_give_equal_deals():
    for values in ("ipv", "apv", "cv"):
        (first, common), (again, same) = dealt(2, values=values), dealt(2, values=values)
        assert (first == again).all()
        assert (common == same).all()
        assert (first[:, :1000] != first[:, 1000:]).mean() > 0.9


RICH = {"value_range": (10, 99), "num_rounds": 1}
TIED = {
    "sealed": ("sealed_bid", SealedBidScenario("test", **RICH)),
    "all-pay": ("sealed_bid", SealedBidScenario("test", pricing="all_pay", **RICH)),
    "ascending": ("clock", ClockScenario("test", **RICH)),
    "descending": ("clock", ClockScenario("test", direction="descending", **RICH)),
}


@pytest.mark.parametrize(("game", "scenario"), TIED.values(), ids=TIED)
@pytest.mark.parametrize("factor", [0, 10])  # all bid 0, or the highest bid
def test_ties_of_three_are_drawn_fairly(game, scenario, factor):
    won = aucenv.rollout(game, scenario, [f"shade,factor={factor}"] * 3, 20_000, seed=3)["prizes"]
    assert (won.sum(axis=1) == 1).all()
    assert stats.chisquare(won.sum(axis=0)).pvalue > 0.001


@pytest.mark.parametrize(("game", "scenario"), TIED.values(), ids=TIED)
@pytest.mark.parametrize("loser", range(3))
def test_ties_of_two_are_drawn_fairly_and_the_third_never_wins(game, scenario, loser):
    bidders = [f"shade,factor={0 if seat == loser else 10}" for seat in range(3)]
    won = aucenv.rollout(game, scenario, bidders, 20_000, seed=4)["prizes"].sum(axis=0)
    assert won[loser] == 0
    assert stats.binomtest(int(won[loser - 1]), 20_000).pvalue > 0.001


def first_action(name, scenario, value, common=0):
    """Return the first seat's action in the first round, if the value or signal of every seat is `value`."""
    game = "clock" if isinstance(scenario, ClockScenario) else "sealed_bid"
    table = Table(getattr(aucenv, f"{game}_v0").game, scenario, ["amount"] * scenario.num_bidders)
    table.reset(1)
    write_values(table, [RecordedValues((value,) * scenario.num_bidders, common)])
    return make_policy(game, name).act(table.view(0), {})


FIRST, CV = SCENARIOS["first-ipv"], SCENARIOS["second-cv-4"]


@pytest.mark.parametrize(
    ("name", "scenario", "value", "bids"),
    [
        ("equilibrium", FIRST, 60, 40),
        ("equilibrium", FIRST.changed(num_bidders=5), 60, 48),
        ("equilibrium,r=0.5", FIRST, 60, 48),  # (n-1)/(n-r) = 2/2.5
        ("equilibrium", SCENARIOS["second-ipv"], 61, 61),
        ("equilibrium", SCENARIOS["second-ipv"].changed(reserve=30), 61, 61),
        ("equilibrium", SCENARIOS["third-ipv"].changed(bid_cap=None), 60, 120),
        ("equilibrium", SCENARIOS["third-ipv"], 60, 99),
        ("equilibrium", SCENARIOS["third-ipv"].changed(bid_cap=None, num_bidders=5), 60, 80),
        ("equilibrium", SCENARIOS["all-pay-ipv"], 60, 15),  # 2/3 60^3/99^2 = 14.69
        ("equilibrium", SCENARIOS["all-pay-ipv"].changed(bid_step=0.01), 60, 14.69),
        ("equilibrium", SCENARIOS["second-apv"], 33, 33),
        ("equilibrium", CV, 50, 40),  # x - e (n-2)/n
        ("naive", CV, 50, 50),
        ("naive", FIRST, 50, 50),
        ("shade", FIRST, 60, 45),
        ("shade,factor=0.9", CV, 30, 32),  # 0.9 of the expected value 35 is 31.5, rounded up
        ("shade,factor=3", FIRST, 60, 99),
        ("truthful", FIRST, 60, 60),
        *(("truthful", CV, *row) for row in ((0, 20), (20, 30), (35, 38), (50, 50), (70, 65), (99, 79))),
        ("equilibrium", CLOCKS["ascending-ipv"], 60, 60),
        ("equilibrium", CLOCKS["ascending-apv"], 33, 33),
        ("equilibrium", CLOCKS["descending-ipv"], 60, 40),
        ("equilibrium,r=0.5", CLOCKS["descending-ipv"], 60, 48),
        ("equilibrium", CLOCKS["ascending-cv-blind"].changed(num_bidders=4), 50, 40),
        ("naive", CLOCKS["ascending-cv"], 50, 50),
        ("truthful", CLOCKS["ascending-cv"], 20, 30),
        ("truthful", CLOCKS["ascending-ipv"], 0, -1),
        ("truthful", CLOCKS["ascending-ipv"].changed(tick=0.01), 0, -1),
        ("shade", CLOCKS["descending-ipv"].changed(lowest_price=9), 60, 45),
    ],
)
def test_what_bidders_bid(name, scenario, value, bids):
    assert first_action(name, scenario.changed(num_rounds=1), value) == bids


@pytest.mark.parametrize("n", range(2, 7))
@pytest.mark.parametrize("step", [1, 0.01])
def test_the_common_value_equilibrium_agrees_with_theory_at_every_signal(n, step):
    scenario = SCENARIOS[f"second-cv-{n}"].changed(num_rounds=1, bid_step=step)
    signals, bids = theory.signals(scenario) / 100, theory.equilibrium_bids(scenario)
    assert (signals[0], signals[-1]) == (0, 99)
    bidder = [first_action("equilibrium", scenario, float(signal)) for signal in signals]
    assert np.abs(bidder - bids).max() <= step / 2 + 1e-9


UNKNOWN = {
    "affiliated values": ("sealed_bid", FIRST.changed(values="apv")),
    "common values": ("sealed_bid", FIRST.changed(values="cv")),
    "a reserve": ("sealed_bid", FIRST.changed(reserve=1)),
    "a reserve in common values": ("sealed_bid", CV.changed(reserve=1)),
    "values not from 0": ("sealed_bid", SCENARIOS["all-pay-ipv"].changed(value_range=(1, 99))),
    "third price, affiliated": ("sealed_bid", SCENARIOS["third-ipv"].changed(values="apv")),
    "open clock, common values": ("clock", CLOCKS["ascending-cv"]),
    "falling clock, affiliated": ("clock", CLOCKS["descending-apv"]),
    "falling clock, common values": ("clock", CLOCKS["descending-cv"]),
    "a clock from above 0": ("clock", CLOCKS["ascending-ipv"].changed(lowest_price=9)),
}


@pytest.mark.parametrize(("game", "scenario"), UNKNOWN.values(), ids=UNKNOWN)
def test_the_equilibrium_bidder_refuses_scenarios_without_a_closed_form(game, scenario):
    bidders, message = ["equilibrium"] + ["naive"] * (scenario.num_bidders - 1), "'equilibrium', .*: no closed form"
    with pytest.raises(ValueError, match=message):
        aucenv.play(game, scenario, bidders)
    with pytest.raises(ValueError, match=message):
        aucenv.rollout(game, scenario, bidders, 1)
    assert (
        make_policy(game, "equilibrium")
        .why_unplayable(scenario)
        .startswith("no closed form of the equilibrium is known")
    )
    assert make_policy(game, "naive").why_unplayable(scenario) is None


def test_regret_requires_all_bids_to_be_revealed():
    for reveal in ("price", "none"):
        with pytest.raises(ValueError, match=f"expected reveal 'all', got '{reveal}': regrets cannot be computed"):
            aucenv.rollout("sealed_bid", FIRST.changed(reveal=reveal), ["regret"] * 3, 1)


def test_regret_learns_to_bid_against_shading_rivals():
    means = []
    for rounds, games in ((10, 1000), (200, 200)):
        scenario, bidders = FIRST.changed(num_rounds=rounds), ["regret", *["shade,factor=0.5"] * 2]
        means.append(aucenv.rollout("sealed_bid", scenario, bidders, games, seed=3)["profit"][:, 0].mean() / rounds)
    early, late = (mean / 100 for mean in means)  # dollars per round; standard errors 0.16 and 0.09
    assert late > early + 2
    assert 12 < late < 14  # the best response, 2/3 v but at most 49.5, earns 13.9


CENTS = {"value_step": 0.01, "num_rounds": 100}
UNLIMITED = {**CENTS, "bid_step": 0.01, "bid_cap": None}
SOLD = {
    **{
        name: ("sealed_bid", SCENARIOS[f"{name}-ipv"].changed(**UNLIMITED))
        for name in ("first", "second", "third", "all-pay")
    },
    **{name: ("clock", CLOCKS[f"{name}-ipv"].changed(**CENTS, tick=0.01)) for name in ("ascending", "descending")},
}


@pytest.mark.parametrize(("game", "scenario"), SOLD.values(), ids=SOLD)
def test_every_format_has_the_revenue_of_theory(game, scenario):
    paid = (
        aucenv.rollout(game, scenario, ["equilibrium"] * 3, 2000, seed=7)["paid"].sum(axis=1) / 10_000
    )  # dollars per round
    assert len(paid) * scenario.num_rounds == 200_000
    z = (paid.mean() - 99 / 2) / (paid.std(ddof=1) / np.sqrt(len(paid)))
    assert abs(z) < 3


def per_win(bidder, n):
    """Return the mean profit per prize won, in dollars, and its standard error."""
    results = aucenv.rollout("sealed_bid", f"second-cv-{n}", [bidder] * n, 4000, seed=8)
    profits, wins = results["profit"].sum(axis=1) / 100, results["prizes"].sum(axis=1)
    return profits.sum() / wins.sum(), profits.std() / np.sqrt(len(profits)) / wins.mean()


@pytest.mark.parametrize("n", range(2, 7))
def test_naive_winners_lose_from_four_bidders_on_and_equilibrium_winners_never(n):
    (naive, naive_error), (equilibrium, error) = per_win("naive", n), per_win("equilibrium", n)
    assert equilibrium > 5 * error
    assert naive < equilibrium or n == 2
    if n >= 4:
        assert naive < -5 * naive_error
