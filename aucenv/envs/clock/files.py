"""Replay recorded ascending clock auctions under our rules.

A recorded game is an object: id, values ("ipv", "apv", "cv") or instead the name of a scenario, and rounds [{values
(with cv, the signals), common (with cv, the prize's value), bids (each bidder's leaving price, null = never left)}] in
order. Optional in a round are winner (the bidder's number), price and profits. The bidder with the highest leaving
price wins and pays the second-highest leaving price. If the highest leaving prices tie, the tie is broken in favor of
the recorded winner. The leaving price of the winner may be the price that it paid, or the price up to which it would
have stayed. Leaving prices are rounded to whole cents.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from aucenv.core.checks import field, one_of
from aucenv.core.files import JsonMapping
from aucenv.core.play.table import Table
from aucenv.core.records.replay_result import BidRounding, ReplayResult
from aucenv.core.words.money import to_cents, to_dollars
from aucenv.core.words.names import MAX_ID, checked_name, scenario_name
from aucenv.envs.clock.game import GAME, SCENARIOS, ClockScenario
from aucenv.envs.clock.record_format import OUTCOME
from aucenv.envs.single_item import files
from aucenv.envs.single_item.files import (
    RECORDED,
    first_difference,
    named_scenario,
    read_bids,
    read_result,
    read_values,
    to_recorded_rounds,
    write_values,
)
from aucenv.envs.single_item.values import MODELS

__all__ = ["read_logs", "replay_game"]

read_logs = functools.partial(files.read_logs, game="clock")


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded game under our rules.

    Raises:
        ValueError: the record is malformed; the message names `where` and the field.
    """
    RECORDED.check(data, where)
    try:
        if data.get("id") is None:
            raise ValueError("expected the field 'id'")
        one_of("pricing", data.get("pricing", "clock"), ("clock",))
        named = named_scenario(data, SCENARIOS)
        model = named.values if named else one_of("values", field(data, "values", str), MODELS)
        rounds = field(data, "rounds", list)
        values = read_values(rounds, model)
        seats = len(values[0].values)
        rounding = BidRounding()
        bids = [read_bids(played, j, seats, rounding) for j, played in enumerate(rounds)]
        results = [read_result(played, f"rounds[{j}]", seats) for j, played in enumerate(rounds)]
        name = named.name if named else scenario_name(checked_name("id", str(data["id"]), MAX_ID))
        scenario = _scenario(name, model, bids)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * seats, illegal="raise")
    table.reset(0)
    write_values(table, values)
    for leaving_prices, result in zip(bids, results, strict=True):
        if result.get("winner") is not None:
            table.force_tie(result["winner"])
        end = scenario.highest_price  # the leaving price of bidders that never left
        table.submit_all({seat: end if price < 0 else price or -1 for seat, price in enumerate(leaving_prices)})
    ours = to_recorded_rounds(OUTCOME.data(table.view(0, reveal=True))["prizes"])
    compared = any(results)
    difference = first_difference(ours, results, rounding) if compared else None
    return ReplayResult(data["id"], {"rounds": ours}, difference, compared, table, tuple(rounding.notes))


def _scenario(name: str, model: str, bids: Sequence[Sequence[float]]) -> ClockScenario:
    """Return the scenario of a clock that ends above all leaving prices; its tick is $1, or $0.01 if any has cents."""
    prices = [to_cents(price) for leaving_prices in bids for price in leaving_prices if price > 0]
    tick = 100 if all(price % 100 == 0 for price in prices) else 1
    highest = to_dollars((max(prices, default=0) // tick + 1) * tick)
    return ClockScenario(
        name, model, len(bids[0]), len(bids), value_step=0.01, signal_error=0, highest_price=highest, tick=tick / 100
    )
