"""`judge-greedy,rivals=inferred` in sealed-bid auctions: Bayes' rule, calibration, exact profits, the bidder."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from aucenv.baselines.population.sealed_bid import decide_family
from aucenv.baselines.scripted.sealed_bid import hindsight
from aucenv.training.rlact.judges.inferred_rivals import UNKNOWN
from aucenv.training.rlact.sealed.belief import LEAST_UNKNOWN, Belief, highest_rival_bid
from aucenv.training.rlact.sealed.members import TREMBLE, Members, members_of, share_chances
from aucenv.training.rlact.sealed.profits import by_state, num_states, possible_states
from aucenv.training.rlact.sealed.regret import Learners
from run_command import command

import aucenv
from aucenv.core.play.table import Table
from aucenv.envs.sealed_bid.game import GAME, SCENARIOS, SealedBidScenario
from aucenv.policy.registry import rule_bidders
from aucenv.runs.records import replay
from aucenv.theory import bid_grid, signals

JUDGE = "judge-greedy,rivals=inferred"
GAMES = 80
FIRST = SCENARIOS["first-ipv"]


def row_after(scenario, bids, value=50, common=0):
    """Return a state in which seat 0 has bid nothing and its rivals have made these bids in cents, by round."""
    row = scenario.template()[0]
    row["item"] = len(bids)
    row["value"][0, :], row["common"][:] = 100 * value, 100 * common
    row["bid"][0, : len(bids)] = -1
    for j, rivals in enumerate(bids):
        row["ranked"][j, : len(rivals) + 1] = sorted([*rivals, -1], reverse=True)
    return row


def two_members(scenario):
    """Return two members: one bids 0 or 1 with the probabilities 0.9 and 0.1, the unknown one with 0.3 and 0.7."""
    chances = np.zeros((2, len(signals(scenario)), len(bid_grid(scenario))))
    chances[0, :, :2], chances[1, :, :2] = (0.9, 0.1), (0.3, 0.7)
    return Members(("low", UNKNOWN), np.arange(2), chances, by_state(chances, num_states(scenario)), {})


def test_the_posterior_is_that_of_bayes():
    pair = FIRST.changed(num_bidders=2)
    belief = Belief(pair, two_members(pair), temper=1)
    belief.observe(row_after(pair, [[0], [100], [0]]), 0)
    low, unknown = 0.9 * 0.1 * 0.9, 0.3 * 0.7 * 0.3
    exact = np.array([low, unknown]) / (low + unknown)
    np.testing.assert_allclose(belief.weights, (1 - LEAST_UNKNOWN) * exact + LEAST_UNKNOWN * np.array([0, 1]))

    belief = Belief(FIRST, two_members(FIRST), temper=1)
    belief.observe(row_after(FIRST, [[0, 100], [0, 100]]), 0)  # either rival may have made either bid
    both = np.array([[2 * 0.9 * 0.1, 0.9 * 0.7 + 0.3 * 0.1], [0.9 * 0.7 + 0.3 * 0.1, 2 * 0.3 * 0.7]]) ** 2
    np.testing.assert_allclose(np.exp(belief.log_weights) / np.exp(belief.log_weights).sum(), both / both.sum())
    for _ in range(500):
        belief.rounds = 0
        belief.observe(row_after(FIRST, [[0, 0]]), 0)
    assert belief.weights.sum() == pytest.approx(1)
    assert belief.marginal[1] == pytest.approx(LEAST_UNKNOWN)  # the unknown family never dies
    assert belief.notes() == {"kinds": {"low": 0.98}, "ess": 1.0}


@pytest.mark.parametrize("name", ["first-ipv", "second-cv-3"])
def test_weights_of_families_are_calibrated_and_rise(name):
    scenario, rng = SCENARIOS[name].changed(num_rounds=8), np.random.default_rng(0)
    all_members = members_of(scenario)
    kept = [m for m in range(0, len(all_members.family), 2) if m not in all_members.levels]
    numbers = np.unique(all_members.family[kept], return_inverse=True)[1]
    families = tuple(dict.fromkeys(all_members.families[all_members.family[m]] for m in kept))
    members = Members(families, numbers, all_members.chances[kept], all_members.by_state[kept], {})
    guessed, true, by_round = [], [], np.zeros(scenario.num_rounds)
    for _ in range(GAMES):
        pair = rng.choice(len(kept), 2, p=members.prior)
        state = rng.integers(num_states(scenario), size=scenario.num_rounds)
        bids = [
            [100 * rng.choice(len(bid_grid(scenario)), p=members.by_state[member, s]) for member in pair] for s in state
        ]
        row = row_after(scenario, bids, common=0)
        row["common"][: scenario.num_rounds] = 100 * (scenario.value_range[0] + state)
        belief = Belief(scenario, members, temper=1)
        for j in range(scenario.num_rounds):
            row["item"] = j + 1
            belief.observe(row, 0)
            totals = np.bincount(numbers, belief.marginal)
            by_round[j] += totals[numbers[pair]].mean() / GAMES
            if j % 3 == 1:
                guessed += [*totals, *totals]
                true += [family == numbers[member] for member in pair for family in range(len(families))]
    assert by_round[-1] > by_round[3] > by_round[0] > 1 / len(families)
    bins = np.minimum(np.array(guessed) * 5, 4.999).astype(int)
    for number in range(5):
        if (bins == number).sum() >= 40:
            chosen = bins == number
            assert abs(np.mean(np.array(guessed)[chosen]) - np.mean(np.array(true)[chosen])) < 0.1
    assert (np.bincount(bins, minlength=5) >= 40).sum() >= 3


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("first-ipv", {"reserve": 20}),
        ("second-ipv", {"reserve": 20}),
        ("all-pay-ipv", {}),
        ("second-cv-3", {}),
        ("second-apv", {}),
        ("third-ipv", {}),
        ("first-ipv-4", {}),
    ],
)
def test_expected_profits_are_those_of_many_rounds(name, changes):
    scenario, rng, number = SCENARIOS[name].changed(**changes), np.random.default_rng(1), 40_000
    belief, grid = Belief(scenario), bid_grid(scenario)
    rivals = scenario.num_bidders - 1
    belief.observe(row_after(scenario, [[1200, 2500, 1900][:rivals], [300, 2200, 1000][:rivals]], 30, 30), 0)
    signal = 100 * (30 if name == "second-apv" else 45)
    weights = belief.weights
    if scenario.pricing == "third":  # the pairs are taken as independent
        weights = np.outer(belief.marginal, belief.marginal)
    chosen = rng.choice(weights.size, (number, 1 if weights.ndim == 2 else rivals), p=weights.ravel())
    lineups = np.stack(np.divmod(chosen[:, 0], len(weights)), axis=1) if weights.ndim == 2 else chosen
    states = rng.choice(possible_states(scenario, signal), number)
    sums = belief.by_state.cumsum(axis=2)
    places = np.stack([(sums[lineup, states] < rng.random((number, 1))).sum(axis=1) for lineup in lineups.T])
    bids = np.sort(grid[np.minimum(places, len(grid) - 1)], axis=0)[::-1]
    value = 100 * (scenario.value_range[0] + states) if scenario.values == "cv" else signal
    profits, reserve = belief.profits(signal), 100 * scenario.reserve
    for bid in grid[[20, 25, 33, 40]]:
        tied = (bids == bid).sum(axis=0)
        wins = (bid >= bids[0]) & (bid >= reserve) & (rng.random(number) < 1 / (1 + tied))
        rank = {"second": 0, "third": 1}.get(scenario.pricing)
        price = np.full(number, bid) if rank is None else np.maximum(bids[rank], reserve)
        earned = wins * value - (bid if scenario.pricing == "all_pay" else wins * price)
        assert abs(profits[grid == bid][0] - earned.mean()) < 4 * earned.std() / number**0.5 + 1


def test_members_bid_like_the_bidders():
    family, grid = rule_bidders("sealed_bid")["noisy"], bid_grid(FIRST)
    row, chances = FIRST.template(), share_chances(FIRST, 0.6, 0.8)
    row["value"][0, 0, 0] = 7000
    bids = []
    for key in range(400):
        row["seat_key"][0, 0] = key
        bids.append(decide_family(family.kind, np.array([0.7, 0.1, 0.0]), row, 0, 0))
    assert (chances[70, grid < 4200 - 50] < TREMBLE).all()
    mean = (1 - TREMBLE) * np.mean(bids) + TREMBLE * grid.mean()
    assert chances[70] @ grid == pytest.approx(mean, abs=100)

    members = members_of(FIRST)
    assert members.families[-1] == UNKNOWN
    assert {"shader", "theorist", "regretter", "improviser"} < set(members.families)
    np.testing.assert_allclose(members.chances.sum(axis=2), 1)
    assert "theorist" not in members_of(SCENARIOS["third-ipv"]).families  # it cannot play the scenario


@pytest.mark.parametrize("name", ["first-ipv", "second-ipv", "all-pay-ipv", "third-ipv"])
def test_regrets_in_hindsight_are_those_of_the_bidder(name):
    scenario = SCENARIOS[name].changed(num_bidders=3, reserve=10)
    learners, row = Learners(scenario, [4]), scenario.template()[0]
    row["value"][0, 0], row["bid"][0, 0] = 6400, 3200
    row["ranked"][0, :3] = [4000, 3200, 3100]
    rule = getattr(hindsight, "py_func", hindsight)
    exact = [rule(row, 0, 0, amount) - rule(row, 0, 0, 3200) for amount in (0, 1600, 3200, 4800, 6400)]
    bids = learners._hindsight(learners.amounts.astype(int), None, [4000, 3100])[0, 64]
    np.testing.assert_allclose(bids - learners._hindsight(np.array([3200]), None, [4000, 3100])[64], exact)


def test_regret_matching_learns_from_revealed_bids():
    learners = Learners(FIRST, [4, 2])
    np.testing.assert_allclose(learners.chances, [[0.2] * 5, [1 / 3] * 3 + [0, 0]])
    learners.learn([3200, 3200, 4000], range(1), None)  # at a value of 64, 48 would have earned 16
    assert learners.chances[0].argmax() == 3
    np.testing.assert_allclose(learners.chances.sum(axis=1), 1)


@pytest.mark.parametrize("pricing", ["first", "second", "third", "all_pay"])
@pytest.mark.parametrize("reveal", ["price", "none"])
def test_hidden_bids_are_bounded_by_the_result(pricing, reveal):
    scenario = SealedBidScenario("hidden", pricing=pricing, reveal=reveal, reserve=20, num_rounds=12)
    rng, table = np.random.default_rng(5), Table(GAME, scenario, ["amount"] * 3)
    table.reset(3)
    beliefs = [Belief(scenario) for _ in range(3)]
    for _ in range(scenario.num_rounds - 1):
        bids = rng.integers(0, 60, 3) if rng.random() < 0.8 else np.full(3, rng.integers(15, 40))
        for seat in range(3):
            assert table.submit(seat, float(bids[seat])) is None
        for seat, belief in enumerate(beliefs):
            row = table.view(seat).row[0]
            least, most = highest_rival_bid(scenario, row, seat, int(row["item"]) - 1)
            assert least <= 100 * np.delete(bids, seat).max() <= most
            belief.observe(row, seat)
            assert np.isfinite(belief.weights).all()
    assert beliefs[0].notes()["ess"] < Belief(scenario).notes()["ess"]


def test_a_game_is_recorded_and_replayed():
    record, again = (aucenv.play("sealed_bid", "second-cv-3", [JUDGE, "shade", "regret"], 3) for _ in range(2))
    assert record.to_json() == again.to_json()
    assert replay(record, "here").over
    decisions = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    for decision in decisions:
        notes = decision["notes"]
        assert notes["worth"][f"{decision['amount']:g}"] == max(notes["worth"].values())
        assert set(notes) == {"worth", "kinds", "ess"}
        assert len(notes["worth"]) <= 9
    assert decisions[-1]["notes"]["ess"] < decisions[0]["notes"]["ess"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("judge-greedy", "rivals: expected inferred in sealed_bid, got none: .* use judge-greedy,rivals=inferred"),
        ("judge-greedy,rivals=shade", "rivals: expected inferred in sealed_bid, got 'shade'"),
        (f"{JUDGE},samples=4", "samples: expected no samples in sealed_bid"),
        (f"{JUDGE},own=shade", "own: expected no own in sealed_bid"),
        (f"{JUDGE},depth=3", "parameter: expected one of"),
        ("judge-greedy:x,rivals=inferred", "takes no :ARG"),
    ],
)
def test_bad_names_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        aucenv.make_policy("sealed_bid", name)


def test_the_bidder_is_listed(capsys):
    command("bidders", "--game", "sealed_bid")
    assert JUDGE in capsys.readouterr().out


def test_scenarios_with_too_many_bids_are_refused():
    scenario = dataclasses.replace(FIRST, value_step=0.1, bid_step=0.1)
    with pytest.raises(ValueError, match="at most 50,000 pairs of a signal and a bid, got 991 signals and 991 bids"):
        aucenv.play("sealed_bid", scenario, [JUDGE, "shade", "shade"], 1)
