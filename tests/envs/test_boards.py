"""Boards as text: values and bids of the same round, winners, headings, and nothing cut off."""

from __future__ import annotations

import numpy as np
import pytest

import aucenv
from aucenv.core.boards.text import to_text
from aucenv.core.play.table import Table
from aucenv.core.words.phrases import listed
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family


def boards(game, scenario, bidders, max_rounds=0, **changes):
    """Yield the view of a game with everything revealed, before each round and at the end."""
    family = find_family(game)
    chosen = family.game.load_scenario(scenario).changed(**changes)
    policies = [make_policy(game, name) for name in bidders]
    table = Table(family.game, chosen, [policy.interface for policy in policies])
    table.reset(0, max_rounds)
    while not table.over:
        yield table.view(0, reveal=True)
        for seat in list(table.pending):
            table.submit(seat, policies[seat].act(table.view(seat), table.observe(seat)))
    yield table.view(0, reveal=True)


def column(board, label):
    """Return the values of a column of the rows, in words."""
    place = [each.label for each in board.columns].index(label)
    return [board.text(row.cells[place], board.columns[place].unit) for row in board.rows]


def test_truthful_bids_equal_the_values_beside_them():
    draw = find_family("sealed_bid").game.board.board
    for number, view in enumerate(boards("sealed_bid", "second-ipv", ["truthful"] * 3, num_rounds=4)):
        shown, values = draw(view), view.row["value"][0, :3] // 100
        if number < 4:
            assert column(shown, "value") == [f"${value}" for value in values[:, number]]
        if number:
            assert column(shown, "last value") == column(shown, "last bid") == [f"${v}" for v in values[:, number - 1]]
            winner = view.row["winner"][0, number - 1]
            assert [row.state.value in ("won", "winner") for row in shown.rows][winner] or number == 4


@pytest.mark.parametrize(
    ("game", "scenario", "bidders"),
    [
        ("english", "standard-20k-random", ["rule", "value", "pace"]),
        ("harbor", "evaluation-mixed", ["rule", "value", "pace"]),
        ("sealed_bid", "first-ipv", ["truthful", "shade", "naive"]),
        ("clock", "descending-ipv", ["truthful", "shade", "naive"]),
    ],
)
def test_the_end_marks_the_bidder_with_the_highest_profit(game, scenario, bidders):
    module = find_family(game).game
    *views, end = boards(game, scenario, bidders)
    profits = end.row["profit"][0, :3]
    best = np.flatnonzero(profits == profits.max())
    assert len(best) == 1
    board = module.board.board(end)
    assert [row.state.value == "winner" for row in board.rows] == [seat in best for seat in range(3)]
    assert f"Highest profit: {end.scenario_text.names[best[0]]}, $" in to_text(board)
    assert "winner" not in to_text(module.board.board(views[-1]))
    assert not any(row.state.value == "in" for row in board.rows)


def test_the_end_of_the_town_marks_the_survivors():
    module = find_family("water_allocation").game
    *_, end = boards("water_allocation", "low", ["salary", "share", "thirst", "saver", "outbid"])
    alive = [resident.alive for resident in end.residents]
    assert 0 < sum(alive) < 5
    board = module.board.board(end)
    assert [row.state.value == "survived" for row in board.rows] == alive
    assert f"Survivors: {listed([r.name for r in end.residents if r.alive])}." in to_text(board)


def test_a_clock_shows_what_each_seat_did_in_which_round():
    draw = find_family("clock").game.board.board
    *_, end = boards("clock", "ascending-ipv", ["truthful"] * 3, num_rounds=2)
    winner, values = int(end.row["winner"][0, 1]), end.row["value"][0, :3, 1] // 100
    done = ["won" if seat == winner else f"left at ${value}" for seat, value in enumerate(values)]
    assert column(draw(end), "last round") == done
    second = list(boards("clock", "ascending-ipv", ["truthful"] * 3, num_rounds=2))[1]
    assert [row.state.value for row in draw(second).rows] == ["in"] * 3
    *_, cut = boards("clock", "ascending-ipv", ["random"] * 3, max_rounds=2)
    text = to_text(draw(cut))
    assert "The game was truncated" in text
    assert "All bidders have the same profit, $0." in text


def test_an_environment_draws_its_table(capsys):
    env = aucenv.english_v0.raw_env(render_mode="rgb_array")
    env.reset(seed=0)
    image = env.render()
    assert image.dtype == np.uint8
    assert image.ndim == 3
    env.render_mode = "human"
    assert env.render() is None
    env.render_mode = "ansi"
    assert capsys.readouterr().out == env.render()
