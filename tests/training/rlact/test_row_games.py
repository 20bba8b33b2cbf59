"""Whole games of policies that decide in many games at once equal those that `play` plays."""

from __future__ import annotations

import numpy as np
import pytest
from aucenv.training.rlact.evaluation import DEALS_SEED, validation_deals
from aucenv.training.rlact.judges.row_games import RuleRows, SeatGame, profits_of, seat_profits, surplus
from aucenv.training.rlact.policy import RowRLActBidder

import aucenv
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family


def games_of(game, deals):
    """Return games of three bidders, of which there are fewest kernels to compile."""
    return [
        SeatGame(scenario, tuple(rivals), seat, (DEALS_SEED, number))
        for number, (scenario, rivals) in enumerate(validation_deals(game, deals))
        if len(rivals) == 2
        for seat in range(3)
    ]


def played(game, games, bidder):
    records = [aucenv.play(game, each.scenario, each.lineup(bidder), each.seed) for each in games]
    profits = [record.outcome["seats"][each.seat]["profit"] for record, each in zip(records, games, strict=True)]
    return records, [round(100 * profit) for profit in profits]


@pytest.mark.parametrize(
    ("game", "name"), [("harbor", "expact"), ("harbor", "random"), ("english", "pace"), ("english", "item,number=2")]
)
def test_a_rule_bidder_has_the_profits_of_play(game, name):
    games = games_of(game, 4)
    records, profits = played(game, games, name)
    assert seat_profits(RuleRows(game, name), game, games).tolist() == profits
    figures = find_family(game).game.figures
    for record, each in zip(records, games, strict=True):
        seat = figures.seat_figures(record)[each.seat]
        assert seat.profit == pytest.approx(seat.profit_ratio * surplus(game, each) / 100, abs=0.01)


def test_the_shipped_model_has_the_profits_of_play():
    bidder = make_policy("harbor", "rlact")
    assert isinstance(bidder, RowRLActBidder)
    games = games_of("harbor", 2)
    assert profits_of(bidder, "harbor", games).tolist() == played("harbor", games, "rlact")[1]


def test_rivals_can_be_bidders_that_no_compiled_code_plays():
    [first, *_] = games_of("english", 1)
    game = SeatGame(first.scenario, ("rlact", *first.rivals[1:]), first.seat, first.seed)
    expected = played("english", [game], "pace")[1]
    assert profits_of(make_policy("english", "pace"), "english", [game]).tolist() == expected


def test_replies_of_many_decisions_equal_single_ones():
    bidder = make_policy("harbor", "rlact")
    rows, seats, single = [], [], []
    for scenario, _ in validation_deals("harbor", 12):
        if len(scenario.bidders) == 3:
            table = aucenv.core.play.table.Table(find_family("harbor").game, scenario, ["text"] * 3)
            table.reset(len(rows))
            seat = table.pending[0]
            bidder.reset(table.scenario_text.seats[seat], 0)
            single.append(bidder.act(table.view(seat), {}))
            rows.append(table.state.copy())
            seats.append(seat)
    sizes = [row.dtype for row in rows]
    chosen = [i for i, size in enumerate(sizes) if size == sizes[0]]
    amounts = bidder.act_rows(
        np.concatenate([rows[i] for i in chosen]), np.arange(len(chosen)), np.array([seats[i] for i in chosen])
    )
    write = find_family("harbor").game.words.reply_writer(None)
    assert [write(int(amount)) for amount in amounts] == [single[i] for i in chosen]
