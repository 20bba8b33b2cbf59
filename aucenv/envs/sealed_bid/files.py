"""Replay recorded sealed-bid auctions under our rules.

A recorded game is an object: id, pricing, values ("ipv", "apv", "cv"), or instead of these two the name of a scenario,
and rounds [{values (with cv, the signals), common (with cv, the prize's value), bids (null = abstained)}] in order.
Values and bids are listed by bidder. Optional in a round are winner (the bidder's number), price and profits. There is
no bid cap. If the highest bids of a round tie, the tie is broken in favor of the recorded winner. Bids are rounded to
whole cents.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from aucenv.core.checks import field, one_of
from aucenv.core.files import JsonMapping
from aucenv.core.records.replay_result import ReplayResult
from aucenv.envs.sealed_bid.game import GAME, SCENARIOS, SealedBidScenario
from aucenv.envs.sealed_bid.rules import PRICINGS
from aucenv.envs.single_item import files

__all__ = ["read_logs", "replay_game"]

read_logs = functools.partial(files.read_logs, game="sealed_bid")


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded game: `single_item.files.replay_rounds`."""
    return files.replay_rounds(data, where, GAME, SCENARIOS, _scenario)


def _scenario(data: JsonMapping, name: str, model: str, bids: Sequence[Sequence[float]]) -> SealedBidScenario:
    """Return a scenario without a bid cap."""
    named = files.named_scenario(data, SCENARIOS)
    pricing = named.pricing if named else one_of("pricing", field(data, "pricing", str), PRICINGS)
    return SealedBidScenario(name, model, len(bids[0]), len(bids), pricing=pricing, bid_cap=None,
                            bid_step=0.01, value_step=0.01, signal_error=0)  # fmt: skip
