"""Tables of sealed-bid and clock auctions with given prizes, for tests with results computed by hand."""

from __future__ import annotations

from typing import Any

import aucenv
from aucenv.core.play.table import Table
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.single_item.files import RecordedValues, write_values


def table_of(scenario: Any, *rounds: tuple, interface: str | list[str] = "amount", seed: int = 0) -> Table:
    """Return a new table, with the prizes of `rounds` if given: each the values by seat, or (signals, common value)."""
    family = aucenv.clock_v0 if isinstance(scenario, ClockScenario) else aucenv.sealed_bid_v0
    interfaces = [interface] * scenario.num_bidders if isinstance(interface, str) else interface
    table = Table(family.game, scenario, interfaces, num_actions=2)
    table.reset(seed)
    if rounds:
        prizes = [prize if isinstance(prize[0], tuple) else (prize, 0) for prize in rounds]
        write_values(table, [RecordedValues(*prize) for prize in prizes])
    return table


def sealed(*rounds: tuple, interface: str = "amount", seed: int = 0, **fields: Any) -> Table:
    return table_of(
        SealedBidScenario("test", num_rounds=len(rounds), **fields), *rounds, interface=interface, seed=seed
    )


def clock(*rounds: tuple, interface: str | list[str] = "vector", seed: int = 0, **fields: Any) -> Table:
    scenario = ClockScenario("test", num_rounds=len(rounds), **{"highest_price": 20, **fields})
    return table_of(scenario, *rounds, interface=interface, seed=seed)
