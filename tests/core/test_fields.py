"""The declaration of fields: what is refused, and what follows from a declaration."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import aucenv
from aucenv.core.adapters.infos import Infos
from aucenv.core.fields import (
    ALL,
    CURRENT,
    ITEM,
    NONE,
    OWNER,
    SEAT,
    Field,
    FieldsError,
    GameState,
    flag,
    integer,
    money,
    option,
    running,
    seat_name,
    when,
)
from aucenv.core.formats.schema import TEXT
from aucenv.core.kernel import kernel
from aucenv.core.records.record_parts import RecordPart, rows
from aucenv.core.views.seat_view import SeatView, ViewMaker


class State(GameState):
    """A state for tests."""

    pot = money(ALL, "what is in the pot")
    leader = seat_name(ALL)
    mood = option(ALL, ("calm", "eager"), per=SEAT)
    stake = money(OWNER, per=SEAT)
    secret = integer(NONE, per=SEAT)
    tags = integer(ALL, per=(SEAT, ITEM))


def declared(**fields):
    """Return the error of a State with these fields."""
    with pytest.raises(FieldsError) as error:
        type(GameState)("Bad", (GameState,), {**fields, "__module__": __name__})
    return str(error.value)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (lambda: Field(None, ALL), "Bad.word: expected a unit, such as money or flag, got None"),
        (lambda: money(None), "Bad.word: expected ALL, OWNER, NONE, BY_HIDE or when(KERNEL), got None"),
        (lambda: money(when(lambda g, seat: True)), "Bad.word: expected a kernel as condition, got <function"),
        (lambda: money(OWNER), "Bad.word: expected the first dimension seat"),
        (lambda: money(OWNER, per=(ITEM, SEAT)), "Bad.word: expected the first dimension seat"),
        (lambda: money(ALL, per=(SEAT, ITEM, ITEM)), "Bad.word: expected at most two dimensions"),
        (lambda: money(ALL, per="house"), "Bad.word: expected a dimension of ROOMS, got 'house'"),
        (lambda: State.pot, "Bad.word: expected a declaration of its own, got that of pot"),
    ],
)
def test_a_field_that_is_declared_wrongly_is_refused(field, expected):
    assert expected in declared(word=field())


def test_two_fields_of_one_name_are_refused():
    with pytest.raises(FieldsError, match="pot: expected one declaration, got two"):

        class Twice(GameState):
            pot = money(ALL)
            pot = flag(ALL)  # noqa: PIE794  (what is tested)


def test_places_have_to_fit_the_dimensions():
    with pytest.raises(
        FieldsError, match=r"tags: expected places for the dimensions \('seat', 'item'\), got \('seat',\)"
    ):
        State.tags.of_seat()
    with pytest.raises(FieldsError, match="stake: expected a field per seat that a seat sees of others, too"):
        State.stake.by_seat()
    with pytest.raises(FieldsError, match="tags: expected a field per seat"):
        State.tags.by_seat()


def test_infos_take_projections_of_fields_that_seats_see():
    with pytest.raises(FieldsError, match="infos: pot: expected a projection of a field, got <Field pot"):
        Infos(pot=State.pot)
    with pytest.raises(FieldsError, match="infos: sum: expected fields that seats see, got secret"):
        Infos(sum=State.stake.of_seat().plus(State.secret.of_seat()))


def test_a_value_that_may_be_none_is_no_part_of_another():
    with pytest.raises(FieldsError, match="expected `where` without another value to come last"):
        State.pot.now().where(running).at_least(1)


def test_rows_take_fields_of_their_dimension():
    with pytest.raises(FieldsError, match="pot: expected a field whose first dimension is seat, got pot"):
        rows(SEAT, pot=State.pot)


def test_names_of_views_have_docstrings():
    with pytest.raises(FieldsError, match=r"View\.pot: expected a docstring, got none"):

        class View(SeatView):
            pot = State.pot.now()


class View(SeatView):
    """A View for tests."""

    pot = State.pot.now("The pot, in dollars; None once the game is over.").where(running)
    leader = State.leader.now("Who leads.")
    moods = State.mood.by_seat("The mood of each seat.")
    stake = State.stake.of_seat("The seat's stake, in dollars.")


@dataclasses.dataclass
class Texts:
    seats: tuple[str, ...] = ("bidder_0", "bidder_1")
    names: tuple[str, ...] = ("Ann", "Ben")

    def for_seat(self, seat):
        return self


def a_view(seat: int = 1, **changes: int):
    state = np.zeros(1, State.dtype(seat=2, item=3))
    state["num_seats"], state["num_items"], state["pot"], state["leader"] = 2, 3, 1250, 1
    state["stake"][0, :2] = 300, 450
    state["secret"][0, :2] = 7, 8
    state["mood"][0, :2] = 1, 0
    for name, value in changes.items():
        state[name] = value
    return ViewMaker(View, State)(state, seat, Texts(), ())


def test_a_view_shows_what_is_declared():
    view = a_view()
    assert (view.pot, view.leader, view.stake) == (12.5, "bidder_1", 4.5)
    assert view.moods == {"bidder_0": "eager", "bidder_1": "calm"}
    assert view.row["stake"][0, :2].tolist() == [0, 450]
    assert not view.row["secret"].any()
    over = a_view(status=1, leader=-1)
    assert (over.pot, over.leader) == (None, None)
    assert View.stake.__doc__ == "The seat's stake, in dollars."


def numbers(infos, view):
    return infos.readers(view.row.dtype, view.seat_number)[0](view.words)


def full(infos, view):
    return infos.readers(view.row.dtype, view.seat_number)[1](view.words, view.scenario_text)


def test_infos_have_the_same_value_in_three_forms():
    infos = Infos(pot=View.pot, leader=View.leader, mood=State.mood.of_seat(), leads=State.leader.now().is_seat())
    view = a_view()
    assert numbers(infos, view) == {"pot": 12.5, "leader": 1, "mood": 0, "leads": 1}
    assert full(infos, view) == {"pot": 12.5, "leader": "bidder_1", "mood": "calm", "leads": True}
    over = a_view(status=1, leader=-1)
    assert numbers(infos, over) == {"pot": 0.0, "leader": -1, "mood": 0, "leads": 0}
    assert full(infos, over) == {"pot": None, "leader": None, "mood": "calm", "leads": False}


def test_records_have_data_and_their_schema():
    part = RecordPart(pot=State.pot, seats=rows(SEAT, stake=State.stake, mood=State.mood, tags=State.tags))
    view = a_view()
    data = part.data(view)
    assert data == {
        "pot": 12.5,
        "seats": [{"stake": 0, "mood": "eager", "tags": [0, 0, 0]}, {"stake": 4.5, "mood": "calm", "tags": [0, 0, 0]}],
    }
    part.check(data, "record")
    data["seats"][0]["mood"] = "sad"
    with pytest.raises(ValueError, match=r"record: seats\[0\]\.mood: expected one of calm, eager, got 'sad'"):
        part.check(data, "record")


@pytest.mark.parametrize(
    "clone", [copy.deepcopy, lambda view: pickle.loads(pickle.dumps(view))], ids=["copy", "pickle"]
)
def test_copies_of_views_share_nothing(clone):
    view = aucenv.english_v0.raw_env(num_items=2)
    view.reset(seed=1)
    view = view.view("bidder_0")
    other = clone(view)
    assert other.budgets == view.budgets
    other.row["budget"][0] = 100
    assert other.budget == 1
    assert view.budget == 20_000


@pytest.mark.parametrize("name", ["budget", "leader", "round"])
def test_views_cannot_be_changed(name):
    env = aucenv.english_v0.raw_env(num_items=2)
    env.reset(seed=1)
    with pytest.raises(AttributeError, match=name):
        setattr(env.view("bidder_0"), name, 1)


def test_the_current_item_after_the_end_is_the_last_one():
    view = a_view(item=3, status=1)
    view.row["tags"][0, 1, 2] = 5
    assert numbers(Infos(tag=State.tags.of_seat(at=CURRENT)), view) == {"tag": 5}


def test_a_game_without_its_kernel_hide_is_refused():
    from aucenv.envs.clock import rules
    from aucenv.envs.clock.view import View as ClockView

    with pytest.raises(FieldsError, match="clock: expected a kernel `hide` if fields are visible BY_HIDE"):
        ViewMaker(ClockView, rules.State)
    with pytest.raises(FieldsError, match="and none otherwise"):
        ViewMaker(View, State, hide_all)


@kernel
def hide_all(full, copied, seat):
    copied["pot"] = 0


def test_a_schema_of_names_can_be_given():
    assert State.leader.named("names", TEXT).unit.public(1, Texts()) == "Ben"
