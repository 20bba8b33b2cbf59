"""Random games in random scenarios, audited against the paper's rules by code that shares nothing with aucenv."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import Wild, of_few_shapes, scenarios

import aucenv
from aucenv.core.records.record import GameRecord
from aucenv.policy.registry import scripted_bidders
from aucenv.runs.records import replay

NAMES = [*scripted_bidders("english"), "random,ladder=2", "rule,k=2", "value,margin=-0.5"]


def cents(dollars) -> int:
    assert dollars == 0 or abs(round(dollars * 100) / (dollars * 100) - 1) < 1e-12
    return round(dollars * 100)


def least_bid(price: int, increment: float, standing: int | None) -> int:
    if standing is None:
        return price
    exact = Fraction(price) * round(increment * 1_000_000) / 1_000_000
    return standing + max(1, int(exact + Fraction(1, 2)))


def audit(record: GameRecord) -> None:
    """Check a record: money is conserved, no seat exceeds its budget, bids are legal, the highest wins and pays its bid."""
    scenario, items = record.scenario, record.deal["items"]
    seats = [seat["seat"] for seat in record.seats]
    left = {seat: cents(dealt["budget"]) for seat, dealt in zip(seats, record.deal["seats"], strict=True)}
    endowment = sum(left.values())
    profit = dict.fromkeys(seats, 0)
    won = {seat: [] for seat in seats}
    paid = 0
    for j, (item, sold) in enumerate(zip(items, record.outcome["items"], strict=True)):
        assert sold["id"] == item["id"]
        price, standing, leaders, withdrawn = cents(item["starting_price"]), None, set(), set()
        rounds = [d for d in record.decisions if d["item"] == j]
        bid_rounds = 0
        number = 0
        for number in sorted({d["round"] for d in rounds}):
            # rounds in which nobody could pay have no decisions, but each halved the price
            while standing is None and scenario["discount"] and price > cents(item["starting_price"]) >> number:
                price = price // 200 * 100
                withdrawn = set()
            decided = [d for d in rounds if d["round"] == number]
            least = least_bid(price, scenario["increment"], standing)
            asked = {d["seat"] for d in decided}
            asks_broke = scenario.get("ask_broke", False)
            able = {s for s in seats if s not in withdrawn and (asks_broke or left[s] >= least)}
            unasked = able - asked
            assert asked <= able
            assert unasked <= leaders
            assert len(unasked) <= 1
            leaders = unasked or leaders - asked  # the winner of a tie is not asked in the next round
            assert leaders or standing is None
            bids = {d["seat"]: cents(d["amount"]) for d in decided if d["amount"] is not None}
            assert all(least <= bid <= left[seat] for seat, bid in bids.items())
            withdrawn |= asked - set(bids)
            if bids:
                bid_rounds += 1
                standing = max(bids.values())
                leaders = {seat for seat, bid in bids.items() if bid == standing}
            lone = len(bids) == 1 and bid_rounds == 1
            if lone or (not bids and standing is not None):
                assert number == max(d["round"] for d in rounds)
        if standing is None:
            assert sold["winner"] is None
            continue
        assert sold["winner"] in leaders
        assert cents(sold["price"]) == standing
        winner = sold["winner"]
        left[winner] -= standing
        paid += standing
        profit[winner] += cents(item["true_value"]) - standing
        won[winner].append([item["id"], sold["price"]])
    for seat, result in zip(seats, record.outcome["seats"], strict=True):
        assert left[seat] >= 0
        assert cents(result["budget_left"]) == left[seat]
        assert cents(result["profit"]) == profit[seat]
        assert result["won"] == won[seat]
    assert sum(left.values()) + paid == endowment


def check_games(scenario, data, games: int) -> None:
    seats = len(scenario.bidders)
    bidders = data.draw(st.lists(st.sampled_from(NAMES), min_size=seats, max_size=seats))
    seed = data.draw(st.integers(0, 2**32))
    rolled = aucenv.rollout("english", scenario, bidders, games, seed)
    for i in range(games):
        record = aucenv.play("english", scenario, bidders, (seed, i))
        audit(record)
        assert [cents(seat["profit"]) for seat in record.outcome["seats"]] == rolled["profit"][i].tolist()
        assert [cents(seat["budget_left"]) for seat in record.outcome["seats"]] == rolled["budget_left"][i].tolist()
        assert [len(seat["won"]) for seat in record.outcome["seats"]] == rolled["items"][i].tolist()


@given(of_few_shapes(scenarios()), st.data())
@settings(max_examples=25)
def test_games_follow_the_paper_and_rollouts_equal_play(scenario, data):
    check_games(scenario, data, 8)


@pytest.mark.slow
@given(scenarios(max_items=20), st.data())
@settings(max_examples=1000)
def test_20_000_games_follow_the_paper_and_rollouts_equal_play(scenario, data):
    check_games(scenario, data, 20)


@given(of_few_shapes(scenarios(max_items=6)), st.integers(0, 1000))
@settings(max_examples=60)
def test_games_with_arbitrary_bids_follow_the_paper(scenario, seed):
    record = aucenv.play("english", scenario, [Wild() for _ in scenario.bidders], seed)
    audit(record)
    replay(record)
    attempts = [attempt for decision in record.decisions for attempt in decision["attempts"]]
    assert all(attempt["refused"] for attempt in attempts)
