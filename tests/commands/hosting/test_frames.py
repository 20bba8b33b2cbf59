"""Frames: what is hidden from a seat changes nothing that its client gets; observers get what all seats know."""

from __future__ import annotations

import copy
import json
from unittest.mock import Mock

import numpy as np
import pytest
from aucenv.baselines.human.inbox import Answer, Inbox, Request
from aucenv.benchmarks.report.page_data import choices_of
from games import CASES, every_shape
from hypothesis import given, settings
from hypothesis import strategies as st

from aucenv.commands.hosting.frames import public_board, seat_frame
from aucenv.core.boards.choices import ANY
from aucenv.core.play.table import Table
from aucenv.core.state import NOBODY

every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def table_after(case, scenario, seed, steps):
    """Return a table after some random legal decisions."""
    rng = np.random.default_rng(seed)
    game = case.family.game
    table = Table(game, scenario, ["text"] * len(scenario.bidders), num_actions=game.num_actions(scenario))
    table.reset(seed)
    write = game.words.reply_writer(scenario)
    for _ in range(steps):
        if table.over:
            break
        seat = int(rng.choice(table.pending))
        action = int(rng.choice(np.flatnonzero(table._observed[seat][1])))
        amount = int(game.features.amount(table.state, 0, seat, action))
        assert table.submit(seat, write(amount)) is None
    return table


def frame_of(table, seat):
    """Return what the client of a seat gets, as the text that is sent."""
    inbox, view = Inbox("Ann"), table.view(seat)
    inbox.show(view, table.game.words.describe(view))
    if view.must_decide and table.is_pending(seat):
        inbox.post(Request("0.bidder_0.0.0", view, table.text(seat)), Mock())
    return json.dumps(seat_frame(table.game, inbox, 0.0, "playing"))


@every_shape
@every_case
@given(st.data(), st.integers(0, 10**6), st.integers(0, 40))
@settings(max_examples=25)
def test_hidden_fields_change_no_frame(case, shapes, data, seed, steps):
    table = table_after(case, data.draw(case.scenarios_of(shapes)), seed, steps)
    rng = np.random.default_rng(seed)
    public = json.dumps(public_board(table.game, table))
    board = table.game.board.board
    views = [*(table.view(seat) for seat in range(table.num_seats)), table.view(0, reveal=True)]
    assert {json.dumps(board(view).for_seat(NOBODY).data()) for view in views} == {public}
    for seat in range(table.num_seats):
        other = copy.deepcopy(table)
        case.hide(other.state[0], seat, rng)
        other.restore(other.snapshot())
        assert frame_of(table, seat) == frame_of(other, seat)
    for seat in range(table.num_seats):  # what is private to a seat is hidden from another one
        other = copy.deepcopy(table)
        case.hide(other.state[0], (seat + 1) % table.num_seats, rng)
        other.restore(other.snapshot())
        assert json.dumps(public_board(other.game, other)) == public


@every_case
@given(st.data(), st.integers(0, 10**6), st.integers(0, 30))
@settings(max_examples=20)
def test_choices_are_legal_and_their_bounds_are_tight(case, data, seed, steps):
    table = table_after(case, data.draw(case.scenarios_of("few")), seed, steps)
    rules = table.game.rules
    for seat in table.pending:
        view = table.view(seat)
        choices = choices_of(table.game, view)
        for button in choices["buttons"]:
            cents = -1 if button.get("withdraw") else round(100 * button["amount"])
            assert rules.check(table.state, 0, seat, cents) == 0, button
        field = choices["amount"]
        if field is not None:
            for amount in filter(lambda one: one is not None, (field["least"], field["most"])):
                assert rules.check(table.state, 0, seat, round(100 * amount)) == 0
            if field["most"] is not None:
                assert field["least"] <= field["most"]
            # on a falling clock, more takes it now; bids over the balance may be void
            if (
                field["most"] is not None
                and getattr(view, "direction", "") != "descending"
                and not getattr(view, "voids", 0)
            ):
                assert rules.check(table.state, 0, seat, round(100 * (field["most"] + field["step"]))) != 0


def test_a_game_without_a_page_has_plain_choices():
    assert {button["text"] for button in ANY["buttons"]} == {"Make no bid"}
    assert ANY["amount"]["most"] is None


def test_a_frame_says_that_the_last_answer_was_refused_and_does_not_count():
    case = CASES["english"]
    table = table_after(case, case.family.game.load_scenario(case.family.game.default_scenario), 1, 0)
    inbox, view = Inbox("Ann"), table.view(0)

    def refuse(answer):
        inbox.not_accepted = "$1 is too low"

    inbox.post(Request("0.bidder_0.0.3", view, "", retries_left=0), refuse)
    inbox.answer(Answer("0.bidder_0.0.3", amount=1.0))
    frame = seat_frame(table.game, inbox, 0.0, "playing")
    assert (
        frame["not_accepted"] == "Your answer was not accepted: $1 is too low. It was your last one: you make no bid."
    )
    assert frame["answered"] is None
    inbox.post(Request("0.bidder_0.1.0", view, ""), Mock())
    inbox.answer(Answer("0.bidder_0.1.0", amount=1.0))
    frame = seat_frame(table.game, inbox, 0.0, "playing")
    assert (frame["not_accepted"], frame["answered"]["amount"]) == ("", 1.0)
