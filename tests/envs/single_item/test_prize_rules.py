"""Rules of sealed-bid and clock auctions: examples calculated by hand, and an audit that shares no code with the rules."""

from __future__ import annotations

import numpy as np
import pytest
from games import CASES
from hypothesis import given, settings
from hypothesis import strategies as st
from prize_tables import clock, sealed, table_of

import aucenv
from aucenv.envs.clock.features import feature_names as clock_names
from aucenv.envs.sealed_bid.features import feature_names
from aucenv.envs.sealed_bid.game import SealedBidScenario

VALUES, COMMON = (60, 70, 80), {"values": "cv", "value_range": (20, 79)}


def bid(table, *bids):
    """Submit the actions of all pending seats: dollars, None = abstain; or vector actions."""
    amounts = [-1 if amount is None else amount for amount in bids]
    assert len(amounts) == len(table.pending)
    table.submit_all(dict(zip(table.pending, amounts, strict=True)))


def result(table, j=-1):
    """Return (winner, price, profits) of a closed round."""
    prize = table.game.record_format.OUTCOME.data(table.view(0, reveal=True))["prizes"][j]
    return prize["winner"], prize["price"], prize["profits"]


@pytest.mark.parametrize(
    ("pricing", "reserve", "bids", "winner", "price", "profits"),
    [
        ("first", 0, (50, 40, 30), 0, 50, [10, 0, 0]),
        ("second", 0, (50, 40, 30), 0, 40, [20, 0, 0]),
        ("third", 0, (50, 40, 30), 0, 30, [30, 0, 0]),
        ("all_pay", 0, (50, 40, 30), 0, 50, [10, -40, -30]),
        ("second", 0, (30, 30, 90), 2, 30, [0, 0, 50]),
        ("third", 0, (30, 40, 90), 2, 30, [0, 0, 50]),
        ("first", 0, (90, 40, 30), 0, 90, [-30, 0, 0]),
        ("first", 0, (None, 20, 0), 1, 20, [0, 50, 0]),
        ("second", 0, (None, 20, 0), 1, 0, [0, 70, 0]),
        ("third", 0, (None, 20, 0), 1, 0, [0, 70, 0]),
        ("all_pay", 0, (None, 20, 3), 1, 20, [0, 50, -3]),
        ("first", 0, (None, None, 0), 2, 0, [0, 0, 80]),
        ("all_pay", 0, (None, None, 0), 2, 0, [0, 0, 80]),
        ("first", 25, (20, 30, 24), 1, 30, [0, 40, 0]),
        ("second", 25, (20, 30, 24), 1, 25, [0, 45, 0]),
        ("second", 25, (10, 60, 40), 1, 40, [0, 30, 0]),
        ("third", 25, (26, 30, 24), 1, 25, [0, 45, 0]),
        ("third", 25, (26, 30, 28), 1, 26, [0, 44, 0]),
        ("all_pay", 25, (20, 30, 24), 1, 30, [-20, 40, -24]),
        ("first", 25, (24, 20, None), None, None, [0, 0, 0]),
        ("second", 25, (24, 20, None), None, None, [0, 0, 0]),
        ("all_pay", 25, (24, 20, None), None, None, [-24, -20, 0]),
        ("first", 25, (None, None, 25), 2, 25, [0, 0, 55]),
        *((pricing, 25, (None, None, 70), 2, 25, [0, 0, 55]) for pricing in ("second", "third")),
        *((pricing, 0, (None,) * 3, None, None, [0, 0, 0]) for pricing in ("first", "second", "third", "all_pay")),
    ],
)
def test_winner_price_and_profits_by_pricing(pricing, reserve, bids, winner, price, profits):
    table = sealed((60, 70, 80), pricing=pricing, reserve=reserve)
    bid(table, *bids)
    assert result(table) == (None if winner is None else f"bidder_{winner}", price, profits)
    assert table.rewards() == pytest.approx([profit / 99 for profit in profits])
    for seat, view in enumerate(table.view(seat).round_at(0) for seat in range(3)):
        assert (view.value, view.bid, view.won, view.profit) == (
            VALUES[seat],
            bids[seat],
            seat == winner,
            profits[seat],
        )
        full_info, paid = table.full_info(seat), (VALUES[seat] if seat == winner else 0) - profits[seat]
        assert (view.paid, full_info["last_paid"], full_info["last_profit"]) == (paid, paid, profits[seat])
        assert full_info["last_price"] == view.price == price


@pytest.mark.parametrize(
    ("values", "top", "prize", "profit"),
    [("ipv", 99, (60, 70, 80), 65), ("apv", 40, (10, 25, 40), 20), ("cv", 79, ((50, 60, 40), 45), 40)],
)
def test_rewards_are_profits_over_the_highest_value_and_use_common_values_instead_of_signals(
    values, top, prize, profit
):
    scenario = SealedBidScenario("test", pricing="second").changed(values=values, num_rounds=1)
    table = table_of(scenario, prize)
    bid(table, 3, 20, 5)
    assert result(table) == ("bidder_1", 5, [0, profit, 0])
    assert table.rewards() == [0, pytest.approx(profit / top), 0]


REVEALED = {
    "all": {"bids": (50, 40, 30), "price": 40, "winner_profit": 5, "prize_value": 45},
    "price": {"bids": None, "price": 40, "winner_profit": None, "prize_value": None},
    "none": {"bids": None, "price": None, "winner_profit": None, "prize_value": None},
}
FEATURES = {"all": [40, 5, 45, 50, 40, 30], "price": [40, 0, 0, 0, 0, 0], "none": [0] * 6}


@pytest.mark.parametrize("reveal", REVEALED)
def test_what_a_round_reveals_to_its_winner_and_to_losers(reveal):
    table = sealed(((60, 50, 35), 45), ((50, 50, 50), 50), pricing="second", reveal=reveal, **COMMON)
    bid(table, 50, 40, 30)
    names = ["last_price", "last_surplus", "last_prize", *(f"rank{k}.ranked" for k in range(3))]
    for seat in range(3):
        won, revealed, amounts = seat == 0, dict(REVEALED[reveal]), list(FEATURES[reveal])
        if won:
            revealed |= {"price": 40, "winner_profit": 5, "prize_value": 45}
            amounts[:3] = [40, 5, 45]
        view = table.view(seat).history[0]
        assert {name: getattr(view, name) for name in revealed} == revealed
        assert (view.won, view.paid, view.profit) == (won, 40 * won, 5 * won)
        assert table.full_info(seat)["last_price"] == revealed["price"]
        features = dict(zip(feature_names(3), table.observe(seat)["observation"], strict=True))
        assert [features[name] for name in names] == pytest.approx([amount / 79 for amount in amounts])


def test_a_game_ends_after_its_rounds_or_after_max_cycles():
    for max_cycles, rounds in ((None, 4), (3, 3)):
        env = aucenv.sealed_bid_v0.parallel_env(num_rounds=4, interface="amount", max_cycles=max_cycles, infos="full")
        env.reset(seed=1)
        for number in range(rounds):
            *_, terminated, truncated, infos = env.step(dict.fromkeys(env.agents, 5))
            ended = number == rounds - 1
            assert set(terminated.values()) == {ended and max_cycles is None}
            assert set(truncated.values()) == {ended and max_cycles is not None}
        assert env.agents == []
        assert infos["bidder_0"]["round"] == rounds
        assert (infos["bidder_0"]["value"] is None) == ended


@settings(max_examples=100)
@given(CASES["sealed_bid"].quick_scenarios, st.data())
def test_sealed_bid_auctions_pass_an_audit(scenario, data):
    table = table_of(scenario, seed=data.draw(st.integers(0, 99)))
    step, seats = round(100 * scenario.bid_step), scenario.num_bidders
    rank = {"first": 0, "second": 1, "third": 2, "all_pay": 0}[scenario.pricing]
    reserve, total = round(100 * scenario.reserve), np.zeros(seats)
    values = table.state["value"][0] if scenario.values != "cv" else np.tile(table.state["common"][0], (seats, 1))
    for j in range(scenario.num_rounds):
        bids = [data.draw(st.integers(-1, min(8, scenario.num_bids - 1))) * step for _ in range(seats)]
        bid(table, *(amount / 100 if amount >= 0 else None for amount in bids))
        winner, price, profits = result(table, j)
        entered = sorted((amount for amount in bids if amount >= 0), reverse=True)
        sold = bool(entered) and entered[0] >= reserve
        assert (winner is not None) == sold
        due = max(entered[rank], reserve) if sold and rank < len(entered) else reserve
        expected = [-max(0, amount) if scenario.pricing == "all_pay" else 0 for amount in bids]
        if sold:
            number = int(winner[7:])
            assert bids[number] == entered[0]
            assert round(100 * price) == due
            expected[number] = values[number, j] - due
        assert [round(100 * profit) for profit in profits] == expected
        total += expected
    assert [table.view(seat).profit for seat in range(seats)] == pytest.approx(total / 100)
    assert sum(table.view(seat).prizes_won for seat in range(seats)) <= scenario.num_rounds


def test_the_record_of_a_prize_by_hand():
    table = sealed((60, 70, 80), (60, 70, 80), (60, 70, 80), pricing="second", reserve=25)
    for bids in ((30, None, 40), (20, None, 0), (None, None, None)):
        bid(table, *bids)
    unsold = {"winner": None, "price": None, "profits": [0, 0, 0], "revenue": 0}
    assert table.game.record_format.OUTCOME.data(table.view(0, reveal=True))["prizes"] == [
        {"winner": "bidder_2", "price": 30, "profits": [0, 0, 50], "bids": [30, None, 40], "revenue": 30},
        {**unsold, "bids": [20, None, 0]},
        {**unsold, "bids": [None, None, None]},
    ]


def played(table, *ticks):
    """Play the actions of these ticks, and return winner and price."""
    for actions in ticks:
        bid(table, *actions)
    return result(table)[:2]


def test_the_last_bidder_wins_at_the_last_rivals_leaving_price():
    table = clock((10, 20, 30))
    assert played(table, (1, 1, 1), (0, 1, 1), (1, 1), (0, 1)) == ("bidder_2", 3)
    assert result(table)[2] == [0, 0, 27]
    assert table.rewards()[2] == pytest.approx(27 / 99)
    assert [table.view(seat).history[0].bid for seat in range(3)] == [1, 3, None]
    assert table.view(0).history[0].bids == (3, 1)
    assert played(clock((10, 20, 30)), (0, 1, 0)) == ("bidder_1", 0)
    assert played(clock((1, 1, 1), highest_price=1), (1, 1, 1), (0, 1, 0)) == ("bidder_1", 1)


@pytest.mark.parametrize(
    ("ticks", "price", "among"),
    [
        ([(1, 1, 1), (1, 1, 1), (0, 0, 0)], 2, {0, 1, 2}),
        ([(1, 1, 1), (1, 0, 1), (1, 1), (0, 0)], 3, {0, 2}),
        ([(1, 1, 1)] * 5, 4, {0, 1, 2}),  # the clock is at its end
        ([(1, 1, 0), (1, 1), (1, 1), (1, 1), (1, 1)], 4, {0, 1}),
        ([(1, 1, 0), (1, 1), (1, 1), (1, 1), (0, 0)], 4, {0, 1}),
        ([(1, 1, 1)] * 4 + [(1, 0, 1)], 4, {0, 2}),
    ],
)
def test_ties_of_the_last_bidders_and_at_the_clocks_end_are_broken_at_random(ticks, price, among):
    results = [played(clock((9, 9, 9), highest_price=4, seed=seed), *ticks) for seed in range(40)]
    assert set(results) == {(f"bidder_{seat}", price) for seat in among}


def test_if_all_leave_at_the_first_price_only_one_of_0_is_a_bid():
    winner, price = played(clock((9, 9, 9)), (0, 0, 0))
    assert winner is not None
    assert price == 0
    assert played(clock((9, 9, 9), lowest_price=1), (0, 0, 0)) == (None, None)


def test_a_seat_that_has_named_a_price_is_not_asked_again():
    table = clock((10, 20, 30), interface=["amount", "vector", "amount"])
    asked = []
    # seat 0 names 5, seat 1 stays, seat 2 names 3 at the price 2
    for actions in ((5, 1, 0), (1, 0), (1, 3), (1,), (1,), (1,)):
        asked.append((table.view(1).price, table.pending, table.view(1).still_in))
        bid(table, *actions)
    assert asked == [(0, [0, 1, 2], 3), (1, [1, 2], 3), (2, [1, 2], 3), (3, [1], 3), (4, [1], 2), (5, [1], 2)]
    assert result(table) == ("bidder_1", 5, [0, 15, 0])
    assert [table.view(seat).history[0].bid for seat in range(3)] == [5, None, 3]


def test_a_clock_on_which_all_have_named_prices_runs_to_the_end_at_once():
    table = clock((10, 20, 30), (10, 20, 30), interface="amount")
    assert played(table, (7, 12, 9)) == ("bidder_1", 9)
    assert (table.view(0).price, table.view(0).tick_number, table.pending) == (0, 0, [0, 1, 2])
    assert played(table, (20, -1, 20))[0] in ("bidder_0", "bidder_2")
    assert (result(table)[1], table.rounds, table.over) == (20, 2, True)


@pytest.mark.parametrize("feedback", ["open", "blind"])
def test_only_open_feedback_reveals_how_many_are_in(feedback):
    table = clock((9, 9, 9), feedback=feedback)
    bid(table, 1, 0, 1)
    revealed = feedback == "open"
    for seat in range(3):
        view, names = table.view(seat), clock_names(3)
        assert view.still_in == table.full_info(seat)["still_in"] == (2 if revealed else None)
        assert view.left_at == ([0] if revealed else None)
        assert (view.in_, table.full_info(seat)["in"]) == (seat != 1, seat != 1)
        share = table.observe(seat)["observation"][names.index("still_in")]
        assert share == (pytest.approx(2 / 3) if revealed else 0)


def exit_features(table, seat):
    """Return the features of an observation about the prices at which seats have left, in dollars."""
    observation = table.observe(seat)["observation"]
    names = clock_names(table.num_seats)
    return [round(99 * float(observation[k])) for k, name in enumerate(names) if name.endswith("left_at")]


@pytest.mark.parametrize(("feedback", "shown"), [("open", [[0, 0], [1, 0], [3, 1]]), ("blind", [[0, 0]] * 3)])
def test_observations_on_open_clocks_have_the_prices_at_which_seats_have_left(feedback, shown):
    table = clock((9, 9, 9, 9), num_bidders=4, feedback=feedback)
    observed = []
    for actions in ((1, 1, 1, 1), (1, 0, 1, 1), (1, 1, 1), (0, 1, 1)):
        bid(table, *actions)
        observed.append([exit_features(table, seat) for seat in range(4)])
    assert observed == [[exits] * 4 for exits in (shown[0], shown[1], shown[1], shown[2])]
    bid(table, 0, 1)
    assert table.over
    assert exit_features(table, 0) == [0, 0]


@pytest.mark.parametrize(
    ("feedback", "reveal", "bids", "exits"),
    [
        ("open", "all", (4, 3, 1), (3, 1)),
        ("open", "price", None, (3, 1)),
        ("open", "none", None, (3, 1)),
        ("blind", "all", (4, 3, 1), None),
        ("blind", "price", None, None),
    ],
)
def test_what_open_feedback_has_shown_stays_in_the_history(feedback, reveal, bids, exits):
    shown = {"num_bidders": 4, "feedback": feedback, "reveal": reveal, "interface": "amount"}
    table = clock((9, 9, 9, 9), (9, 9, 9, 9), **shown)
    bid(table, 4, 1, 3, 20)  # the clock stops at 4, where the last rival leaves
    for seat in range(4):
        played = table.view(seat).history[0]
        assert (played.bids, played.exits) == (bids, exits)
        resampled = aucenv.resample_hidden(table.snapshot(), f"bidder_{seat}", np.random.default_rng(seat))
        assert table.game.view.make_view(resampled.state, seat, table.scenario_text, ()).history[0] == played


def test_on_a_falling_clock_the_first_seat_to_take_the_prize_pays_the_price():
    fields = {"direction": "descending", "lowest_price": 2, "highest_price": 11, "tick": 3}  # 11, 8, 5, 2
    assert played(clock((9, 9, 20), **fields), (0, 0, 1)) == ("bidder_2", 11)
    table = clock((9, 9, 20), **fields)
    assert played(table, (0, 0, 0), (0, 0, 0), (0, 1, 0)) == ("bidder_1", 5)
    assert (table.rewards(), table.rounds) == ([0, pytest.approx(4 / 99), 0], 3)
    assert played(clock((9, 9, 20), **fields), *[(0, 0, 0)] * 4) == (None, None)
    named = clock((9, 9, 20), interface="amount", **fields)
    assert played(named, (5, 2, -1), (-1,), (-1,)) == ("bidder_0", 5)
    assert played(clock((9, 9, 20), interface="amount", **fields), (5, 2, -1), (8,)) == ("bidder_2", 8)
    drawn = {played(clock((9, 9, 20), seed=seed, **fields), (0, 0, 0), (1, 0, 1)) for seed in range(40)}
    assert drawn == {("bidder_0", 8), ("bidder_2", 8)}


@settings(max_examples=100)
@given(CASES["clock"].quick_scenarios, st.data())
def test_clocks_pass_an_audit(scenario, data):
    """Check that leaving prices act as second-price bids, and taking prices as first-price bids."""
    seats, rising = scenario.num_bidders, scenario.direction == "ascending"
    interface = [data.draw(st.sampled_from(["vector", "amount"])) for _ in range(seats)]
    table = table_of(scenario, interface=interface, seed=data.draw(st.integers(0, 99)))
    low, tick = round(100 * scenario.lowest_price), round(100 * scenario.tick)
    top = (round(100 * scenario.highest_price) - low) // tick
    total = np.zeros(seats)
    for j in range(scenario.num_rounds):
        limits = [low + tick * data.draw(st.integers(0 if rising else -1, top)) for _ in range(seats)]
        while table.item == j and not table.over:
            actions = {}
            for seat in table.pending:
                limit, now = limits[seat], round(100 * table.full_info(seat)["price"])
                if interface[seat] == "vector":
                    actions[seat] = int(now < limit if rising else now <= limit)
                else:
                    actions[seat] = -1 if (limit <= now if rising else limit < low) else limit / 100
            table.submit_all(actions)
        winner, price, profits = result(table, j)
        ranked = sorted(limits, reverse=True)
        expected = [0] * seats
        assert (winner is None) == (ranked[0] < low or (rising and ranked[0] == low > 0))
        if winner is not None:
            number = int(winner[7:])
            assert limits[number] == ranked[0]
            assert round(100 * price) == ranked[1 if rising else 0]
            value = table.state["common"][0, j] if scenario.values == "cv" else table.state["value"][0, number, j]
            expected[number] = value - ranked[1 if rising else 0]
        assert [round(100 * profit) for profit in profits] == expected
        total += expected
    assert table.over
    assert [table.view(seat).profit for seat in range(seats)] == pytest.approx(total / 100)
