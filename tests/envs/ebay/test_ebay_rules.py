"""The rules of proxy auctions, against a second implementation that shares no code with them, and by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from aucenv.core.state import NOBODY, RUNNING, TERMINATED, WITHDRAW
from aucenv.envs.ebay import belief, rules
from aucenv.envs.ebay.game import SCENARIOS, EbayScenario
from aucenv.envs.ebay.view import ScenarioText, make_view
from aucenv.envs.ebay.words import call


class Plain:
    """A proxy auction in dollars, after FORMATS section 1."""

    def __init__(self, names, days, soft, increment):
        self.names, self.days, self.soft, self.increment = names, days, soft, increment
        self.history = []  # (day, name, amount or None, price, leader)
        self.maxima = {}  # name -> (amount, number of the move)
        self.day, self.bid_since_addition = 1, False

    def move(self, name, amount):
        if amount is not None and (name not in self.maxima or self.maxima[name][0] != amount):
            self.maxima[name] = (amount, len(self.history))
            self.bid_since_addition = True
        ranked = sorted(self.maxima, key=lambda each: (-self.maxima[each][0], self.maxima[each][1]))
        price = 0
        if len(ranked) > 1:
            price = min(self.maxima[ranked[0]][0], self.maxima[ranked[1]][0] + self.increment)
        self.history.append((self.day, name, amount, price, ranked[0] if ranked else None))

    def end_day(self):
        """Return whether there is another day."""
        last_is_next = self.day + 1 == self.days
        if self.soft and last_is_next and self.bid_since_addition and self.days < 20:
            self.days += 1
            self.bid_since_addition = False
        self.day += 1
        return self.day <= self.days


def dealt(scenario, key=1):
    template = scenario.template()
    state = template.copy()
    rules.deal(state, 0, template, key)
    return state


def move(state, cents):
    amounts = np.full(len(state["acting"][0]), -2)
    amounts[int(state["order"][0, state["turn"][0]])] = cents
    rules.step(state, 0, amounts)


def random_game(rng, scenario, key, eagerness):
    """Play random legal moves in both implementations, and compare them after every move."""
    state = dealt(scenario, key)
    plain = Plain(list(range(scenario.num_bidders)), scenario.days, scenario.closing == "soft", scenario.increment)
    goes_on = True
    while goes_on:
        moved = []
        for _ in range(scenario.num_bidders):
            g = state[0]
            assert (int(g["day"]) + 1, int(g["days_now"])) == (plain.day, plain.days)
            seat = int(np.flatnonzero(g["acting"])[0])
            moved.append(seat)
            least, cap = int(rules.least_raise(g, seat)), int(g["cap"])
            amount = WITHDRAW
            if least <= cap and rng.random() < eagerness:
                amount = min(cap, least + 100 * int(rng.expovariate(0.3)))
            assert rules.check(state, 0, seat, amount) == rules.LEGAL
            plain.move(seat, None if amount < 0 else amount / 100)
            number = int(g["round"])
            move(state, amount)
            assert state["price_after"][0, number] == round(100 * plain.history[-1][3])
            leader = plain.history[-1][4]
            assert state["leader_after"][0, number] == (NOBODY if leader is None else leader)
        assert sorted(moved) == list(range(scenario.num_bidders))
        goes_on = plain.end_day()
    return state, plain


def test_400_random_games_agree_with_a_second_implementation():
    rng = random.Random(5)
    longest = set()
    for game in range(400):
        scenario = EbayScenario(
            "random",
            num_bidders=rng.choice((2, 3, 5)),
            days=rng.choice((1, 2, 5, 10)),
            closing=rng.choice(("soft", "soft", "hard")),
            increment=rng.choice((1, 2, 5)),
        )
        state, plain = random_game(rng, scenario, game, rng.choice((0.05, 0.3, 0.9)))
        g = state[0]
        assert g["status"] == TERMINATED
        longest.add(plain.days)
        price, leader = plain.history[-1][3:]
        assert g["winner"][0] == (NOBODY if leader is None else leader)
        if leader is not None:
            assert g["price"][0] == round(100 * price)
    assert {1, 20} <= longest
    assert len(longest) > 8


def test_a_round_that_is_computed_by_hand():
    state = dealt(EbayScenario("hand", days=1))
    first, second, third = state["order"][0, :3]
    for seat, cents, price, leader in (
        (first, 4000, 0, first),
        (second, 4300, 4100, second),
        (third, 4200, 4300, second),
    ):
        number = int(state["round"][0])
        assert state["acting"][0, seat] == 1
        move(state, cents)
        assert (state["price_after"][0, number], state["leader_after"][0, number]) == (price, leader)
    assert state["winner"][0, 0] == second
    assert state["price"][0, 0] == 4300
    assert state["profit"][0, second] == state["value"][0, second, 0] - 4300


@pytest.mark.parametrize(
    ("amount", "code"),
    [
        (WITHDRAW, rules.LEGAL),
        (2000, rules.LEGAL),  # its earlier maximum is a hold
        (1900, rules.BELOW_EARLIER),
        (3000, rules.BELOW_PRICE),
        (3100, rules.LEGAL),  # the price
        (3150, rules.OFF_STEP),
        (10000, rules.ABOVE_RANGE),
    ],
)
def test_what_is_legal_for_a_seat_that_has_been_outbid(amount, code):
    state = dealt(EbayScenario("hand", num_bidders=2, days=3))
    state["maximum"][0, :2] = (2000, 3000)
    state["placed"][0, :2] = (0, 1)
    state["price_now"] = 3100
    assert rules.check(state, 0, 0, amount) == code
    assert rules.check(state, 0, 0, rules.clip(state, 0, 0, amount)) == rules.LEGAL


@pytest.mark.parametrize(
    ("reserve", "lift", "sold", "price"), [(0, False, True, 3100), (5000, False, True, 3100), (5000, True, True, 5000), (6001, False, False, NOBODY), (6001, True, False, NOBODY)]
)  # fmt: skip
def test_a_hidden_reserve_decides_whether_the_prize_is_sold(reserve, lift, sold, price):
    scenario = EbayScenario("hand", num_bidders=2, days=1, reserve=reserve / 100, lift_to_reserve=lift)
    state = dealt(scenario)
    move(state, 3000)
    move(state, 6000)
    assert (state["winner"][0, 0] != NOBODY) == sold
    assert state["price"][0, 0] == price


def test_of_equal_maxima_the_earlier_leads():
    state = dealt(EbayScenario("hand", num_bidders=2, days=1))
    first = int(state["order"][0, 0])
    move(state, 5000)
    move(state, 5000)
    assert state["winner"][0, 0] == first
    assert state["price"][0, 0] == 5000


def test_each_auction_of_a_game_starts_without_maxima():
    scenario = EbayScenario("hand", num_bidders=2, days=2, num_rounds=3)
    state = dealt(scenario)
    for auction in range(3):
        assert (state["item"][0], state["price_now"][0], state["leader"][0]) == (auction, 0, NOBODY)
        assert (state["maximum"][0, :2] == NOBODY).all()
        for _ in range(4):
            assert state["acting"][0].sum() == 1
            move(state, int(rules.least_raise(state[0], int(np.flatnonzero(state["acting"][0])[0]))))
    assert state["status"][0] == TERMINATED
    assert not state["acting"][0].any()


@pytest.mark.parametrize("closing", ["hard", "soft"])
@pytest.mark.parametrize("seat", [0, 2])
def test_resampled_maxima_keep_the_price_and_the_leader(closing, seat):
    rng = random.Random(9)
    scenario = EbayScenario("random", days=4, closing=closing, reserve=50)
    text = ScenarioText.of(scenario)
    for key in range(60):
        state = dealt(scenario, key)
        for _ in range(rng.randrange(12)):
            if state["status"][0] == RUNNING:
                mover = int(np.flatnonzero(state["acting"][0])[0])
                least = int(rules.least_raise(state[0], mover))
                move(state, least + 100 * rng.randrange(20) if least < 7000 and rng.random() < 0.7 else WITHDRAW)
        if state["item"][0]:
            continue
        drawn = state.copy()
        belief.resample(drawn, 0, seat, key + 1000)
        assert make_view(drawn, seat, text, ()).row == make_view(state, seat, text, ()).row
        before = (int(drawn["price_now"][0]), int(drawn["leader"][0]))
        rules.set_price(drawn[0])
        assert (int(drawn["price_now"][0]), int(drawn["leader"][0])) == before
        assert sorted(drawn["order"][0, :3]) == [0, 1, 2]
        assert drawn["acting"][0, int(drawn["order"][0, drawn["turn"][0]])] == 1


def test_no_seat_sees_the_reserve_or_the_maxima_of_its_rivals():
    scenario = EbayScenario("hidden", num_bidders=2, days=3, reserve=55)
    text, state = ScenarioText.of(scenario), dealt(scenario)
    move(state, 3000)
    move(state, 4000)
    for seat in range(2):
        view = make_view(state, seat, text, ())
        assert (view.scenario.reserve, view.scenario_text.has_reserve) == (0, True)
        assert view.row["reserve"][0] == 0
        assert view.row["maximum"][0, 1 - seat] == NOBODY
        assert view.maximum == state["maximum"][0, seat] / 100
        assert [each.raised for each in view.moves] == [True, True]
    assert not ScenarioText.of(EbayScenario("open")).has_reserve


def test_after_its_first_text_a_seat_reads_the_moves_since_its_last_one():
    scenario = EbayScenario("moves", num_bidders=2, days=3)
    text, state = ScenarioText.of(scenario), dealt(scenario)
    first, second = (int(seat) for seat in state["order"][0, :2])
    move(state, 3000)
    move(state, 4000)
    day = "Day 1: {} raises its maximum; price"
    moves = [day.format(scenario.bidders[seat]) for seat in (first, second)]
    for seat, new in ((first, moves[1:]), (second, [])):
        view = make_view(state, seat, text, ())
        shown = {is_first: call(view, is_first) for is_first in (True, False)}
        assert [each for each in moves if each in shown[True]] == moves
        assert [each for each in moves if each in shown[False]] == new
        assert ("Moves since yours:" in shown[False]) == bool(new)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("reserve", 100, "reserve: expected at most highest_maximum 99"),
        ("days", 0, "days"),
        ("days", 21, "days"),
        ("num_bidders", 1, "num_bidders"),
        ("closing", "late", "closing: expected"),
        ("language", "hindi", "language: expected"),
        ("bid_step", 7, "bid_step"),
    ],
)
def test_impossible_scenarios_are_refused(field, value, problem):
    with pytest.raises(ValueError, match=problem):
        EbayScenario("bad", **{field: value})


def test_the_eight_published_conditions_are_scenarios():
    for closing in ("hard", "soft"):
        for reserve in (0, 40, 50, 60):
            scenario = SCENARIOS[f"{closing}-{reserve}" if reserve else closing]
            assert (scenario.closing, scenario.reserve, scenario.days) == (closing, reserve, 10)
            assert scenario.value_range == (0, 99)
