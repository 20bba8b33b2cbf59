"""Pairs of a better and a worse reply, from games of language models that the simulator judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from aucenv.training.rlact.judges.simulator import Simulator, standard_error
from aucenv.training.rlact.states.decision_points import Decisions
from aucenv.training.rlact.states.messages import BID, plain_reply
from aucenv.training.rlact.states.states import bounds

from aucenv.analysis.export.finetuning import Move, accepted, moves, pair
from aucenv.core.files import JsonObject
from aucenv.core.play.table import Table
from aucenv.core.records.record import GameRecord
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import to_cents
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.records import retrace


def judged_pairs(
    records: Sequence[GameRecord], calls: Sequence[Call], simulator: Simulator, models: Collection[str] = ()
) -> Iterator[JsonObject]:
    """Yield pairs of a model's reply and the opposite decision in plain words, the better one first.

    The opposite of a bid is to withdraw, and the opposite of withdrawing is the least legal bid. A pair whose values
    differ by at most two standard errors is left out. The field `lead` is the difference of their values in dollars.

    Args:
        records: games of english or harbor.
        calls: the calls of all games.
        simulator: the judge.
        models: see `finetuning.left_out`.

    Raises:
        ValueError: A game has no simulator judge, or a record differs from the rules.
    """
    for record, of_game in moves(records, calls, models):
        simulator.check(record.game)
        by_decision = {id(move[0]): move for move in of_game}
        for table, decision in retrace(record):
            move = None if decision is None else by_decision.get(id(decision))
            if move is not None and accepted(move) is not None:
                yield from _pair(table, record, move, simulator)


def _pair(table: Table, record: GameRecord, move: Move, simulator: Simulator) -> Iterator[JsonObject]:
    decision, call = move[0], accepted(move)
    assert call is not None
    view: Any = table.view(table.scenario_text.seats.index(decision["seat"]))
    own = WITHDRAW if decision["amount"] is None else to_cents(decision["amount"])
    least, most, _ = bounds(view.row, view.seat_number)
    other = least if own == WITHDRAW else WITHDRAW
    if other > most:
        return
    decisions = Decisions(
        record.game,
        view.row,
        np.array([view.seat_number]),
        [view.scenario_text],
        [view._history],
        [[player["bidder"] for player in record.seats]],
    )
    keys = simulator.keys(record.index * 100_003 + call[0].decision)[None]
    profits, _ = simulator.roll_out(decisions, np.array([[own, other]]), keys)
    leads = (profits[0, 0] - profits[0, 1]) / 100
    if abs(leads.mean()) <= 2 * standard_error(leads):
        return
    replies = call[0].reply, plain_reply(other, BID)
    chosen, rejected = replies if leads.mean() > 0 else replies[::-1]
    yield {**pair(call, chosen, rejected), "lead": round(abs(float(leads.mean())), 2)}
