"""Recorded ascending clock auctions, fed to our rules.

A recorded game is an object: id, values ("ipv", "apv", "cv"), rounds [{values (in cv, the signals), common (cv: what
the prize is worth), bids: each bidder's leaving price, null = never left}] in order, and optionally in a round winner
(the bidder's number), price and profits. The highest leaver wins and pays the second-highest leaving price; where the
highest tie, a recorded winner among them is taken as the draw. The winner's own number may be the price, or what it
would have stayed to.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.checks import field, one_of
from aucenv.core.files import JsonMapping
from aucenv.core.money import to_cents, to_dollars
from aucenv.core.replay_result import ReplayResult
from aucenv.core.table import Table
from aucenv.envs.clock.env import GAME
from aucenv.envs.clock.report import outcome
from aucenv.envs.clock.scenario import Scenario
from aucenv.envs.single_item.replay_format import (
    first_difference,
    read_bids,
    read_result,
    read_worths,
    rounds_of,
    write_worths,
)
from aucenv.envs.single_item.values import MODELS


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Feed one recorded game to our rules.

    Raises:
        ValueError: the record is malformed; names `where` and the field.
    """
    try:
        if data.get("id") is None:
            raise ValueError("expected the field 'id'")
        one_of("pricing", data.get("pricing", "clock"), ("clock",))
        model = one_of("values", field(data, "values", str), MODELS)
        rounds = field(data, "rounds", list)
        worths = read_worths(rounds, model)
        seats = len(worths[0].values)
        bids = [read_bids(played, f"rounds[{j}]", seats) for j, played in enumerate(rounds)]
        results = [read_result(played, f"rounds[{j}]", seats) for j, played in enumerate(rounds)]
        scenario = _scenario(str(data["id"]), model, bids)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * seats, illegal="raise")
    table.reset(0)
    write_worths(table, worths)
    for made, result in zip(bids, results, strict=True):
        if result.get("winner") is not None:
            table.force_tie(result["winner"])
        beyond = scenario.highest_price  # of who never left
        table.submit_all({seat: beyond if price < 0 else price or -1 for seat, price in enumerate(made)})
    ours = rounds_of(outcome(table.view(0, reveal=True))["prizes"])
    compared = any(results)
    difference = first_difference(ours, results) if compared else None
    return ReplayResult(data["id"], {"rounds": ours}, difference, compared, table)


def _scenario(name: str, model: str, bids: Sequence[Sequence[float]]) -> Scenario:
    """A clock that runs beyond every leaving price, by dollars or, where some are not whole, by cents."""
    prices = [to_cents(price) for made in bids for price in made if price > 0]
    tick = 100 if all(price % 100 == 0 for price in prices) else 1
    highest = to_dollars((max(prices, default=0) // tick + 1) * tick)
    return Scenario(
        name, model, len(bids[0]), len(bids), value_step=0.01, signal_error=0, highest_price=highest, tick=tick / 100
    )
