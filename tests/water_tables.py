"""Tables of the water allocation challenge for tests with results computed by hand."""

from __future__ import annotations

from aucenv.core.play.table import Table
from aucenv.envs.water_allocation.game import GAME, Resident, WaterScenario


def drought(residents, supplies, **fields) -> WaterScenario:
    """Return a scenario.

    Args:
        residents: (need, salary) of each resident.
        supplies: the supply of each day.
        fields: other fields of the scenario.
    """
    built = tuple(Resident(f"r{seat}", *resident) for seat, resident in enumerate(residents))
    limits = (min(supplies), max(supplies))
    return WaterScenario("test", built, len(supplies), limits, tuple(supplies), **fields)


def table_of(scenario: WaterScenario, seed: int = 0, **kwargs) -> Table:
    """Return a table with a new game, on which all seats submit amounts."""
    table = Table(GAME, scenario, ["amount"] * len(scenario.residents), **kwargs)
    table.reset(seed)
    return table


def bid(table: Table, *bids: float | None) -> list[str]:
    """Submit the bids of the living residents in dollars (None = no bid), and return the winners in order."""
    for seat, dollars in zip(table.pending, bids, strict=True):
        assert table.submit(seat, -1 if dollars is None else dollars) is None
    return [name[-1] for name in table.view(0).history[-1].winners]
