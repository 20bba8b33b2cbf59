"""Tables of housing auctions for tests with hand-written bids."""

from __future__ import annotations

from aucenv.core.play.table import Table
from aucenv.envs.harbor.game import GAME, HarborBidder, HarborScenario
from aucenv.envs.harbor.houses.house import fixed_houses
from aucenv.envs.harbor.houses.personas import PERSONAS


def house_table(personas: list[str], houses: list[str], seed: int = 0, **changes) -> Table:
    """Return a table that sells an evaluation house for each persona in `houses`, in this order.

    If a persona occurs again, the next of its houses is sold.

    Args:
        personas: for each seat a persona, two joined by a plus, or "" for none.
        houses: the persona that each house matches.
    """
    pool = {name: [x for x in fixed_houses("evaluation") if x.persona == name] for name in PERSONAS}
    listings = tuple(pool[name].pop(0) for name in houses)
    bidders = tuple(
        HarborBidder(f"b{seat}", personas=tuple(entry.split("+")) if entry else ())
        for seat, entry in enumerate(personas)
    )
    scenario = HarborScenario("test", bidders, listings, len(listings), 0, "given", **changes)
    table = Table(GAME, scenario, ["amount"] * len(bidders))
    table.reset(seed)
    return table


def submit_bids(table: Table, *bids: float | None) -> None:
    """Submit the bids of the pending seats, in seat order; None = withdraw."""
    for seat, bid in zip(table.pending, bids, strict=True):
        assert table.submit(seat, -1 if bid is None else bid) is None
