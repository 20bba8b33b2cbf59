"""A small table's state has a shape of its own, in which all forms of its games are the same."""

from __future__ import annotations

import pytest
from games import every_case_slow_except
from gymnasium.utils.env_checker import data_equivalence
from run_command import command

from aucenv.core.state import seat_room, seats_of
from aucenv.testing.contract import Case
from aucenv.testing.forms import compare_batch, played


@pytest.fixture
def use(monkeypatch):
    """Return a function that selects the shapes of states, as the variable AUCENV_SEAT_ROOM does."""
    return lambda shapes: monkeypatch.setenv("AUCENV_SEAT_ROOM", shapes)


def room_of(case: Case) -> int:
    row = case.scenario.template()[0]
    assert seats_of(row) == row["num_seats"] == case.num_seats
    return len(row["acting"])


@pytest.mark.parametrize(
    "num_bidders", [pytest.param(2, marks=pytest.mark.slow), 3, pytest.param(4, marks=pytest.mark.slow)]
)
@every_case_slow_except("sealed_bid", "water_allocation")
def test_games_in_the_shapes_of_small_tables_are_the_same(case, num_bidders, use):
    name, case = case.name, Case(case.family, case.short.changed(num_bidders=num_bidders), None, 5)
    use("most")
    assert room_of(case) > 4
    games = [played(case, seed) for seed in range(2)]
    use("exact")
    assert room_of(case) == (8 if name == "water_allocation" else num_bidders)
    assert data_equivalence([played(case, seed) for seed in range(2)], games)
    assert compare_batch(case, 3, 1, 60)


def test_a_state_has_room_for_the_seats_of_its_shape(monkeypatch):
    def rooms(most: int, **small: tuple[int, ...]) -> list[int]:
        return [seat_room(seats, most, **small) for seats in (2, 3, 4, 5, 10)]

    monkeypatch.delenv("AUCENV_SEAT_ROOM", raising=False)
    assert rooms(16) == [2, 3, 4, 16, 16]
    assert rooms(16, small=(8,)) == [8, 8, 8, 8, 16]
    monkeypatch.setenv("AUCENV_SEAT_ROOM", "most")
    assert rooms(16) == rooms(16, small=(8,)) == [16] * 5
    assert seat_room(2, 3) == 5  # kernels take each row of a smaller shape as a seat


def test_an_unknown_value_of_the_variable_is_one_line(use, capsys):
    use("largest")
    assert command("leaderboard", "--games", "1") == 2
    assert capsys.readouterr() == ("", "aucenv: AUCENV_SEAT_ROOM: expected exact or most, got 'largest'\n")
