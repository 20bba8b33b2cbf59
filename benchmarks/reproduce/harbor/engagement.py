"""HARBOR's first study: which houses draw whom, where three match each rival and none the Master."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from aucenv.benchmarks.reproduce.cells import Drawing, Table, grouped, lineup_of
from aucenv.benchmarks.reproduce.harbor.roles import (
    GAMES,
    ROLES,
    condition,
    condition_of,
    houses_for,
    numbered,
    rotations,
)

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.figures import seat_figures
from aucenv.envs.harbor.scenario import Scenario
from aucenv.runs.play import Match

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "SIZE", "draw", "matches", "more_tables", "rows"]

NAME = "harbor/1"
ABOUT = "HARBOR 1: mean priorities of items A to J; E to G match rival 1, H to J rival 2, none the Master."
BIDDERS = ("persona",)
SIZE = (9.0, 4.2)
ITEMS = "ABCDEFGHIJ"
EACH = 3
"""Houses that match each rival; they come last. As published, in order: the Master ranks items by their place in the
auction, rivals give 3 to their matches."""

HEAD = {"bidder": ("bidder", "{}"), "role": ("seat", "{}"), "games": ("games", "{}")}
COLUMNS = {**HEAD, **{f"priority_{item}": (item, "{:.1f}") for item in ITEMS}}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Ten houses in a given order; the Master has no persona."""
    return numbered(
        (_in_order(ids, deal), [bidder] * len(ROLES), deal)
        for bidder in bidders
        for deal, ids in rotations(games, 2, seed)
    )


def _in_order(ids: Sequence[str], deal: tuple[int, int]) -> Scenario:
    found = houses_for(ids, deal, EACH, len(ITEMS))
    houses = [listing for name in ("", *ids) for listing in found[name]]
    entries = ("none", *ids)
    return condition(f"{NAME}: in order", entries, houses=tuple(houses), item_order="given", matches=None)


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each bidder and role: mean priorities, where it notes any, and mean bids, by item."""
    table = []
    ours = [record for record in records if condition_of(NAME)(record) is not None]
    for bidder, played in grouped(ours, lineup_of).items():
        figures = [seat_figures(record) for record in played]
        for seat, role in enumerate(ROLES):
            noted = [of[seat].priorities for of in figures if of[seat].priorities]
            priorities = np.nanmean(np.array(noted, float), axis=0).round(6).tolist() if noted else [None] * len(ITEMS)
            bids = np.mean([of[seat].engagement for of in figures], axis=0).round(6).tolist()
            row: JsonObject = {"bidder": bidder, "role": role, "games": len(played)}
            row |= {f"priority_{item}": value for item, value in zip(ITEMS, priorities, strict=True)}
            row |= {f"bids_{item}": value for item, value in zip(ITEMS, bids, strict=True)}
            table.append(row)
    return table


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Mean bids by item."""
    lines = [
        [row["bidder"], row["role"], str(row["games"]), *(f"{row[f'bids_{item}']:.2f}" for item in ITEMS)]
        for row in rows
    ]
    return [("Mean bids for each item", [*(heading for heading, _ in HEAD.values()), *ITEMS], lines)]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """For each bidder a heatmap of priorities, and bars of bids by item."""
    bidders = list(dict.fromkeys(row["bidder"] for row in rows))
    for number, (heat, bars) in enumerate(figure.subplots(len(bidders), 2, squeeze=False)):
        mine = [row for row in rows if row["bidder"] == bidders[number]]
        shown = [[row[f"priority_{item}"] or np.nan for item in ITEMS] for row in mine]
        image = heat.imshow(shown, vmin=1, vmax=3, aspect="auto", cmap="viridis")
        figure.colorbar(image, ax=heat, label="priority")
        heat.set_yticks(range(len(mine)), [row["role"] for row in mine])
        heat.set_xticks(range(len(ITEMS)), ITEMS)
        heat.set_title(bidders[number], fontsize=9)
        for seat, row in enumerate(mine):
            places = np.arange(len(ITEMS)) + 0.27 * (seat - 1)
            bars.bar(places, [row[f"bids_{item}"] for item in ITEMS], 0.27, label=row["role"])
        bars.set_xticks(range(len(ITEMS)), ITEMS)
        bars.set_ylabel("bids")
        bars.legend(frameon=False, fontsize=7)
