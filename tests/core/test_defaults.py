"""Modules by default: features, views, infos, the table's text, and records of declared fields."""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from paths import ROOT

from aucenv.core.boards.board import BID_SAID
from aucenv.core.boards.text import to_text
from aucenv.core.defaults.bid_forms import BidOrNothing, YesOrNo
from aucenv.core.defaults.board import DefaultBoard
from aucenv.core.defaults.drawn_fields import DrawnBelief, deal_of
from aucenv.core.defaults.features import DefaultFeatures
from aucenv.core.defaults.records import DefaultRecordFormat
from aucenv.core.defaults.result_fields import payoff_of, result_of
from aucenv.core.defaults.view import DefaultView
from aucenv.core.defaults.words import DefaultWords
from aucenv.core.fields import (
    ALL,
    ALL_BY_ITEM,
    BY_HIDE,
    ITEM,
    NONE,
    OWNER,
    OWNER_BY_ITEM,
    SEAT,
    FieldsError,
    GameState,
    flag,
    index_of,
    integer,
    money,
    option,
    ppm,
    random_key,
    seat_name,
    when,
)
from aucenv.core.kernel import inlined
from aucenv.core.play.table import Table
from aucenv.core.state import NOBODY, TERMINATED, WITHDRAW
from aucenv.core.views.seat_view import ScenarioText
from aucenv.core.words.money import SIGNED_DOLLARS

NUM_SEATS, NUM_ITEMS = 3, 4


@inlined
def to_rich(g, viewer, seat):
    return g["purse"][viewer] > 500


class State(GameState):
    """A state with a field of each kind."""

    high = money(ALL, "the highest value")
    step = money(ALL, "the step of bids", most="high")
    mood = option(ALL, ("calm", "eager", "wild"), "the mood of the room")
    leader = seat_name(ALL, "who leads")
    luck = integer(NONE, "what nobody knows", most=9, drawn=1)
    rate = ppm(ALL, "the rate")
    acting = flag(ALL, per=SEAT)
    profit = money(OWNER, "the profit", per=SEAT, within=SIGNED_DOLLARS, most="high")
    purse = money(OWNER, "the purse", per=SEAT, most=10)
    shown = flag(when(to_rich), "what the rich see", per=SEAT)
    seat_key = random_key(OWNER, per=SEAT)
    price = money(ALL, "the price", per=ITEM, most="high", at_close=True)
    supply = integer(ALL_BY_ITEM, "the supply", per=ITEM, most=20, drawn=2)
    value = money(OWNER_BY_ITEM, "the value", per=(SEAT, ITEM), most="high", drawn="step")
    bid = money(OWNER, "the bid", per=(SEAT, ITEM), most="high", may_be_none=True, at_close=True)


@inlined
def check(state, b, seat, amount):
    g = state[b]
    return 0 if amount < 0 or (amount <= g["high"] and amount % g["step"] == 0) else 1


@inlined
def clip(state, b, seat, amount):
    g = state[b]
    return WITHDRAW if amount < 0 else min(amount // g["step"] * g["step"], g["high"])


RULES = SimpleNamespace(
    State=State,
    REFUSALS=("legal", "wrong"),
    RESULT=("profit", "purse"),
    check=check,
    clip=clip,
    deal=deal_of(State),
    payoff=payoff_of(State, "profit"),
    result=result_of(State, ("profit", "purse")),
)
TEXTS = ScenarioText(("bidder_0", "bidder_1", "bidder_2"), ("Ann", "Bob", "Cid"), None)


def template():
    row = np.zeros(1, State.dtype(seat=NUM_SEATS, item=NUM_ITEMS))
    row["num_seats"], row["num_items"], row["forced_tie"] = NUM_SEATS, NUM_ITEMS, NOBODY
    row["high"], row["step"] = 1000, 50
    return row


def dealt(key=1):
    state = template()
    RULES.deal(state, 0, template(), key)
    return state


@pytest.fixture(scope="module")
def vector():
    return DefaultFeatures(RULES, BidOrNothing(), "defaults_of_tests")


@pytest.fixture(scope="module")
def view():
    return DefaultView(RULES, __name__)


def features_of(vector, state):
    out = np.full((len(state["acting"][0]), vector.num_features(NUM_SEATS, NUM_ITEMS)), np.nan, np.float32)
    vector.features(state, 0, out)
    return [dict(zip(vector.feature_names(NUM_SEATS), row.tolist(), strict=True)) for row in out[:NUM_SEATS]]


def played():
    """Return a state in its second item."""
    state = dealt()
    row = state[0]
    row["item"], row["leader"], row["mood"], row["rate"] = 1, 2, 1, 250_000
    row["profit"][:3], row["purse"][:3], row["shown"][:3] = [300, -200, 0], [600, 400, 0], [1, 1, 0]
    row["price"][0], row["supply"][:2] = 700, [8, 10]
    row["value"][:3, :2] = [[500, 100], [200, 900], [50, 0]]
    row["bid"][:3, 0] = [WITHDRAW, 0, 700]
    return state


def test_features_are_the_fields_that_a_seat_sees_divided_by_the_most(vector):
    seats = features_of(vector, played())
    expected = {
        "round": 0.5, "step": 0.05, "mood": 0.5, "leader": 1.0, "rate": 0.25, "acting_0": 1, "acting_1": 1,
        "acting_2": 1, "profit": 0.3, "purse": 0.6, "shown": 1, "last_price": 0.7, "supply": 0.5, "last_supply": 0.4,
        "value": 0.1, "last_value": 0.5, "last_bid": -1.0,
    }  # fmt: skip
    assert seats[0] == pytest.approx(expected)
    assert [*seats[0]] == [*expected]
    second = {"leader": 2 / 3, "profit": -0.2, "purse": 0.4, "shown": 0, "value": 0.9, "last_value": 0.2, "last_bid": 0}
    assert seats[1] == pytest.approx(expected | second)


def test_features_of_all_seats_begin_with_the_observing_one(vector):
    state = played()
    state["acting"][0, :3] = [1, 0, 0]
    acting = [[seat[f"acting_{k}"] for k in range(3)] for seat in features_of(vector, state)]
    assert acting == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_features_of_a_game_that_is_over_have_no_current_item(vector):
    state = played()
    state["item"], state["status"] = NUM_ITEMS, TERMINATED
    last = features_of(vector, state)[0]
    assert last["round"] == 1
    assert last["supply"] == last["value"] == 0
    assert last["last_supply"] == pytest.approx(state["supply"][0, NUM_ITEMS - 1] / 20)


def test_features_are_clipped_and_have_no_leader_if_there_is_none(vector):
    state = played()
    state["profit"][0, 0], state["leader"] = 10**9, NOBODY
    assert features_of(vector, state)[0]["profit"] == 10
    assert features_of(vector, state)[0]["leader"] == 0


def test_there_are_as_many_features_as_names(vector):
    for num_bidders in range(1, 10):
        assert vector.num_features(num_bidders, 5) == len(set(vector.feature_names(num_bidders, 5)))


def test_hidden_features_are_drawn_values_that_no_seat_sees(vector):
    state, out = played(), np.zeros(1, np.float32)
    state["luck"] = 3
    assert vector.num_hidden_features(NUM_ITEMS) == 1
    vector.hidden_features(state, 0, out)
    assert out[0] == pytest.approx(1 / 3)


def test_updated_features_are_those_written_again(vector):
    out = np.zeros((2, len(played()["acting"][0]), vector.num_features(NUM_SEATS, NUM_ITEMS)), np.float32)
    vector.features(dealt(), 0, out[0])
    vector.update_features(played(), 0, 0, out[0])
    vector.features(played(), 0, out[1])
    assert (out[0] == out[1]).all()


def test_actions_are_bids_and_the_mask_is_what_the_rules_accept(vector):
    state = played()
    state["acting"][0, 1] = 0
    num_actions = BidOrNothing().num_actions(template())
    assert num_actions == 22
    mask = np.zeros((len(state["acting"][0]), num_actions + 3), np.int8)
    vector.mask(state, 0, mask)
    assert mask[0].tolist() == [1] * 22 + [0] * 3  # bids above the highest one are illegal
    assert mask[1].tolist() == [1] + [0] * 24
    assert [vector.amount(state, 0, 0, action) for action in (0, 1, 2, 21)] == [WITHDRAW, 0, 50, 1000]
    assert vector.amount_of_share(state, 0, 1, 0.5) == 450


@pytest.mark.parametrize("seat", range(NUM_SEATS))
def test_nothing_that_is_hidden_changes_what_a_seat_receives(vector, view, seat):
    belief, infos = DrawnBelief(State), view.INFOS
    for key in range(20):
        states = [played(), played()]
        belief.resample(states[1], 0, seat, key)
        assert states[0].tobytes() != states[1].tobytes()
        of_seats = [features_of(vector, state)[seat] for state in states]
        assert of_seats[0] == of_seats[1]
        views = [view.make_view(state, seat, TEXTS, ()) for state in states]
        assert views[0].row.tobytes() == views[1].row.tobytes()
        assert views[0].history == views[1].history
        boards = [DefaultBoard(RULES, BID_SAID).board(each) for each in views]
        assert boards[0] == boards[1]
        numbers = infos.readers(states[0].dtype, seat)[0]
        assert len({repr(numbers(state.view(np.int64).data)) for state in states}) == 1


def test_a_view_has_the_fields_under_their_names(view):
    shown = view.make_view(played(), 1, TEXTS, ())
    assert (shown.high, shown.step, shown.mood, shown.leader, shown.rate) == (10, 0.5, "eager", "bidder_2", 0.25)
    assert (shown.profit, shown.purse, shown.supply, shown.value) == (-2, 4, 10, 9)
    assert [(past.price, past.supply, past.value, past.bid) for past in shown.history] == [(7, 8, 2, 0)]
    assert view.make_view(played(), 0, TEXTS, ()).history[0].bid is None
    assert not hasattr(shown, "luck")
    assert not hasattr(shown, "price")  # it is known at the close of its item
    assert type(shown).value.__doc__ == "The value; None once the game is over."
    over = played()
    over["status"], over["item"] = TERMINATED, NUM_ITEMS
    assert view.make_view(over, 1, TEXTS, ()).value is None


def test_infos_are_the_values_of_the_seat(view):
    state = played()
    numbers, full = view.INFOS.readers(state.dtype, 0)
    words = state.view(np.int64).data
    assert full(words, TEXTS) == {
        "round": 2, "high": 10, "step": 0.5, "mood": "eager", "leader": "bidder_2", "rate": 0.25, "profit": 3,
        "purse": 6, "last_price": 7, "supply": 10, "last_supply": 8, "value": 1, "last_value": 5,
        "last_bid": None,
    }  # fmt: skip
    assert numbers(words)["last_bid"] == -1
    state["bid"][0, 0, 0] = 250
    assert full(words, TEXTS)["last_bid"] == 2.5


def test_the_board_hides_what_a_seat_does_not_see(view):
    module = DefaultBoard(RULES, BID_SAID)
    board = module.board(view.make_view(played(), 0, TEXTS, ()))
    assert [line.value for line in board.lines] == [
        "step: $0.50", "mood: eager", "leader: Cid", "rate: 0.25", "supply: 10",
    ]  # fmt: skip
    revealed = module.board(view.make_view(played(), 0, TEXTS, (), reveal=True))
    assert [revealed.for_seat(seat) for seat in range(NUM_SEATS)] == [
        module.board(view.make_view(played(), seat, TEXTS, ())) for seat in range(NUM_SEATS)
    ]
    assert "hidden" in to_text(board)
    assert "hidden" not in to_text(revealed)
    labels = [column.label for column in revealed.columns]
    assert [cell.value for cell in revealed.rows[1].cells][labels.index("profit")] == -2
    dealt = played()
    dealt["item"] = 0
    events = module.events(view.make_view(dealt, 0, TEXTS, ()), view.make_view(played(), 0, TEXTS, ()))
    assert events == ["Round 1: price $7, supply 8, Ann: value $5, Ann: bid -."]


def test_records_have_what_is_drawn_and_what_is_public_at_the_end(view):
    form, state = DefaultRecordFormat(RULES), played()
    state["item"], state["luck"], state["supply"][0, :4] = 2, 4, [8, 10, 2, 0]
    revealed = view.make_view(state, 0, TEXTS, (), reveal=True)
    deal, outcome = form.DEAL.data(revealed), form.OUTCOME.data(revealed)
    assert deal["luck"] == 4
    assert deal["supplies"] == [8, 10, 2, 0]
    assert [seat["values"][:2] for seat in deal["seats"]] == [[5, 1], [2, 9], [0.5, 0]]
    assert outcome == {
        "status": "running",
        "rounds": 0,
        "prices": [7, 0],
        "seats": [{"profit": 3, "purse": 6}, {"profit": -2, "purse": 4}, {"profit": 0, "purse": 0}],
    }
    assert form.DEAL.count_fields([deal]) >= 0
    assert form.OUTCOME.count_fields([outcome]) >= 0


def words(**parts):
    module = SimpleNamespace(
        REPLY=BidOrNothing(),
        rules=lambda view: f"You are {view.name}.",
        question=lambda view: "What do you bid?",
        **parts,
    )
    return DefaultWords(module, RULES)


def test_words_begin_with_the_rules_and_then_have_what_is_new(view):
    text = words()
    shown = view.make_view(played(), 0, TEXTS, ())
    closed = "Round 1: price $7, supply 8, value $5, bid none."
    hint = 'Reply with a bid such as "I bid $40!", or "I\'m out!" to make none.'
    assert text.describe(shown) == f"You are Ann.\n{hint}\n\n{closed}\n\nWhat do you bid?"
    assert text.describe(shown, (3, 0)) == f"{closed}\n\nWhat do you bid?"
    assert text.describe(shown, (3, 1)) == "What do you bid?"
    refused = view.make_view(played(), 0, TEXTS, (), refused="$3 is odd")
    assert text.describe(refused, (3, 1)) == "What do you bid?\n\nYour last reply was refused: $3 is odd."
    assert words(closed=lambda view, j: f"Closed {j}.").describe(shown, (0, 0)) == "Closed 0.\n\nWhat do you bid?"


def test_words_say_that_others_decide_or_that_the_game_is_over(view):
    state = played()
    state["acting"] = 0
    waiting = words().describe(view.make_view(state, 0, TEXTS, ()), (3, 1))
    assert waiting == words().waiting_text(TEXTS) == "You have decided; others are still deciding."
    state["status"] = TERMINATED
    assert words().describe(view.make_view(state, 1, TEXTS, ()), (3, 1)) == "The game is over. Your profit is -$2."


def test_refusals_have_the_reason_of_the_form_or_its_name():
    text, state = words(), played()
    assert text.refusal(state, 0, 1100, 1, TEXTS) == "$11 is above the highest bid, $10"
    assert text.refusal(state, 0, 120, 1, TEXTS) == "$1.20 is not a multiple of $0.50"
    assert text.refusal(state, 0, 100, 1, TEXTS) == "$1 is refused: wrong"
    assert words(refusal=lambda *args: "no").refusal(state, 0, 100, 1, TEXTS) == "no"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"pot": money(ALL)}, r"State.pot: features by default: expected `most`, .*, got none"),
        ({"pot": money(BY_HIDE, most=5)}, "State.pot: features by default: expected a field that says who sees it"),
        ({"pot": index_of(ALL, "names")}, r"State.pot: features by default: expected `most`"),
        ({"pot": money(ALL, per=("seat", "seat"), most=5)}, "State.pot: features by default: expected one with dim"),
    ],
)
def test_a_field_without_what_features_need_is_named(fields, expected):
    base = {"acting": flag(ALL, per=SEAT), "value": money(OWNER, per=SEAT, most=5)}
    state = type(GameState)("State", (GameState,), {**base, **fields, "__module__": __name__})
    with pytest.raises(FieldsError, match=expected):
        DefaultFeatures(SimpleNamespace(State=state, clip=clip, check=check), YesOrNo(), "defaults_of_tests")


@pytest.mark.parametrize(
    ("name", "field", "expected"),
    [
        ("pot", money(ALL, per=("seat", "seat")), "State.pot: a View by default: expected dimensions of seats and it"),
        ("name", money(ALL), "State.name: a View by default: expected another name, because a View has"),
    ],
)
def test_a_field_that_a_view_cannot_show_is_named(name, field, expected):
    state = type(GameState)("State", (GameState,), {name: field, "__module__": __name__})
    with pytest.raises(FieldsError, match=expected):
        DefaultView(SimpleNamespace(State=state), __name__)


@pytest.fixture
def plugin(monkeypatch):
    """The game of tests/plugin_game."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "plugin_game")
    yield import_module("uniform_price.game").GAME
    for module in [module for module in sys.modules if module.startswith("uniform_price")]:
        del sys.modules[module]


def test_views_and_their_class_are_pickled(plugin):
    table = Table(plugin, plugin.load_scenario("ten-rounds"), ["amount"] * 4)
    table.reset(1)
    shown = table.view(2)
    again = pickle.loads(pickle.dumps(shown))
    assert type(again) is type(shown)
    assert again.value == shown.value
    assert pickle.loads(pickle.dumps(type(shown))) is plugin.view.View


def test_two_states_of_one_name_have_different_kernels(plugin):
    other = type(GameState)("State", (GameState,), {"acting": flag(ALL, per=SEAT), "__module__": __name__})
    other_rules = SimpleNamespace(State=other, clip=clip, check=check)
    with pytest.raises(FieldsError, match=r"YesOrNo: of: expected the name of a field of State, got 'valeu'"):
        DefaultFeatures(other_rules, YesOrNo("valeu"), "defaults_of_tests")
    names = {
        plugin.features.features.__name__,
        DefaultFeatures(RULES, YesOrNo(), "defaults_of_tests").features.__name__,
    }
    assert len(names) == 2
