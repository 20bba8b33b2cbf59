"""Small games as trees for OpenSpiel, checked against theory and against our own games."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest
from aucenv.benchmarks.studies.rl.small_games import SMALL_CLOCK, TINY_ENGLISH
from aucenv.training.ppo.choosers import network_chooser, rule_chooser
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import nash_conv
from ppo_networks import random_network

import aucenv
from aucenv import theory
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.integrations import open_spiel
from aucenv.integrations.open_spiel import turn_game


@pytest.fixture(scope="module")
def english():
    return turn_game("english", TINY_ENGLISH, 3)


@pytest.fixture(scope="module")
def clock():
    return turn_game("clock", SMALL_CLOCK)


def uniform(row, seat):
    """Withdraw or bid the least legal amount, with the same probability if both are legal."""
    can_bid = row["budget"][0, seat] >= row["least"][0]
    return np.array([0.5, 0.5, 0]) if can_bid else np.array([1.0, 0, 0])


def values(tree, *policies):
    return policy_value(tree.spiel.new_initial_state(), list(policies))


@pytest.mark.parametrize("bidder", ["truthful", "shade"])
def test_nash_conv_of_a_descending_clock_is_twice_the_utility_loss_in_first_price_auctions(clock, bidder):
    sealed = SealedBidScenario("sealed", num_bidders=2, num_rounds=1, value_range=(0, 4), bid_cap=4)
    bids = {"truthful": theory.signals(sealed), "shade": theory.as_bids(sealed, theory.signals(sealed) / 100 * 0.75)}
    chosen = clock.policy(rule_chooser("clock", bidder, SMALL_CLOCK, 2))
    assert nash_conv(clock.spiel, chosen) == pytest.approx(2 * theory.utility_loss(sealed, bids[bidder]), abs=1e-9)


def test_nash_conv_of_a_truthful_bidder_on_an_ascending_clock_is_zero():
    scenario = ClockScenario(
        "up", direction="ascending", values="ipv", num_bidders=2, num_rounds=1, value_range=(0, 3), highest_price=4
    )
    tree = turn_game("clock", scenario)
    assert nash_conv(tree.spiel, tree.policy(rule_chooser("clock", "truthful", scenario, 2))) == pytest.approx(
        0, abs=0.3
    )


@pytest.mark.parametrize("bidder", ["rule", "value", "drain"])
def test_payoffs_equal_those_of_rollouts(english, bidder):
    policy = english.policy(rule_chooser("english", bidder, TINY_ENGLISH, 3))
    profits = aucenv.rollout("english", TINY_ENGLISH, [bidder, bidder], 4000, seed=0)["profit"] / 100
    errors = profits.std(axis=0) / 4000**0.5
    assert (np.abs(profits.mean(axis=0) - values(english, policy, policy)) <= 4 * errors + 1e-9).all()


def test_ties_are_chance_nodes_with_equal_probabilities(english):
    state = english.spiel.new_initial_state()
    for _ in range(2):  # both bid the least legal amount
        state.apply_action(next(a for a in state.legal_actions() if state.action_to_string(a) == "a1"))
    assert state.is_chance_node()
    assert [probability for _, probability in state.chance_outcomes()] == [0.5, 0.5]


def test_moves_of_a_round_are_hidden_until_it_closes(english):
    first = english.spiel.new_initial_state()
    texts = {first.child(action).information_state_string() for action in first.legal_actions()}
    assert len(texts) == 1


def test_the_average_policy_earns_the_mean_of_its_parts(english):
    rule = rule_chooser("english", "rule", TINY_ENGLISH, 3)
    drain = rule_chooser("english", "drain", TINY_ENGLISH, 3)
    network = network_chooser("english", random_network("english", TINY_ENGLISH, False, actions=3), 3)
    rival = english.policy(uniform)
    parts = [english.policy(chooser) for chooser in (rule, drain, network)]
    mean = np.mean([values(english, part, rival)[0] for part in parts])
    average = english.policy(rule, drain, network)
    assert values(english, average, rival)[0] == pytest.approx(mean)
    assert english.policy(rule, rule).action_probability_array == pytest.approx(parts[0].action_probability_array)


def test_cfr_approaches_an_equilibrium(english):
    solver = pyspiel.CFRPlusSolver(english.spiel)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    assert english.num_nodes == 837
    assert english.payoff_range() == 4000
    assert pyspiel.nash_conv(english.spiel, solver.average_policy()) < 0.05 * english.payoff_range()
    assert nash_conv(english.spiel, english.policy(rule_chooser("english", "rule", TINY_ENGLISH, 3))) == 1750


def test_games_that_are_no_small_trees_are_refused(monkeypatch):
    for game, scenario, message in (
        ("english", "standard-20k-random", "expected a deal that is not random, but 'opening' is drawn"),
        ("sealed_bid", "second-cv-2", "expected independent private values, got cv"),
        ("sealed_bid", "first-ipv-once", "expected at most 10,000 combinations of values"),
    ):
        with pytest.raises(ValueError, match=message):
            turn_game(game, scenario)
    monkeypatch.setattr(open_spiel, "MAX_NODES", 100)
    with pytest.raises(ValueError, match="expected a tree of at most 100 nodes"):
        turn_game("english", TINY_ENGLISH, 3)
