import functools
import itertools
import math

import numpy as np
import pytest

from aucenv import theory as theory_api
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.clock.game import SCENARIOS as CLOCKS
from aucenv.envs.sealed_bid import rules, theory
from aucenv.envs.sealed_bid.game import SCENARIOS, SealedBidScenario
from aucenv.policy.registry import make_policy

PRICINGS = [(pricing, n) for pricing in rules.PRICINGS for n in (2, 3, 4) if (pricing, n) != ("third", 2)]
RANGES = {"ipv": (1, 4), "apv": (0, 2), "cv": (2, 4)}


def tiny(pricing, n, values, reserve):
    return SealedBidScenario(
        "tiny", pricing=pricing, num_bidders=n, values=values, reserve=reserve, value_range=RANGES[values],
        signal_error=1, bid_cap=4, num_rounds=1,
    )  # fmt: skip


def on_grid(step, pricing, n):
    return SealedBidScenario("grid", pricing=pricing, num_bidders=n, value_step=step, bid_step=step, bid_cap=None)


def equilibrium(scenario):
    return theory.as_bids(scenario, theory.equilibrium_bids(scenario))


CALLS = {
    "as_bids": (0,),
    "best_response": (0,),
    "common_value_bid_interior": (50,),
    "common_value_if_highest": (50,),
    "expected_efficiency": (0,),
    "expected_profits": (0,),
    "expected_revenue": (0,),
    "expected_winner_profit": (0,),
    "policy_bids": (make_policy("sealed_bid", "truthful"),),
    "sampled_utility_loss": (None, None),
    "utility_loss": (0,),
}
"""The arguments of the functions that take more than a scenario."""


@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name in theory_api.__all__
        if not name.startswith("proxy_") and name not in ("FOLDS", "Bids", "DrawBids")
    ),
)
@pytest.mark.parametrize("scenario", [CLOCKS["ascending-cv"], CLOCKS["descending-ipv"]], ids=lambda each: each.name)
def test_scenarios_of_clock_auctions_are_refused_with_the_way_out(name, scenario):
    arguments = (lambda *_: 0, scenario) if name == "bids_of" else (scenario, *CALLS.get(name, ()))
    with pytest.raises(TypeError, match=r"expected a SealedBidScenario, got ClockScenario.*give scenario.as_sealed"):
        getattr(theory_api, name)(*arguments)


def test_other_objects_in_place_of_a_scenario_are_refused():
    with pytest.raises(TypeError, match=r"scenario: expected a SealedBidScenario, got 'first-ipv'$"):
        theory.equilibrium_bids("first-ipv")


# brute force: the rules applied to every profile of signals


@functools.cache
def endings(scenario, bids):
    """Return the equally likely results of a round with these bids: (winner, price, payment of each seat), cents."""
    ways = []
    tied = [seat for seat, bid in enumerate(bids) if bid == max(bids)]
    for forced in tied:
        state = scenario.template()
        state["acting"][0, : scenario.num_bidders] = 1
        state["forced_tie"] = forced
        amounts = np.full(state["acting"].shape[1], WITHDRAW)
        amounts[: len(bids)] = bids
        rules.step(state, 0, amounts)  # values are 0, so that profits are payments
        row = state[0]
        ways.append((int(row["winner"][0]), int(row["price"][0]), [-int(profit) for profit in row["gain"]]))
    return ways


def states(scenario):
    """Return the equally likely states: the common value, or None, and the equally likely signals."""
    low, high = (round(100 * value) for value in scenario.value_range)
    grid = range(low, high + 1, 100)
    if scenario.values == "ipv":
        return [(None, list(grid))]
    if scenario.values == "apv":
        return [(None, [common + private for private in grid]) for common in grid]
    return [(value, [value + error for error in (-100, 0, 100)]) for value in grid]


def brute_profits(scenario, pmf):
    """Return the profit of every bid at every signal, by enumeration. pmf: {signal: {bid: probability}}."""
    signals, grid = theory.signals(scenario).tolist(), theory.bid_grid(scenario).tolist()
    table = np.zeros((len(signals), len(grid)))
    num_states = np.zeros((len(signals), 1))
    for value, possible in states(scenario):
        rows = [signals.index(x) for x in possible]
        num_states[rows] += 1
        options = [(bid, prob / len(possible)) for x in possible for bid, prob in pmf[x].items()]
        for rivals in itertools.product(options, repeat=scenario.num_bidders - 1):
            prob = math.prod(part for _, part in rivals)
            for b, seat_bid in enumerate(grid):
                ways = endings(scenario, (seat_bid, *(bid for bid, _ in rivals)))
                wins = sum(winner == 0 for winner, _, _ in ways) / len(ways)
                pays = sum(paid[0] for _, _, paid in ways) / len(ways)
                for i, x in zip(rows, possible, strict=True):
                    table[i, b] += prob * ((x if value is None else value) * wins - pays)
    return table / num_states / 100


def brute_round(scenario, bids):
    """Return revenue, efficiency and the winner's profit, by enumeration. bids: {signal: bid}."""
    revenue = efficiency = winner_profit = 0.0
    worlds = states(scenario)
    for value, possible in worlds:
        prob = 1 / len(worlds) / len(possible) ** scenario.num_bidders
        for signals in itertools.product(possible, repeat=scenario.num_bidders):
            ways = endings(scenario, tuple(bids[x] for x in signals))
            for winner, price, paid in ways:
                revenue += prob / len(ways) * sum(paid)
                if winner != NOBODY:
                    efficiency += prob / len(ways) * (signals[winner] == max(signals))
                    winner_profit += prob / len(ways) * ((signals[winner] if value is None else value) - price)
    return revenue / 100, efficiency, winner_profit / 100


@pytest.mark.parametrize("reserve", [0, 1.5, 2])
@pytest.mark.parametrize("values", ["ipv", "apv", "cv"])
@pytest.mark.parametrize(("pricing", "n"), PRICINGS)
def test_profits_and_expectations_equal_those_by_enumeration(pricing, n, values, reserve, monkeypatch):
    scenario = tiny(pricing, n, values, reserve)
    signals = theory.signals(scenario)
    sizes = (1, 12, 1 << 18) if n < 4 else (12,)  # one signal at a time, some at a time, all at once
    for seed, cells in enumerate(sizes):
        monkeypatch.setattr(theory, "CELLS", cells)
        bids = np.random.default_rng([seed, n]).integers(0, 5, signals.size) * 100
        pmf = {int(x): {int(bid): 1.0} for x, bid in zip(signals, bids, strict=True)}
        table = brute_profits(scenario, pmf)
        np.testing.assert_allclose(theory.expected_profits(scenario, bids), table, rtol=0, atol=1e-12)
        revenue, efficiency, winner_profit = brute_round(
            scenario, dict(zip(signals.tolist(), bids.tolist(), strict=True))
        )
        assert theory.expected_revenue(scenario, bids) == pytest.approx(revenue, abs=1e-12)
        assert theory.expected_efficiency(scenario, bids) == pytest.approx(efficiency, abs=1e-12)
        assert theory.expected_winner_profit(scenario, bids) == pytest.approx(winner_profit, abs=1e-12)
        best, earned = theory.best_response(scenario, bids)
        np.testing.assert_allclose(earned, table.max(axis=1), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(best, 100 * (table > table.max(axis=1, keepdims=True) - 1e-10).argmax(axis=1))
        profits = table[np.arange(signals.size), bids // 100]
        loss = theory.probabilities(scenario) @ (table.max(axis=1) - profits)
        assert theory.utility_loss(scenario, bids) == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize("values", ["ipv", "apv", "cv"])
@pytest.mark.parametrize(("pricing", "n"), [case for case in PRICINGS if case[1] < 4])
def test_results_of_random_rules_equal_those_by_enumeration(pricing, n, values):
    scenario = tiny(pricing, n, values, 1)
    signals, grid = theory.signals(scenario), theory.bid_grid(scenario)
    rng = np.random.default_rng(n)
    draws = 100 * rng.integers(0, 5, (signals.size, 4))
    probs = (draws[:, :, None] == grid).mean(axis=1)
    pmf = {int(x): dict(zip(grid.tolist(), row, strict=True)) for x, row in zip(signals, probs, strict=True)}
    table = brute_profits(scenario, pmf)
    rival = 100 * rng.integers(0, 5, signals.size)
    for rule in (draws, probs):
        np.testing.assert_allclose(theory.expected_profits(scenario, rule), table, rtol=0, atol=1e-12)
        loss = theory.probabilities(scenario) @ (table.max(axis=1) - (probs * table).sum(axis=1))
        assert theory.utility_loss(scenario, rule) == pytest.approx(loss, abs=1e-12)
        for figure in (theory.expected_revenue, theory.expected_efficiency, theory.expected_winner_profit):
            assert figure(scenario, rule) == pytest.approx(figure(scenario, draws), abs=1e-12)
        sided = (probs * theory.expected_profits(scenario, rival)).sum(axis=1)
        gap = theory.best_response(scenario, rival)[1] - sided
        assert theory.utility_loss(scenario, rule, rival) == pytest.approx(theory.probabilities(scenario) @ gap)


def test_the_efficiency_of_random_rules_equals_that_by_enumeration():
    # efficiency has a separate formula; here two seats, by enumeration of both seats' draws
    scenario = tiny("first", 2, "apv", 2)
    signals = theory.signals(scenario)
    draws = 100 * np.random.default_rng(7).integers(0, 5, (signals.size, 3))
    prob, worlds = 0.0, states(scenario)
    place = {int(x): i for i, x in enumerate(signals)}
    for _, possible in worlds:
        for x, y in itertools.product(possible, repeat=2):
            for a, b in itertools.product(draws[place[x]].tolist(), draws[place[y]].tolist()):
                ways = endings(scenario, (a, b))
                good = sum(w != NOBODY and (x, y)[w] == max(x, y) for w, _, _ in ways) / len(ways)
                prob += good / len(worlds) / len(possible) ** 2 / 9
    assert theory.expected_efficiency(scenario, draws) == pytest.approx(prob, abs=1e-12)


@pytest.mark.parametrize("values", ["ipv", "apv", "cv"])
def test_the_probabilities_of_signals_are_those_of_the_deal(values):
    scenario = tiny("second", 3, values, 0)
    prob = {int(x): 0.0 for x in theory.signals(scenario)}
    worlds = states(scenario)
    for _, possible in worlds:
        for x in possible:
            prob[x] += 1 / len(worlds) / len(possible)
    np.testing.assert_allclose(theory.probabilities(scenario), list(prob.values()), rtol=0, atol=1e-15)
    template = scenario.changed(num_rounds=4000).template()
    state = template.copy()
    rules.deal(state, 0, template, 5)
    dealt, counts = np.unique(state["value"][0, 0, :4000], return_counts=True)
    np.testing.assert_array_equal(dealt, theory.signals(scenario))
    np.testing.assert_allclose(counts / 4000, theory.probabilities(scenario), atol=4 * 0.5 / 4000**0.5)


# equilibria


@pytest.mark.parametrize("step", [0.1, pytest.param(0.01, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("pricing", "n"), [(p, n) for p in rules.PRICINGS for n in (2, 3, 4, 5) if (p, n) != ("third", 2)]
)
def test_equilibria_are_best_responses_and_earn_the_revenue_of_theory(pricing, n, step):
    scenario = on_grid(step, pricing, n)
    bids = equilibrium(scenario)
    loss = theory.utility_loss(scenario, bids)
    assert loss < 1e-12 if pricing == "second" else -1e-12 < loss < step / 2
    assert theory.expected_revenue(scenario, bids) == pytest.approx(theory.revenue_of_theory(scenario), abs=2 * step)
    assert theory.expected_efficiency(scenario, bids) == pytest.approx(1, abs=0.05 * step)


@pytest.mark.parametrize("pricing", rules.PRICINGS)
def test_another_rule_has_a_utility_loss(pricing):
    scenario = SealedBidScenario("dollars", pricing=pricing, bid_cap=None)
    bids = theory.as_bids(scenario, 0.9 * theory.equilibrium_bids(scenario))
    assert theory.utility_loss(scenario, bids) > 0.05
    assert theory.utility_loss(scenario, equilibrium(scenario)) < 0.01 * 99


def test_truthful_bids_are_dominant_with_private_values():
    for values in ("ipv", "apv"):
        for reserve in (0, 7):
            scenario = SCENARIOS["second-ipv"].changed(values=values, reserve=reserve, num_bidders=4)
            bids = equilibrium(scenario)
            rng = np.random.default_rng(3)
            for rivals in (bids, rng.permutation(bids), rng.integers(0, scenario.num_bids, (bids.size, 5)) * 100):
                assert theory.utility_loss(scenario, bids, rivals) < 1e-12


def test_a_cap_destroys_the_third_price_equilibrium():
    free = SealedBidScenario("free", pricing="third", bid_cap=None)
    assert equilibrium(free).max() == 198_00
    assert theory.utility_loss(free, equilibrium(free)) < 0.002 * 99
    capped = free.changed(bid_cap=99)
    assert theory.utility_loss(capped, equilibrium(capped)) > 0.2
    assert theory.expected_efficiency(capped, equilibrium(capped)) < 0.8


def test_risk_aversion_raises_first_price_bids():
    scenario = SCENARIOS["first-ipv-4"]
    np.testing.assert_allclose(theory.equilibrium_bids(scenario, 0.5), theory.signals(scenario) / 100 * 3 / 3.5)
    np.testing.assert_allclose(theory.equilibrium_bids(scenario), theory.signals(scenario) / 100 * 3 / 4)
    with pytest.raises(ValueError, match="risk_aversion"):
        theory.equilibrium_bids(scenario, 1)


@pytest.mark.parametrize(
    ("pricing", "fields", "risk"),
    [
        *((pricing, {"values": values}, 0) for pricing in ("first", "third", "all_pay") for values in ("apv", "cv")),
        *((pricing, {}, 0.5) for pricing in ("third", "all_pay")),
        *((pricing, {"value_range": (1, 99)}, 0) for pricing in ("first", "third", "all_pay")),
        *((pricing, {"reserve": 5}, 0) for pricing in ("first", "third", "all_pay")),
        ("second", {"values": "cv", "reserve": 5}, 0),
        ("second", {"values": "cv"}, 0.5),
    ],
)
def test_without_a_closed_form_there_is_an_error(pricing, fields, risk):
    scenario = SealedBidScenario("open", pricing=pricing).changed(**fields)
    with pytest.raises(ValueError, match=f"no closed form is implemented for {pricing} price"):
        theory.equilibrium_bids(scenario, risk)
    if not risk:
        with pytest.raises(ValueError, match="no closed form"):
            theory.revenue_of_theory(scenario)


# common values


def brute_value_at_tie(scenario, x):
    m, above, below = scenario.num_bidders - 1, 0.0, 0.0
    low, high = (round(value) for value in scenario.value_range)
    error = round(scenario.signal_error)
    for value in range(low, high + 1):
        if abs(x - value) <= error:
            lower = x - value + error
            prob = (lower + 1) ** m - lower**m
            above, below = above + value * prob, below + prob
    return above / below


@pytest.mark.parametrize("n", range(2, 7))
def test_common_value_bids_are_the_closed_form_in_the_interior(n):
    scenario = SCENARIOS[f"second-cv-{n}"]
    bids, signals = theory.equilibrium_bids(scenario), theory.signals(scenario) / 100
    np.testing.assert_allclose(bids, [brute_value_at_tie(scenario, round(x)) for x in signals], rtol=1e-12)
    inside = (signals >= 40) & (signals <= 59)
    interior = theory.common_value_bid_interior(scenario, signals[inside])
    assert np.abs(bids[inside] - interior).max() < 0.5
    assert np.abs(bids[~inside] - (signals[~inside] - 20 * (n - 2) / n)).max() > 5
    assert (theory.common_value_if_highest(scenario, signals[inside]) < signals[inside]).all()
    for outside in (39, [50, 60]):
        with pytest.raises(ValueError, match="from 40 to 59"):
            theory.common_value_bid_interior(scenario, outside)


@pytest.mark.parametrize("n", range(2, 7))
def test_naive_winners_suffer_the_curse_with_four_or_more_bidders(n):
    scenario = SCENARIOS[f"second-cv-{n}"]
    naive = theory.as_bids(scenario, theory.signals(scenario) / 100)
    rational = equilibrium(scenario)
    winner_profit = theory.expected_winner_profit(scenario, naive)
    if n == 3:  # the median of three signals is unbiased
        assert winner_profit == pytest.approx(0, abs=1e-9)
    else:
        assert (winner_profit < 0) == (n >= 4)
    assert theory.expected_winner_profit(scenario, rational) > 0
    assert theory.utility_loss(scenario, rational) < 0.001 * 99
    assert theory.utility_loss(scenario, naive) > 10 * theory.utility_loss(scenario, rational)


def test_the_highest_of_n_signals_overestimates_the_value():
    rng = np.random.default_rng(1)
    value = rng.uniform(0, 1000, 400_000)
    highest = value + rng.uniform(-20, 20, (4, value.size)).max(axis=0)
    near = (highest > 400) & (highest < 600)
    scenario = SCENARIOS["second-cv-4"]
    gap = 50 - float(theory.common_value_if_highest(scenario, 50))
    assert (highest - value)[near].mean() == pytest.approx(gap, abs=0.2)


# bidders


def test_bids_of_returns_a_rule_bidders_bid_at_every_signal():
    scenario = SCENARIOS["first-ipv"]

    def half(state, b, seat):
        assert state["acting"][b, seat] == 1
        return state["value"][b, seat, state["item"][b]] // 2

    np.testing.assert_array_equal(theory.bids_of(half, scenario), theory.as_bids(scenario, np.arange(100) / 2))
    with pytest.raises(ValueError, match="abstains"):
        theory.bids_of(lambda *_: WITHDRAW, scenario)
    assert not theory.bids_of(lambda *_: WITHDRAW, scenario.changed(reserve=5)).any()


def test_as_bids_rounds_half_up_and_caps():
    scenario = SealedBidScenario("steps", bid_step=0.5, bid_cap=10)
    np.testing.assert_array_equal(theory.as_bids(scenario, [0, 0.24, 0.25, 0.75, 9.9, 11]), [0, 0, 50, 100, 1000, 1000])
    assert theory.as_bids(on_grid(0.01, "first", 2), 0.145) == 15


def test_the_sampled_loss_of_random_bidders_is_unbiased():
    scenario = SealedBidScenario("small", num_bidders=3, value_range=(0, 20), bid_cap=20)
    bids = equilibrium(scenario)
    mean, error = theory.sampled_utility_loss(scenario, lambda _, rng: bids, np.random.default_rng(0), 20)
    assert (mean, error) == (pytest.approx(theory.utility_loss(scenario, bids), abs=1e-12), pytest.approx(0, abs=1e-12))

    def uniform(signals, rng):
        return rng.integers(0, 21, signals.size) * 100

    exact = theory.utility_loss(scenario, np.full((21, 21), 1 / 21))
    deviations = []
    for seed in range(40):
        mean, error = theory.sampled_utility_loss(scenario, uniform, np.random.default_rng(seed), 200)
        assert 0 < error < 0.2
        deviations.append((mean - exact) / error)
    assert abs(np.mean(deviations)) < 3 / 40**0.5
    assert 0.7 < np.std(deviations) < 1.5
    with pytest.raises(ValueError, match="samples"):
        theory.sampled_utility_loss(scenario, uniform, np.random.default_rng(0), 19)


@pytest.mark.parametrize(
    ("bids", "words"),
    [
        (np.zeros(99, int), r"got int64 \(99,\)"),
        (np.zeros(100), r"got float64 \(100,\)"),
        (np.full(100, 50), "got 50"),
        (np.full(100, -100), "got -100"),
        (np.full(100, 100_00), "got 10000"),
        (np.full((100, 100), 0.1), "add up to 1"),
    ],
)
def test_invalid_rules_are_refused(bids, words):
    with pytest.raises(ValueError, match=f"bids: .*{words}"):
        theory.utility_loss(SCENARIOS["first-ipv"], bids)


# OpenSpiel's first-price auction, which only allows bids below one's value

MAX_VALUE = 5
AUCTION = f"first_sealed_auction(players=2,max_value={MAX_VALUE})"
SPIEL = SealedBidScenario("spiel", num_bidders=2, value_range=(1, MAX_VALUE), bid_cap=MAX_VALUE, num_rounds=1)


def leaves(state):
    """Yield all terminal states of an OpenSpiel game."""
    if state.is_terminal():
        yield state
    for action in state.legal_actions():
        yield from leaves(state.child(action))


def test_openspiels_returns_are_the_same_on_its_whole_tree():
    import pyspiel

    visited = set()
    for leaf in leaves(pyspiel.load_game(AUCTION).new_initial_state()):
        first, second, *bids = (move.action for move in leaf.full_history()[:4])
        ties = [move.action for move in leaf.full_history()[4:]]
        state = SPIEL.template()
        state["acting"][0, :2] = 1
        state["value"][0, :2, 0] = 100 * first, 100 * second
        state["forced_tie"] = ties[0] if ties else NOBODY
        assert all(rules.check(state, 0, seat, 100 * bid) == rules.LEGAL for seat, bid in enumerate(bids))
        rules.step(state, 0, np.array([100 * bid for bid in bids] + [WITHDRAW] * 2))
        assert state["gain"][0, :2].tolist() == [100 * value for value in leaf.returns()]
        visited.add((first, second, *bids, *ties))
    assert len(visited) == sum(a * b + min(a, b) for a in range(1, MAX_VALUE + 1) for b in range(1, MAX_VALUE + 1))


def test_openspiels_cfr_finds_our_equilibrium():
    import pyspiel
    from open_spiel.python.algorithms import exploitability

    game = pyspiel.load_game(AUCTION)
    solver = pyspiel.CFRSolver(game)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    rule = np.zeros((2, MAX_VALUE, MAX_VALUE + 1))
    for value in range(1, MAX_VALUE + 1):
        state = game.new_initial_state().child(value).child(value)
        for seat in range(2):
            for bid, prob in average.action_probabilities(state).items():
                rule[seat, value - 1, bid] = prob
            state = state.child(0)
    losses = [theory.utility_loss(SPIEL, rule[seat], rule[1 - seat]) for seat in range(2)]
    assert max(losses) < 0.01 * MAX_VALUE
    assert theory.utility_loss(SPIEL, rule[0]) < 0.01 * MAX_VALUE
    # bids of at least one's value are never profitable, so that OpenSpiel's best response is the same
    theirs = exploitability.nash_conv(game, average, return_only_nash_conv=False).player_improvements
    np.testing.assert_allclose(losses, theirs, rtol=0, atol=1e-9)
