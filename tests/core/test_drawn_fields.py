"""Fields that are declared as drawn: the deal, what a seat believes of hidden ones, and results that are fields."""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module

import numpy as np
import pytest
from paths import ROOT

from aucenv.core.defaults.drawn_fields import DrawnBelief, deal_of, draws_hidden_fields
from aucenv.core.defaults.result_fields import payoff_of, result_of
from aucenv.core.fields import (
    ALL,
    BY_HIDE,
    ITEM,
    NONE,
    OWNER,
    OWNER_BY_ITEM,
    SEAT,
    FieldsError,
    GameState,
    flag,
    integer,
    money,
    option,
    random_key,
    seat_name,
)
from aucenv.core.state import NOBODY

DEALS = 4000


class State(GameState):
    """Two values for each of two seats, from $0 to $2, and a public die."""

    high = money(ALL)
    acting = flag(ALL, per=SEAT)
    gain = money(OWNER, per=SEAT, most="high")
    sold = integer(OWNER, per=SEAT, hidden_as=-5)
    seat_key = random_key(OWNER, per=SEAT)
    die = option(ALL, ("one", "two", "three"), per=ITEM, drawn=1)
    value = money(OWNER_BY_ITEM, per=(SEAT, ITEM), most="high", drawn=1)


def template():
    row = np.zeros(1, State.dtype(seat=2, item=2))
    row["num_seats"], row["num_items"], row["high"], row["forced_tie"] = 2, 2, 200, NOBODY
    return row


def are_even(numbers, options):
    """Return whether all options are equally frequent, within five standard errors."""
    counts = np.bincount(numbers, minlength=options)
    share = 1 / options
    return (np.abs(counts - len(numbers) * share) < 5 * np.sqrt(len(numbers) * share * (1 - share))).all()


@pytest.fixture(scope="module")
def deals():
    deal, states = deal_of(State), np.repeat(template(), DEALS)
    for row in range(DEALS):
        deal(states, row, template(), row)
    return states


def test_the_deal_draws_each_value_uniformly_and_independently(deals):
    steps = deals["value"][:, :2, :2].reshape(DEALS, 4) // 100
    assert (deals["value"] % 100 == 0).all()
    for first in range(4):
        assert are_even(steps[:, first], 3)
        assert are_even(deals["die"][:, first % 2], 3)
        for second in range(first):
            assert are_even(steps[:, first] * 3 + steps[:, second], 9)
        assert are_even(steps[:, first] * 3 + deals["die"][:, first % 2], 9)
    assert (deals["acting"][:, :2] == 1).all()


def test_equal_keys_give_equal_deals(deals):
    state = template()
    deal_of(State)(state, 0, template(), 7)
    assert state.tobytes() == deals[7:8].tobytes()


def test_hidden_values_are_drawn_again_and_what_a_seat_knows_stays(deals):
    belief, states = DrawnBelief(State), np.repeat(deals[:1], DEALS)
    states["gain"][:, :2], states["sold"][:, :2] = [100, 50], [3, 4]
    for row in range(DEALS):
        belief.resample(states, row, 1, row)
    known = [name for name in State.FIELDS if name not in ("key", "seat_key", "gain", "sold", "value")]
    for name in known:
        assert (states[name] == deals[name][0]).all(), name
    assert (states["value"][:, 1, 0] == deals["value"][0, 1, 0]).all()
    assert (states["seat_key"][:, 1] == deals["seat_key"][0, 1]).all()
    assert len(set(states["seat_key"][:, 0].tolist())) == len(set(states["key"].tolist())) == DEALS
    assert (states["gain"][:, :2] == [0, 50]).all()
    assert (states["sold"][:, :2] == [-5, 4]).all()
    steps = states["value"][:, :2, :2] // 100
    hidden = [steps[:, 0, 0], steps[:, 0, 1], steps[:, 1, 1]]
    for number, values in enumerate(hidden):
        assert are_even(values, 3)
        for other in hidden[:number]:
            assert are_even(values * 3 + other, 9)


def test_the_belief_of_the_plug_in_game_is_that_by_hand(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tests" / "plugin_game")
    game = import_module("uniform_price.game").GAME
    spec = importlib.util.spec_from_file_location("by_hand", ROOT / "tests" / "testing" / "by_hand" / "belief.py")
    by_hand = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(by_hand)
    start = game.load_scenario("ten-rounds").template()
    game.rules.deal(start, 0, start.copy(), 3)
    for _ in range(4):
        game.rules.step(start, 0, np.array([100, 200, 300, 300]))
    sampled = [np.repeat(start, 1000) for _ in range(2)]
    for states, belief in zip(sampled, (game.belief, by_hand), strict=True):
        for row in range(1000):
            belief.resample(states, row, 2, row)
    first, second = sampled
    for name in State.FIELDS.keys() & game.rules.State.FIELDS.keys() - {"value"}:
        assert (first[name] == second[name]).all(), name  # keys, too, follow from the key of the belief
    for seat in range(4):
        for j in range(10):
            values = [states["value"][:, seat, j] / 100 for states in sampled]
            if seat == 2 and j <= 4:
                assert (values[0] == values[1]).all()
            else:
                assert abs(values[0].mean() - values[1].mean()) < 5 * np.hypot(*(v.std() for v in values)) / 1000**0.5
                assert abs(values[0].mean() - 50) < 5 * 29.2 / 1000**0.5
                assert abs(values[0].std() - 29.2) < 2.5
    for module in [module for module in sys.modules if module.startswith("uniform_price")]:
        del sys.modules[module]


def declared(**fields):
    return type(GameState)("State", (GameState,), {**fields, "__module__": __name__})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"secret": integer(OWNER, per=SEAT)}, False),
        ({"secret": integer(OWNER, per=SEAT), "value": integer(NONE, most=3, drawn=1)}, True),
        ({"value": integer(BY_HIDE, most=3, drawn=1)}, False),
        ({"pot": money(ALL)}, True),
        ({"seat_key": random_key(OWNER, per=SEAT)}, True),
    ],
)
def test_a_state_has_a_belief_if_it_draws_what_is_hidden_or_hides_nothing(fields, expected):
    assert draws_hidden_fields(declared(**fields)) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (lambda: money(ALL, most="hihg"), r"most: expected the name of a field, got 'hihg' \(did you mean 'high'\?\)"),
        (lambda: money(ALL, most="purse"), "most: expected a field of the whole game that all seats see, got <Field p"),
        (
            lambda: money(ALL, most="secret"),
            "most: expected a field of the whole game that all seats see, got <Field s",
        ),
        (lambda: money(ALL, most=0), "most: expected a positive number or the name of a field, got 0"),
        (lambda: money(ALL, most=True), "most: expected a positive number or the name of a field, got True"),
        (lambda: money(ALL, most=5, drawn=0.001), "drawn: expected a positive number or the name of a field, got 0.0"),
        (lambda: money(ALL, drawn=1), "drawn: expected a number with `most`, up to which it is drawn"),
        (lambda: seat_name(ALL, most=3, drawn=1), "drawn: expected a number with `most`, up to which it is drawn"),
        (lambda: money(ALL, most=3, drawn="stpe"), "drawn: expected the name of a field, got 'stpe'"),
        (lambda: money(OWNER_BY_ITEM, per=SEAT), r"expected a condition \(g, seat, seat\), got one with 4 arguments"),
        (lambda: money(ALL, at_close=True), "at_close: expected a field with a value for each item"),
    ],
)
def test_a_need_that_is_declared_wrongly_is_refused(field, expected):
    others = {"high": money(ALL), "purse": money(ALL, per=SEAT), "secret": money(NONE)}
    with pytest.raises(FieldsError, match=rf"State\.pot: {expected}"):
        declared(**others, pot=field())


def test_needs_stay_when_a_state_inherits_a_field_with_another_visibility():
    other = State.value.shown_to(ALL)
    assert (other.most, other.drawn) == ("high", 1)


def test_a_deal_without_drawn_fields_is_refused():
    with pytest.raises(FieldsError, match="deal_of: expected fields that are drawn, got none"):
        deal_of(declared(pot=money(ALL)))


def test_results_are_fields_per_seat():
    state, scores, results = template(), np.zeros(2), np.zeros((2, 2), np.int64)
    state["gain"][0, :2], state["sold"][0, :2] = [100, -50], [3, 4]
    payoff_of(State, "gain")(state, 0, scores)
    result_of(State, ("sold", "gain"))(state, 0, results)
    assert scores.tolist() == [0.5, -0.25]
    assert results.tolist() == [[3, 100], [4, -50]]
    with pytest.raises(
        FieldsError, match=r"payoff_of: expected the name of a field per seat, got 'gian' \(did you mean"
    ):
        payoff_of(State, "gian")
    with pytest.raises(FieldsError, match="payoff_of: expected a field with `most`"):
        payoff_of(State, "sold")
    with pytest.raises(FieldsError, match="result_of: expected the name of a field per seat, got 'value'"):
        result_of(State, ("gain", "value"))
