"""Housing auctions at a table, for tests by hand."""

from __future__ import annotations

from aucenv.core.table import Table
from aucenv.envs.harbor.env import GAME
from aucenv.envs.harbor.houses import standing_houses
from aucenv.envs.harbor.personas import PERSONAS
from aucenv.envs.harbor.scenario import Bidder, Scenario


def house_table(personas: list[str], houses: list[str], seed: int = 0, **changes) -> Table:
    """One evaluation house for each of these personas, the next one where a persona repeats, sold in this order."""
    pool = {name: [x for x in standing_houses("evaluation") if x.persona == name] for name in PERSONAS}
    listings = tuple(pool[name].pop(0) for name in houses)
    bidders = tuple(
        Bidder(f"b{seat}", personas=tuple(who.split("+")) if who else ()) for seat, who in enumerate(personas)
    )
    scenario = Scenario("test", bidders, listings, len(listings), 0, "given", **changes)
    table = Table(GAME, scenario, ["amount"] * len(bidders))
    table.reset(seed)
    return table


def answer(table: Table, *bids: float | None) -> None:
    """The bids of the seats that are asked, in seat order; None = withdraw."""
    for seat, bid in zip(table.pending, bids, strict=True):
        assert table.submit(seat, -1 if bid is None else bid) is None
