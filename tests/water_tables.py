"""Droughts at a table, for tests by hand."""

from __future__ import annotations

from aucenv.core.table import Table
from aucenv.envs.water_allocation.env import GAME
from aucenv.envs.water_allocation.scenario import Resident, Scenario


def drought(residents, supplies, **fields) -> Scenario:
    """Residents (need, salary) of a game with these supplies."""
    who = tuple(Resident(f"r{seat}", *each) for seat, each in enumerate(residents))
    ends = (min(supplies), max(supplies))
    return Scenario("test", who, len(supplies), ends, tuple(supplies), **fields)


def table_of(scenario: Scenario, seed: int = 0, **kwargs) -> Table:
    table = Table(GAME, scenario, ["amount"] * len(scenario.residents), **kwargs)
    table.reset(seed)
    return table


def bid(table: Table, *bids: float | None) -> list[str]:
    """Submit the bids of all who live, and return who got water, in order."""
    for seat, dollars in zip(table.pending, bids, strict=True):
        assert table.submit(seat, -1 if dollars is None else dollars) is None
    return [name[-1] for name in table.view(0).history[-1].winners]
