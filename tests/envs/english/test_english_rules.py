"""The rules, in examples calculated by hand. Starting prices are 1000, 500, ...; raises are 10% of the starting price."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats
from tables import amount_table, play_rounds, scenario_of

import aucenv
from aucenv.core.records.decisions import IllegalBid
from aucenv.envs.english import features, rules
from aucenv.envs.english.game import GAME, Bidder
from aucenv.policy.registry import scripted_bidders


def result(table):
    return table.game.record_format.OUTCOME.data(table.view(0, reveal=True))


def test_a_lone_first_bid_wins_at_once():
    table = amount_table(scenario_of([1000, 500]))
    play_rounds(table, [{0: None, 1: 1000, 2: None}])
    assert table.item == 1
    assert result(table)["items"][0] == {"id": 0, "winner": "bidder_1", "price": 1000}


def test_the_highest_bid_stands_until_a_round_without_bids():
    table = amount_table(scenario_of([1000]))
    play_rounds(table, [{0: 1000, 1: 1500, 2: 1200}])
    assert table.view(0).leader == "bidder_1"
    assert table.view(0).least_bid == 1600
    play_rounds(table, [{0: 1600, 2: None}, {1: 1700}, {0: None}])
    assert table.over
    outcome = result(table)
    assert outcome["rounds"] == 4
    assert outcome["seats"][1] == {"profit": 300, "budget_left": 18_300, "won": [[0, 1700]]}
    assert outcome["seats"][0] == {"profit": 0, "budget_left": 20_000, "won": []}


def test_withdrawing_is_for_this_item_only():
    table = amount_table(scenario_of([1000, 500]))
    play_rounds(table, [{0: None, 1: 1000, 2: 1100}, {1: None}, {0: 500, 1: None, 2: None}])
    assert [item["winner"] for item in result(table)["items"]] == ["bidder_2", "bidder_0"]


def test_bids_in_the_same_round_need_not_exceed_each_other():
    table = amount_table(scenario_of([1000]))
    play_rounds(table, [{0: 3000, 1: 1000, 2: 1001}])
    assert table.view(1).standing_bid == 3000


def test_a_bid_below_the_least_or_over_the_budget_is_refused_with_the_reason():
    table = amount_table(scenario_of([1000], budget=5000))
    assert table.submit(0, 999.99) == "$999.99 is below the least legal bid of $1,000"
    assert table.submit(0, 5000.01) == "$5,000.01 is above the remaining budget of $5,000"
    assert "not an amount" in table.submit(0, float("nan"))
    assert table.submit(0, 5000) is None
    table.submit(1, 1000)
    table.submit(2, 1000)
    assert table.decisions[0].attempts[0].refused.startswith("$999.99")
    assert [attempt.kind for attempt in table.decisions[0].attempts] == ["too_low", "over_budget", "unreadable"]
    assert len(table.decisions[0].attempts) == 3


def broke_table(**kwargs):
    """Return a table at its second item, which seat 1 cannot pay: it has spent 19,500 of 20,000."""
    table = amount_table(scenario_of([1000, 1000], ask_broke=True), **kwargs)
    play_rounds(table, [{0: None, 1: 19_500, 2: None}])
    return table


def mask_of(table, seat):
    masks = np.zeros((table.num_seats, 3), np.int8)
    features.mask(table.state, 0, masks)
    return masks[seat].tolist()


def test_a_bidder_that_cannot_pay_is_asked_if_the_scenario_says_so():
    table = broke_table()
    assert table.pending == [0, 1, 2]
    assert mask_of(table, 1) == [1, 0, 0]
    assert mask_of(table, 0) == [1, 1, 1]
    assert table.submit(1, 1000) == "$1,000 is above the remaining budget of $500"
    assert table.submit(1, 500) == "$500 is below the least legal bid of $1,000"
    assert table.submit(1, -1) is None
    for seat, bid in ((0, 1000), (2, 1100)):
        assert table.submit(seat, bid) is None
    play_rounds(table, [{0: None}])  # who has withdrawn is not asked again
    assert [attempt.kind for attempt in table.decisions[4].attempts] == ["over_budget", "too_low"]
    unasked = amount_table(scenario_of([1000, 1000]))
    play_rounds(unasked, [{0: None, 1: 19_500, 2: None}, {0: 1000, 2: 1100}, {0: None}])
    assert result(unasked)["seats"] == result(table)["seats"]


def test_the_bid_of_a_bidder_that_cannot_pay_is_clipped_to_withdrawing():
    table = broke_table(illegal="clip")
    for seat, bid in ((0, 400), (1, 5000), (2, 1000)):
        table.submit(seat, bid)
    assert [table.decisions[place].amount for place in (3, 4, 5)] == [100_000, -1, 100_000]


def test_a_discount_asks_broke_bidders_again():
    table = amount_table(scenario_of([1000, 1000], ask_broke=True, discount=True, budget=1400))
    play_rounds(table, [{0: None, 1: 1000, 2: None}])
    for number in range(4):
        assert (table.round, table.pending) == (number, [0, 1, 2])
        assert mask_of(table, 1)[1] == (number >= 2)  # it has 400 left; the price is 1000, 500, 250 and 125
        play_rounds(table, [dict.fromkeys(range(3))])
    assert table.over


def test_asking_broke_bidders_changes_no_game_of_rule_bidders():
    honest = [name for name, bidder in scripted_bidders("english").items() if not bidder.cheats]
    for seed in range(5):
        for scenario in ("standard-10k-random", "standard-20k-ascending"):
            chosen = GAME.load_scenario(scenario).changed(num_bidders=len(honest))
            games = [aucenv.play("english", chosen.changed(ask_broke=asks), honest, seed) for asks in (False, True)]
            assert games[0].outcome["seats"] == games[1].outcome["seats"]
            assert len(games[0].decisions) < len(games[1].decisions)
            assert not any(decision["attempts"] for decision in games[1].decisions)


def test_illegal_bids_may_be_clipped_or_raise_an_error():
    clipped = amount_table(scenario_of([1000], budget=5000), illegal="clip")
    for seat, bid in enumerate([1, 9999, float("nan")]):
        assert clipped.submit(seat, bid) is None
    assert [d.amount for d in clipped.decisions] == [100_000, 500_000, -1]
    with pytest.raises(IllegalBid, match=r"bidder_0: \$1 is below"):
        amount_table(scenario_of([1000]), illegal="raise").submit(0, 1)


def test_without_discount_an_item_without_bids_is_unsold_and_its_value_stays_hidden():
    table = amount_table(scenario_of([1000, 500]))
    play_rounds(table, [dict.fromkeys(range(3))])
    assert table.item == 1
    item = table.view(0).items[0]
    assert (item.sold, item.winner, item.true_value) == (False, None, None)


def test_discounts_halve_to_whole_dollars_and_every_bidder_may_bid_again():
    table = amount_table(scenario_of([4105, 500], discount=True))
    no_bids = dict.fromkeys(range(3))
    for price in (4105, 2052, 1026, 513):
        assert table.view(0).starting_price == price
        assert table.item == 0
        play_rounds(table, [no_bids])
    assert table.item == 1  # a fourth round without bids leaves it unsold


def test_after_a_discount_the_raise_follows_the_lowered_price_and_a_lone_bid_wins():
    table = amount_table(scenario_of([1000, 500], discount=True))
    no_bids = dict.fromkeys(range(3))
    play_rounds(table, [no_bids, {0: 500, 1: 500, 2: None}])
    assert table.view(0).least_bid == 550
    lone = amount_table(scenario_of([1000, 500], discount=True))
    play_rounds(lone, [no_bids, {0: None, 1: 700, 2: None}])
    assert result(lone)["items"][0] == {"id": 0, "winner": "bidder_1", "price": 700}


def test_a_starting_price_is_not_halved_to_zero():
    table = amount_table(scenario_of([1, 500], budget=900, discount=True))
    play_rounds(table, [dict.fromkeys(range(3))])
    assert table.item == 1


def test_bidders_that_cannot_pay_are_not_asked_and_an_auction_that_nobody_can_pay_ends():
    table = amount_table(scenario_of([1000, 900, 300], budget=1000))
    play_rounds(table, [{0: 1000, 1: None, 2: None}])
    assert table.item == 1
    play_rounds(table, [{1: 900, 2: 950}])  # sold, as nobody could raise
    assert table.item == 2
    play_rounds(table, [{1: None}])
    assert table.over
    assert [item["winner"] for item in result(table)["items"]] == ["bidder_0", "bidder_2", None]


def test_a_raise_is_at_least_a_cent_and_half_a_cent_rounds_up():
    tiny = amount_table(scenario_of([0.04], budget=900, increment=0.1))
    play_rounds(tiny, [{0: 0.04, 1: 0.05, 2: None}])
    assert tiny.view(0).least_bid == 0.06
    half = amount_table(scenario_of([0.05], budget=900, increment=0.5))
    play_rounds(half, [{0: 0.05, 1: 0.06, 2: None}])
    assert half.view(0).least_bid == 0.09


def test_estimates_are_biased_per_bidder_and_noisy_within_bounds():
    scenario = scenario_of([1000, 333.33])
    bidders = (Bidder("exact", 9000, overestimate_percent=0), Bidder("low", 9000, overestimate_percent=-25))
    bidders += (Bidder("noisy", 9000, overestimate_percent=10, noise_percent=20),)
    scenario = dataclasses.replace(scenario, bidders=bidders)
    noisy = set()
    for seed in range(300):
        table = amount_table(scenario, seed)
        assert [item.estimate for item in table.view(0).items] == [2000, 666.66]
        assert [item.estimate for item in table.view(1).items] == [1500, 500]  # 499.995 rounds half up
        noisy.add(table.view(2).estimate)
    assert 1800 <= min(noisy) < 1830
    assert 2570 < max(noisy) <= 2600
    assert stats.kstest((np.array(sorted(noisy)) - 1800) / 800, "uniform").pvalue > 0.001


def test_items_are_sold_in_the_scenarios_order():
    prices = [300, 100, 200, 100]
    ids = {
        order: [item.id for item in amount_table(scenario_of(prices, item_order=order)).view(0).items]
        for order in ("given", "ascending", "descending")
    }
    assert ids == {"given": [0, 1, 2, 3], "ascending": [1, 3, 2, 0], "descending": [0, 2, 1, 3]}
    drawn = [
        tuple(i.id for i in amount_table(scenario_of([100, 200, 300], item_order="random"), seed).view(0).items)
        for seed in range(1800)
    ]
    counts = [drawn.count(order) for order in sorted(set(drawn))]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 0.001


def test_rewards_follow_the_objective():
    scenario = scenario_of([1000, 500], values=[900, 1500])
    bidders = (Bidder("p", 9000), Bidder("i", 9000, "items"), Bidder("t", 9000, "item", "item 1"))
    scenario = dataclasses.replace(scenario, bidders=bidders)
    for winner, first, second in ((0, -100 / 1500, 500 / 1500), (1, 0.5, 0.5), (2, 0.0, 1.0)):
        env = aucenv.english_v0.parallel_env(scenario=scenario, interface="amount")
        env.reset(seed=0)
        bids = {f"bidder_{s}": 1000 if s == winner else -1 for s in range(3)}
        assert env.step(bids)[1] == {f"bidder_{s}": first if s == winner else 0 for s in range(3)}
        rewards, terminated = env.step(bids)[1:3]
        assert rewards[f"bidder_{winner}"] == pytest.approx(second)
        assert all(terminated.values())


def test_truncation_after_max_cycles_leaves_the_standing_bid_unpaid():
    env = aucenv.english_v0.parallel_env(interface="amount", max_cycles=2)
    env.reset(seed=0)
    first_bids = {agent: env.table.view(0).starting_price for agent in env.agents}
    env.step(first_bids)
    leader = env.table.view(0).leader
    raises = {agent: env.table.view(0).least_bid for agent in env.agents}
    *_, terminated, truncated, infos = env.step(raises)
    assert all(truncated.values())
    assert not any(terminated.values())
    assert infos[leader]["budget"] == 20_000
    assert env.table.pending == []
    assert not env.table.state["acting"].any()
    assert env.agents == []


def test_three_tied_bidders_win_a_third_each():
    prices = [100.0] * 10
    scenario = scenario_of(prices, budget=1_000_000)
    games = 3000
    won = aucenv.rollout("english", scenario, ["rule,k=1"] * 3, games, seed=5)["items"]
    assert won.sum() == 30_000
    assert stats.chisquare(won.sum(axis=0)).pvalue > 0.001


def test_two_tied_bidders_of_three_win_half_each_and_the_third_never():
    scenario = scenario_of([100.0] * 10, budget=1_000_000)
    won = aucenv.rollout("english", scenario, ["rule,k=1", "rule,k=0", "rule,k=1"], 1000, seed=6)["items"].sum(axis=0)
    assert won[1] == 0
    assert stats.binomtest(int(won[0]), int(won.sum())).pvalue > 0.001


def test_the_state_has_room_for_many_items_and_bidders():
    scenario = scenario_of([10.0] * 100, num_bidders=16)
    assert rules.State.dtype(seat=16, item=100)["lot"].shape == (256,)
    items = aucenv.rollout("english", scenario, ["value"] * 16, 3)["items"]
    assert (items.sum(axis=1) == 100).all()


def test_an_auction_that_nobody_can_pay_is_over_at_once():
    scenario = scenario_of([1000], budget=999)
    aec, parallel = aucenv.english_v0(scenario=scenario), aucenv.english_v0.parallel_env(scenario=scenario)
    aec.reset(seed=0)
    assert [agent for agent in aec.agent_iter() if aec.step(None) is None] == ["bidder_0", "bidder_1", "bidder_2"]
    parallel.reset(seed=0)
    assert all(parallel.step({})[2].values())
    assert aucenv.play("english", scenario, ["rule"] * 3).outcome["rounds"] == 0
