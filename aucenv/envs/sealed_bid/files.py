"""Replay recorded sealed-bid auctions under our rules.

A recorded game is an object: id, pricing, values ("ipv", "apv", "cv"), or instead of these two the name of a scenario,
and rounds [{values (with cv, the signals),
common (with cv, the prize's value), bids (null = abstained)}] in order. Values and bids are listed by bidder. Optional
in a round are winner (the bidder's number), price and profits. There is no bid cap. If the highest bids of a round tie,
the tie is broken in favor of the recorded winner. Bids are rounded to whole cents.
"""

from __future__ import annotations

import functools

from aucenv.core.checks import field, one_of
from aucenv.core.files import JsonMapping
from aucenv.core.play.table import Table
from aucenv.core.records.replay_result import BidRounding, ReplayResult
from aucenv.core.words.names import MAX_ID, checked_name, scenario_name
from aucenv.envs.sealed_bid.game import GAME, SCENARIOS, SealedBidScenario
from aucenv.envs.sealed_bid.record_format import OUTCOME
from aucenv.envs.sealed_bid.rules import PRICINGS
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

read_logs = functools.partial(files.read_logs, game="sealed_bid")


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded game under our rules.

    Raises:
        ValueError: the record is malformed; the message names `where` and the field.
    """
    RECORDED.check(data, where)
    try:
        if data.get("id") is None:
            raise ValueError("expected the field 'id'")
        named = named_scenario(data, SCENARIOS)
        pricing = named.pricing if named else one_of("pricing", field(data, "pricing", str), PRICINGS)
        model = named.values if named else one_of("values", field(data, "values", str), MODELS)
        rounds = field(data, "rounds", list)
        values = read_values(rounds, model)
        rounding = BidRounding()
        bids = [read_bids(played, j, len(values[j].values), rounding) for j, played in enumerate(rounds)]
        results = [read_result(played, f"rounds[{j}]", len(values[j].values)) for j, played in enumerate(rounds)]
        name = named.name if named else scenario_name(checked_name("id", str(data["id"]), MAX_ID))
        scenario = SealedBidScenario(name, model, len(values[0].values), len(rounds), pricing=pricing, bid_cap=None,
                            bid_step=0.01, value_step=0.01, signal_error=0)  # fmt: skip
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * scenario.num_bidders, illegal="raise")
    table.reset(0)
    write_values(table, values)
    for round_bids, result in zip(bids, results, strict=True):
        if result.get("winner") is not None:
            table.force_tie(result["winner"])
        table.submit_all(dict(enumerate(round_bids)))
    ours = to_recorded_rounds(OUTCOME.data(table.view(0, reveal=True))["prizes"])
    compared = any(results)
    difference = first_difference(ours, results, rounding) if compared else None
    return ReplayResult(data["id"], {"rounds": ours}, difference, compared, table, tuple(rounding.notes))
