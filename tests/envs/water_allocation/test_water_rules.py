"""Rules of the water allocation challenge: games computed by hand, and properties of every game."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from games import droughts
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import of_few_shapes
from water_tables import bid, drought, table_of

import aucenv
from aucenv.core.play.table import Table
from aucenv.core.words.money import to_cents
from aucenv.envs.water_allocation.game import GAME


def values(table: Table, field: str) -> list:
    """Return a field of every resident."""
    return [getattr(resident, field) for resident in table.view(0).residents]


def test_two_days_of_two_residents_by_hand():
    table = table_of(drought([(5, 100), (7, 80)], [7, 11], start_health=3))
    assert values(table, "balance") == [100, 80]
    assert bid(table, 60, 80) == ["1"]  # 7 of 7 units; nothing is left
    assert values(table, "balance") == [200, 80]  # kept 100 and received 100; spent 80 and received 80
    assert values(table, "health") == [2, 5]
    assert values(table, "no_water_days") == [1, 0]
    assert bid(table, 10.5, 20) == ["1"]  # 4 units are left but 5 are needed: health falls by 2
    assert table.terminated
    outcome = GAME.record_format.OUTCOME.data(table.view(0, reveal=True))
    assert outcome["survivors"] == ["bidder_1"]
    assert outcome["seats"] == [
        {"days_lived": 1, "survived": False, "health": 0, "balance": 0, "wins": 0, "spent": 0, "void_bids": 0},
        {"days_lived": 2, "survived": True, "health": 7, "balance": 60, "wins": 2, "spent": 100, "void_bids": 0},
    ]
    assert outcome["days"][1]["after"]["bidder_0"] == {"balance": 200, "health": 0, "no_water_days": 2}
    scores = np.empty(2)
    GAME.rules.payoff(table.state, 0, scores)
    assert scores.tolist() == [0.5, 1.0]


def test_the_highest_bids_whose_needs_fit_are_served_in_order():
    table = table_of(drought([(8, 100), (9, 100), (10, 100), (3, 100)], [13, 20, 20, 30]))
    assert bid(table, 20, 40, 30, 10) == ["1", "3"]  # 4 left: too little for 10 and 8, enough for 3
    assert bid(table, 20, 40, 30, 10) == ["1", "2"]
    assert bid(table, None, 0, 0, 0) == ["3", "1"]  # ties go to the lower need; 8 left are too few for 10
    assert bid(table, 0, 0, 0, 0) == ["3", "0", "1", "2"]


def test_ties_of_bids_and_needs_are_broken_fairly():
    wins = np.zeros(3, int)
    for seed in range(600):
        table = table_of(drought([(5, 50)] * 3 + [(9, 90)], [7]), seed)
        wins[int(bid(table, 20, 20, 20, 20)[0])] += 1
    assert wins.sum() == 600
    assert wins.min() > 150
    table = table_of(drought([(5, 50)] * 3, [7]))
    table.force_tie(1)
    assert bid(table, 20, 20, 20) == ["1"]


def test_a_bid_over_the_balance_is_void_and_counted():
    table = table_of(drought([(5, 50), (5, 50)], [5, 5]))
    assert bid(table, 50.01, 1) == ["1"]
    day = table.view(0).history[0]
    assert day.void == ("bidder_0",)
    assert day.bids == {"bidder_0": 50.01, "bidder_1": 1}
    assert "r0 $50.01 (void)" in table.text(1)
    assert bid(table, 101, 200) == []
    outcome = GAME.record_format.OUTCOME.data(table.view(0, reveal=True))
    assert [seat["void_bids"] for seat in outcome["seats"]] == [2, 1]


def test_a_bid_over_the_balance_can_be_refused():
    table = table_of(drought([(5, 50), (5, 50)], [5, 5], over_balance="refuse"), max_retries=1)
    assert table.submit(0, 50.01) == "$50.01 is above the balance of $50"
    assert table.submit(0, 60) is None  # no retry is left: no bid
    assert table.submit(1, 0) is None
    assert table.view(0).history[0].bids == {"bidder_0": None, "bidder_1": 0}
    assert [attempt.kind for attempt in table.decisions[0].attempts] == ["over_balance"] * 2


def test_health_is_capped_and_falls_faster_day_by_day():
    table = table_of(drought([(5, 50), (5, 50)], [5] * 7, start_health=9, health_cap=10))
    health = [(bid(table, 1, None), values(table, "health"))[1] for _ in range(3)]
    assert health == [[10, 8], [10, 6], [10, 3]]
    bid(table, None, 1)
    assert values(table, "health") == [9, 5]
    assert values(table, "no_water_days") == [1, 0]
    bid(table, 1, None)
    assert values(table, "health") == [10, 4]  # the count has restarted


def test_the_dead_do_not_bid_and_the_game_ends_when_no_resident_is_alive():
    table = table_of(drought([(5, 50), (5, 50), (4, 10)], [4] * 9, start_health=2))
    assert bid(table, None, None, 1) == ["2"]
    assert bid(table, None, None, None) == []
    assert values(table, "alive") == [False, False, True]
    assert values(table, "balance") == [0, 0, 29]
    assert table.pending == [2]
    assert "You have died" in table.text(0)
    assert "r0 has died." in table.text(2)
    bid(table, None)
    bid(table, None)
    assert table.terminated
    assert table.item == 4
    assert "The drought is over. Alive: nobody. You are dead." in table.text(0)
    assert GAME.record_format.OUTCOME.data(table.view(0, reveal=True))["survivors"] == []


@given(of_few_shapes(droughts()), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_every_game_follows_the_rules(scenario, seed):
    rng = np.random.default_rng(seed)
    table = table_of(scenario, seed)
    residents = scenario.residents
    balance = {f"bidder_{seat}": 0 for seat in range(len(residents))}
    health = dict.fromkeys(balance, scenario.start_health)
    dry = dict.fromkeys(balance, 0)
    needs = {seat: resident.need for seat, resident in zip(balance, residents, strict=True)}
    while not table.over:
        supply = table.view(0).supply
        assert scenario.supply_range[0] <= supply <= scenario.supply_range[1] - (not scenario.supply_endpoint)
        alive = [seat for seat in balance if health[seat] > 0]
        assert table.pending == [int(seat[7:]) for seat in alive]
        for seat in alive:
            balance[seat] += to_cents(residents[int(seat[7:])].salary)
        today = table.rounds
        for number in table.pending:
            money = balance[f"bidder_{number}"] / 100
            while table.rounds == today and table.is_pending(number):
                table.submit(number, float(rng.choice([-1, 0, 0, 5, 5, money, money / 2, money + 0.01])))
        day = table.view(0).history[-1]
        bids = {seat: to_cents(amount) for seat, amount in day.bids.items() if amount is not None}
        assert list(day.bids) == alive
        assert set(day.void) == {seat for seat in bids if bids[seat] > balance[seat]}
        check_greedy(day, {seat: bids[seat] for seat in bids if seat not in day.void}, needs)
        for seat in alive:
            if seat in day.winners:
                balance[seat] -= bids[seat]
                health[seat], dry[seat] = min(scenario.health_cap, health[seat] + 2), 0
            else:
                dry[seat] += 1
                health[seat] -= dry[seat]
            after = day.after[seat]
            assert (to_cents(after.balance), after.health, after.no_water_days) == (
                balance[seat],
                health[seat],
                dry[seat],
            )
            assert balance[seat] >= 0
    outcome = GAME.record_format.OUTCOME.data(table.view(0, reveal=True))
    assert outcome["survivors"] == [seat for seat in balance if health[seat] > 0]
    for seat, result in zip(balance, outcome["seats"], strict=True):
        days = sum(seat in day["bids"] for day in outcome["days"])
        income = days * to_cents(residents[int(seat[7:])].salary)
        assert to_cents(result["spent"]) + balance[seat] == income
        assert result["days_lived"] == days - (health[seat] <= 0)


def check_greedy(day, bids, needs) -> None:
    """Check that each winner had the best bid of those whose need fit, and that no further need fits."""
    left, waiting = day.supply, dict(bids)
    for winner in day.winners:
        rank = (-bids[winner], needs[winner])
        assert rank == min((-waiting[seat], needs[seat]) for seat in waiting if needs[seat] <= left)
        left -= needs[winner]
        del waiting[winner]
    assert left >= 0
    assert not any(needs[seat] <= left for seat in waiting)


def test_vector_actions_are_whole_dollars_of_the_balance():
    for salary, expected in (
        (75, [0, 8, 15, 23, 30, 38, 45, 53, 60, 68, 75]),
        (0.5, [0] * 11),
        (9.99, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]),
    ):
        table = table_of(drought([(5, salary), (5, 50)], [5]))
        amounts = [GAME.features.amount(table.state, 0, 0, action) / 100 for action in range(12)]
        assert amounts == [-0.01, *expected]


@pytest.mark.parametrize(("endpoint", "most"), [(True, 20), (False, 19)])
def test_supplies_are_uniform_including_both_limits(endpoint, most):
    counts = np.zeros(most + 1, int)
    for seed in range(300):
        table = table_of(GAME.load_scenario("low").changed(supply_endpoint=endpoint), seed)
        counts += np.bincount(table.state["supplies"][0, :20], minlength=most + 1)
    assert not counts[:10].any()
    expected = 300 * 20 / (most - 9)
    assert (((counts[10:] - expected) ** 2) / expected).sum() < 27.9  # chi-square test, p = .001 or .002


@pytest.mark.parametrize("form", ["aec", "aec, idle turns", "parallel"])
def test_dead_agents_terminate_with_on_death_terminate(form):
    scenario = drought([(5, 50), (5, 60), (5, 70)], [5] * 6, start_health=1)
    kwargs = {"scenario": scenario, "on_death": "terminate", "interface": "amount"}
    total = dict.fromkeys(("bidder_0", "bidder_1", "bidder_2"), 0.0)
    ends = {}
    if form == "parallel":
        env = aucenv.water_allocation_v0.parallel_env(**kwargs)
        env.reset(seed=0)
        for day in itertools.count(1):
            actions = {agent: 10.0 if agent == "bidder_1" else -1 for agent in env.agents}
            _, rewards, terminations, _, _ = env.step(actions)
            ends |= {agent: day for agent in actions if terminations[agent]}
            for agent in actions:
                total[agent] += rewards[agent]
            if not env.agents:
                break
            assert env.agents == ["bidder_1"]
    else:
        env = aucenv.water_allocation_v0(**kwargs, idle_turns=form.endswith("turns"))
        env.reset(seed=0)
        for agent in env.agent_iter():
            _, reward, terminated, _, _ = env.last()
            total[agent] += reward
            if terminated:
                ends[agent] = env.unwrapped.table.item
            env.step(None if terminated else np.array([10.0 if agent == "bidder_1" else -1]))
    assert ends == {"bidder_0": 1, "bidder_1": 6, "bidder_2": 1}
    assert total == pytest.approx({"bidder_0": 0, "bidder_1": 1, "bidder_2": 0})


@pytest.mark.parametrize("form", ["aec", "parallel"])
def test_an_agent_that_dies_on_the_day_of_truncation_is_terminated(form):
    scenario = drought([(5, 50), (5, 60)], [5] * 6, start_health=1)
    kwargs = {"scenario": scenario, "on_death": "terminate", "interface": "amount", "max_cycles": 1}
    if form == "parallel":
        env = aucenv.water_allocation_v0.parallel_env(**kwargs)
        env.reset(seed=0)
        _, _, terminations, truncations, _ = env.step({"bidder_0": -1, "bidder_1": 1})
        assert env.agents == []
    else:
        env = aucenv.water_allocation_v0.raw_env(**kwargs)
        env.reset(seed=0)
        env.step(-1)
        env.step(1)
        terminations, truncations = env.terminations, env.truncations
    assert terminations == {"bidder_0": True, "bidder_1": False}
    assert truncations == {"bidder_0": False, "bidder_1": True}
    assert env.table.view(1).balance == 59  # no salary is paid after the last day
    assert "The game has been stopped. Alive: r1." in env.table.text(1)
