"""HARBOR's first study: which houses each seat wants, if three match each rival and none matches the Master."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from aucenv.benchmarks.reproduce.cells import Table, bidders_of, group_by
from aucenv.benchmarks.reproduce.harbor.roles import (
    GAMES,
    ROLES,
    condition,
    condition_of,
    houses_for,
    number_matches,
    rotations,
)

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.figures import seat_figures
from aucenv.envs.harbor.scenario import Scenario
from aucenv.runs.play import Match

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "SIZE", "draw", "matches", "more_tables", "rows"]

NAME = "harbor/1"
ABOUT = "HARBOR 1: mean priorities of items A to J. E to G match rival 1, H to J match rival 2, none match the Master."
BIDDERS = ("persona",)
SIZE = (9.0, 4.2)
ITEMS = "ABCDEFGHIJ"
EACH = 3
"""The number of houses that match each rival; they are sold last, those of rival 1 before those of rival 2.

Published result: the Master ranks items by their place in the auction, and rivals give priority 3 to their matches.
"""

HEAD = {"bidder": ("bidder", "{}"), "role": ("seat", "{}"), "games": ("games", "{}")}
COLUMNS = {**HEAD, **{f"priority_{item}": (item, "{:.1f}") for item in ITEMS}}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games with ten houses in a given order, in which the Master has no persona."""
    return number_matches(
        (_in_order(ids, deal), [bidder] * len(ROLES), deal)
        for bidder in bidders
        for deal, ids in rotations(games, 2, seed)
    )


def _in_order(ids: Sequence[str], deal: tuple[int, int]) -> Scenario:
    by_persona = houses_for(ids, deal, EACH, len(ITEMS))
    houses = [listing for name in ("", *ids) for listing in by_persona[name]]
    entries = ("none", *ids)
    return condition(f"{NAME}: in order", entries, houses=tuple(houses), item_order="given", matches=None)


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each bidder and role: mean priorities by item, if the bidder notes any, and mean bids."""
    table = []
    matching = [record for record in records if condition_of(NAME)(record) is not None]
    for bidder, played in group_by(matching, bidders_of).items():
        figures = [seat_figures(record) for record in played]
        for seat, role in enumerate(ROLES):
            noted = [game[seat].priorities for game in figures if game[seat].priorities]
            priorities = np.nanmean(np.array(noted, float), axis=0).round(6).tolist() if noted else [None] * len(ITEMS)
            bids = np.mean([game[seat].engagement for game in figures], axis=0).round(6).tolist()
            row: JsonObject = {"bidder": bidder, "role": role, "games": len(played)}
            row |= {f"priority_{item}": value for item, value in zip(ITEMS, priorities, strict=True)}
            row |= {f"bids_{item}": value for item, value in zip(ITEMS, bids, strict=True)}
            table.append(row)
    return table


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the table of mean bids by item."""
    lines = [
        [row["bidder"], row["role"], str(row["games"]), *(f"{row[f'bids_{item}']:.2f}" for item in ITEMS)]
        for row in rows
    ]
    return [("Mean bids for each item", [*(heading for heading, _ in HEAD.values()), *ITEMS], lines)]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw a heatmap of priorities and bars of bids by item, for each bidder."""
    bidders = list(dict.fromkeys(row["bidder"] for row in rows))
    for number, (heat, bars) in enumerate(figure.subplots(len(bidders), 2, squeeze=False)):
        by_role = [row for row in rows if row["bidder"] == bidders[number]]
        priorities = [[row[f"priority_{item}"] or np.nan for item in ITEMS] for row in by_role]
        image = heat.imshow(priorities, vmin=1, vmax=3, aspect="auto", cmap="viridis")
        figure.colorbar(image, ax=heat, label="mean priority (1 to 3)")
        heat.set_yticks(range(len(by_role)), [row["role"] for row in by_role])
        heat.set_xticks(range(len(ITEMS)), ITEMS)
        heat.set_title(bidders[number])
        for seat, row in enumerate(by_role):
            places = np.arange(len(ITEMS)) + 0.27 * (seat - 1)
            bars.bar(places, [row[f"bids_{item}"] for item in ITEMS], 0.27, label=row["role"])
        bars.set_xticks(range(len(ITEMS)), ITEMS)
        bars.set_ylabel("mean number of bids")
        for axes in (heat, bars):
            axes.set_xlabel("house, in the order of sale")
    legend_above(figure)
