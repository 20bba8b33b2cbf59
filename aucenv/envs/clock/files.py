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

from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping
from aucenv.core.records.replay_result import ReplayResult
from aucenv.core.words.money import to_cents, to_dollars
from aucenv.envs.clock.game import GAME, SCENARIOS, ClockScenario
from aucenv.envs.single_item import files

__all__ = ["read_logs", "replay_game"]

read_logs = functools.partial(files.read_logs, game="clock")


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded game: `single_item.files.replay_rounds`."""
    return files.replay_rounds(data, where, GAME, SCENARIOS, _scenario, _actions)


def _scenario(data: JsonMapping, name: str, model: str, bids: Sequence[Sequence[float]]) -> ClockScenario:
    """Return the scenario of a clock that ends above all leaving prices; its tick is $1, or $0.01 if any has cents."""
    one_of("pricing", data.get("pricing", "clock"), ("clock",))
    prices = [to_cents(price) for leaving_prices in bids for price in leaving_prices if price > 0]
    tick = 100 if all(price % 100 == 0 for price in prices) else 1
    highest = to_dollars((max(prices, default=0) // tick + 1) * tick)
    return ClockScenario(
        name, model, len(bids[0]), len(bids), value_step=0.01, signal_error=0, highest_price=highest, tick=tick / 100
    )


def _actions(scenario: ClockScenario, leaving_prices: Sequence[float]) -> list[float]:
    """Return leaving prices; that of a bidder that never leaves is the end of the clock."""
    return [scenario.highest_price if price < 0 else price or -1 for price in leaving_prices]
