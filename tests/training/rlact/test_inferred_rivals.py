"""Rivals inferred from their bids: against exact Bayesian inference, and calibration."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from aucenv.baselines.scripted.english import RULE
from aucenv.baselines.scripted.rollout import read_lineups
from aucenv.benchmarks.judge_calibration import calibrate
from aucenv.training.rlact.judges import continuations, inferred_rivals
from aucenv.training.rlact.judges.inferred_rivals import (
    CHANGE,
    LEAST_UNKNOWN,
    TREMBLE,
    UNKNOWN,
    Prior,
    infer_rivals,
    posterior,
)
from aucenv.training.rlact.judges.simulator import Simulator, legal_ladder
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.decision_points import AnyScenario, Decisions
from exhaustive import choices, decision_tables, possible_rows, profit_moments, state_of
from tables import scenario_of

import aucenv
from aucenv.core.adapters.threads import Threads
from aucenv.core.play.table import Table
from aucenv.envs.english.game import GAME
from aucenv.policy.registry import make_policy, rule_numbers
from aucenv.registration import find_family

MEMBERS = ("rule,k=1", "rule,k=4", "value,margin=0.1", "stranger,limit=0.8,spread=0.2")
FAMILIES = ("fixed-limit", "fixed-limit", "valuer", UNKNOWN)


def small_prior(copies):
    """Return a prior of MEMBERS, each of which occurs `copies` times; families have the weights of their members."""
    pairs = [read_lineups("english", [[name]], AnyScenario(1)) for name in MEMBERS]
    kinds, params = (np.concatenate(arrays)[:, 0] for arrays in zip(*pairs, strict=True))
    names = tuple(dict.fromkeys(FAMILIES))
    numbers = np.array([names.index(family) for family in FAMILIES])
    return Prior(kinds.repeat(copies), params.repeat(copies, 0), names, numbers.repeat(copies))


def decisions_of(tables, seat=0):
    views = [table.view(seat) for table in tables]
    return Decisions(
        "english",
        np.concatenate([view.row for view in views]),
        np.full(len(views), seat),
        [view.scenario_text for view in views],
        [view._history for view in views],
        [("", "")] * len(views),
    )


def exact_posterior(decisions, members, number):
    """Return the weight of each member and each overestimate, (members, number)."""
    logs = np.zeros((len(MEMBERS), number))
    for state, amount in decisions:
        for o, row in enumerate(possible_rows(state, number)):
            for m in range(len(MEMBERS)):
                options = {amount: chance for chance, amount in choices(row, members.kinds[m], members.params[m], 1)}
                chance = options.get(amount, 0.0)
                logs[m, o] += np.log(TREMBLE + (1 - 2 * TREMBLE) * chance)
    flat, _ = posterior(dataclasses.replace(members, family=members.family.repeat(number)), logs.ravel(), True)
    return flat.reshape(logs.shape)


def distinct_rows(believed, kind, weights):
    """Yield the possible rows and their weights; a fixed limit bids the same in all of them."""
    rows = list(zip(possible_rows(believed, len(weights)), weights, strict=True))
    return [(rows[0][0], weights.sum())] if kind == RULE else [pair for pair in rows if pair[1] > 1e-6]


@pytest.mark.parametrize("num_states", [30, pytest.param(120, marks=pytest.mark.slow)])
def test_values_with_unknown_kinds_equal_exhaustive_search(monkeypatch, num_states):
    number, copies = 8, 250
    monkeypatch.setattr(inferred_rivals, "prior", lambda game: small_prior(copies))
    members = small_prior(1)
    simulator = Simulator(samples=500, own="rule;k=3", rivals="inferred", noise=0, ladder=1)
    tables, histories = decision_tables(num_states, 1)
    with Threads(1) as threads:
        inferred = infer_rivals(decisions_of(tables), np.arange(num_states)[:, None], 0, threads)
    states = [state_of(table, i) for i, table in enumerate(tables)]
    profits = simulator.profits(states, [simulator.legal(state) for state in states])
    [[own], [later_params]] = (array[0] for array in read_lineups("english", [["rule,k=3"]], AnyScenario(1)))
    for table, decisions, rivals, profit in zip(tables, histories, inferred, profits, strict=True):
        exact = exact_posterior(decisions, members, number)
        assert rivals.weights[0].reshape(4, copies).sum(1) == pytest.approx(exact.sum(1), abs=0.1)
        exact *= 1 - CHANGE
        exact[-1] += CHANGE / number
        believed = table.state.copy()
        believed["value"][0, :3] = np.round(table.state["estimate"][0, 0, :3] / 1.1)
        for action, means in zip(legal_ladder(table.state, 0, 1), profit, strict=True):
            expected, square = sum(
                weight * profit_moments(row, {0: action}, [own, kind], [later_params, params])
                for kind, params, weights in zip(members.kinds, members.params, exact, strict=True)
                for row, weight in distinct_rows(believed, kind, weights)
            )
            error = np.sqrt(max(0.0, square - expected**2) / min(500, rivals.effective[0]))
            assert means.mean() == pytest.approx(expected, abs=4 * error + 5)


def test_weights_of_true_families_rise_with_bids_and_are_calibrated():
    calibration = calibrate("english", 600, seed=1)
    of_true = (calibration.weights * calibration.is_true).sum(2).mean(1)
    early, middle, late = (of_true[calibration.items // 3 == third].mean() for third in range(3))
    assert 1 / calibration.weights.shape[2] < early < middle < late
    assert len(calibration.bins()) == 5
    for weight, share, number in calibration.bins():
        assert number > 40
        assert share == pytest.approx(weight, abs=0.1)


def test_later_moves_of_a_policy_equal_those_of_its_compiled_rule(monkeypatch):
    states = list(collect(Collection(40, ("english",), seed=3), "train"))[:3]
    simulator = Simulator(samples=8, own="pace", rivals="inferred")
    actions = [simulator.legal(state) for state in states]
    compiled = simulator.profits(states, actions)
    monkeypatch.setattr(continuations, "is_rule_bidder", lambda game, name: False)
    for one, other in zip(compiled, simulator.profits(states, actions), strict=True):
        assert (one == other).all()


class Rule:
    """A policy that decides as a rule bidder does, in many games at once."""

    interface = "amount"
    observes = False

    def __init__(self, game, name):
        self.rollouts = find_family(game).game.rollouts
        self.kind, self.params = rule_numbers(game, name, AnyScenario(1))

    def reset(self, seat, seed):
        pass

    def act_rows(self, rows, numbers, seats):
        amounts = []
        for number, seat in zip(numbers, seats, strict=True):
            memory = np.full(self.rollouts.memory_size(rows["acting"].shape[1], 64), -1.0)
            amounts.append(self.rollouts.decide(self.kind, self.params, rows[number : number + 1], 0, seat, memory))
        return np.array(amounts)


@pytest.mark.parametrize(
    ("game", "name"), [("english", "pace"), pytest.param("harbor", "expact", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("rivals", ["usual", pytest.param("inferred", marks=pytest.mark.slow)])
def test_games_that_are_played_at_once_equal_those_of_the_compiled_rule(monkeypatch, game, name, rivals):
    states = list(collect(Collection(40, (game,), seed=3), "train"))[:3]
    simulator = Simulator(samples=8, own=name, rivals=rivals)
    actions = [simulator.legal(state)[: 2 + i] for i, state in enumerate(states)]
    compiled = simulator.profits(states, actions)
    monkeypatch.setattr(continuations, "is_rule_bidder", lambda game, name: False)
    monkeypatch.setattr(continuations, "_policy", Rule)
    for threads in (1, 2):
        at_once = dataclasses.replace(simulator, threads=threads).profits(states, actions)
        assert all((one == other).all() for one, other in zip(compiled, at_once, strict=True))


def test_several_bidders_for_later_moves_are_at_least_as_good_as_each():
    states = list(collect(Collection(40, ("english",), seed=3), "train"))[:4]
    simulator = Simulator(samples=16, own="pace+rule;k=3", rivals="inferred")
    actions = [simulator.legal(state) for state in states]
    alone = [dataclasses.replace(simulator, own=own).profits(states, actions) for own in ("pace", "rule;k=3")]
    for both, *each in zip(simulator.profits(states, actions), *alone, strict=True):
        assert (both.mean(1) == np.max([profits.mean(1) for profits in each], axis=0)).all()


def test_strangers_play_if_no_bidder_explains_the_bids():
    members = small_prior(2)
    known = members.family < 2
    weights, explained = posterior(members, np.full(8, -np.inf), True)
    assert not explained
    assert weights.tolist() == [0] * 6 + [0.5] * 2
    weights, explained = posterior(members, np.zeros(8), False)
    assert not explained
    assert weights[known].sum() == 0
    weights, explained = posterior(members, np.where(known, 0.0, -1000.0), True)
    assert explained
    assert weights[~known].sum() == pytest.approx(LEAST_UNKNOWN)
    assert weights.sum() == pytest.approx(1)


def test_a_history_of_another_game_says_nothing_about_rivals():
    table = Table(GAME, aucenv.english_v0.parallel_env(num_bidders=3).scenario, ["amount"] * 3)
    table.reset(0)
    for _ in range(4):
        for seat in table.pending:
            table.submit(seat, table.view(seat).least_bid)
    seat = table.pending[0]
    decisions = decisions_of([table], seat)
    changed = dataclasses.replace(decisions, histories=[[(0, 0, 1, 10**9)]])
    with Threads(1) as threads:
        [rivals], [other] = (infer_rivals(each, np.array([[7]]), 0, threads) for each in (decisions, changed))
    names = table.scenario_text.seats
    assert all(rivals.explained)
    assert other.notes(names)["kinds"] == {names[s]: {UNKNOWN: 1.0} for s in range(3) if s != seat}


def test_a_tied_seat_that_cannot_pay_the_next_bid_did_not_win_the_tie():
    """Seats 1 and 2 tie at 1100, seat 2 wins the tie, and seat 1 cannot pay 1200; then seat 0 wins the item."""
    scenario = scenario_of([1000, 1000], 3)
    bidders = (scenario.bidders[0], dataclasses.replace(scenario.bidders[1], budget=1150), scenario.bidders[2])
    table = Table(GAME, dataclasses.replace(scenario, bidders=bidders), ["amount"] * 3)
    table.reset(0)
    for leader, amounts in ((0, (1000, 1000, 1000)), (2, (None, 1100, 1100)), (0, (1200, None, None))):
        table.force_tie(leader)
        for seat in table.pending:
            table.submit(seat, amounts[seat])
    table.submit(2, -1)
    assert table.item == 1
    with Threads(1) as threads:
        [rivals] = infer_rivals(decisions_of([table]), np.array([[7]]), 0, threads)
    assert rivals.explained == (True, True)


def test_notes_name_families_and_effective_sample_sizes():
    record = aucenv.play(
        "english", "standard-10k-random", ["judge-greedy,samples=8,rivals=inferred", "rule", "value"], 1
    )
    notes = [decision["notes"] for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert all({"worth", "kinds", "ess"} <= set(each) for each in notes)
    first, last = notes[0], notes[-1]
    assert set(first["kinds"]) == set(last["ess"]) == {"bidder_1", "bidder_2"}
    assert max(last["kinds"]["bidder_1"], key=last["kinds"]["bidder_1"].get) == "fixed-limit"
    assert last["ess"]["bidder_1"] < first["ess"]["bidder_1"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("judge-greedy,rivals=inferred,own=nobody", "nobody"),
        ("judge-greedy,rivals=inferred,own=pace+oracle", "oracle.*does not cheat"),
        ("judge-greedy,rivals=inferred+rule", "inferred"),
        ("judge-greedy,rivals=inferred,samples=10001", "10,?000"),
    ],
)
def test_bidders_of_rollouts_are_checked(name, message):
    with pytest.raises(ValueError, match=message):
        make_policy("english", name)


class Observing:
    """A bidder that gets observations, which rollouts do not compute."""

    interface = "amount"

    def reset(self, seat, seed):
        self.notes = {}

    def close_game(self, view):
        pass

    def act(self, view, observation):
        return -1.0


def test_later_moves_need_a_bidder_that_decides_from_the_view():
    with pytest.raises(ValueError, match="decisions from the View alone"):
        make_policy("english", f"judge-greedy,own=py:{__name__}:Observing")
