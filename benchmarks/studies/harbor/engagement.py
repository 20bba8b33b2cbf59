"""HARBOR's first study: which houses each seat wants, if three match each rival and none matches the Master.

As in the paper's figure 3, heatmaps show the priorities of each seat by house and by bidding round: the row of a round
has the priorities that hold when its house is opened, among them those of houses that were already sold.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from aucenv.benchmarks.studies.cells import Table, bidders_of, distinct, group_by
from aucenv.benchmarks.studies.harbor.roles import (
    GAMES,
    ROLES,
    condition,
    houses_for,
    number_matches,
    rotations,
    study_records,
)
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.notes import noted_plans
from aucenv.envs.harbor.figures import seat_figures
from aucenv.envs.harbor.game import HarborScenario
from aucenv.runs.play import Match

NAME = "harbor/1"
SIZE = (10.0, 6.4)
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


def _in_order(ids: Sequence[str], deal: tuple[int, int]) -> HarborScenario:
    by_persona = houses_for(ids, deal, EACH, len(ITEMS))
    houses = [listing for name in ("", *ids) for listing in by_persona[name]]
    entries = ("none", *ids)
    return condition(f"{NAME}: in order", entries, houses=tuple(houses), item_order="given", matches=None)


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each bidder and role: mean priorities by item, if the bidder notes any, and mean bids.

    `priority_A` to `priority_J` are those of the last plan, and `by_round` those that hold in each round.
    """
    table = []
    for bidder, played in group_by(study_records(records, NAME), bidders_of).items():
        figures = [seat_figures(record) for record in played]
        for seat, role in enumerate(ROLES):
            last = _mean([game[seat].priorities for game in figures if game[seat].priorities])
            bids = np.mean([game[seat].engagement for game in figures], axis=0).round(6).tolist()
            row: JsonObject = {"bidder": bidder, "role": role, "games": len(played)}
            row |= {f"priority_{item}": value for item, value in zip(ITEMS, last, strict=True)}
            row |= {f"bids_{item}": value for item, value in zip(ITEMS, bids, strict=True)}
            by_game = [priorities_by_round(record, record.seats[seat]["seat"]) for record in played]
            row["by_round"] = [_mean([game[number] for game in by_game]) for number in range(len(ITEMS))]
            table.append(row)
    return table


def priorities_by_round(record: GameRecord, seat: str) -> list[list[float | None]]:
    """Return the priorities of a seat that hold when each item is opened.

    Returns:
        For each round a priority for each item, also for items that were sold before; None where the plan has none.
    """
    plans = list(noted_plans(record, seat))
    number = len(record.deal["items"])
    none: list[int | None] = [None] * number
    return [
        list(next((plan for closed, plan in reversed(plans) if closed <= current), none)) for current in range(number)
    ]


def _mean(priorities: Sequence[Sequence[float | None]]) -> list[float | None]:
    """Return the mean priority of each item over games; None if no game has one."""
    if not priorities:
        return [None] * len(ITEMS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numpy's, on items that have a priority in no game
        means = np.nanmean(np.array(priorities, float), axis=0)
    return [None if np.isnan(mean) else round(float(mean), 6) for mean in means]


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the tables of mean priorities by bidding round, and of mean bids by item."""
    headings = [heading for heading, _ in HEAD.values()]
    rounds = [
        [row["bidder"], row["role"], str(number), *("-" if x is None else f"{x:.1f}" for x in priorities)]
        for row in rows
        for number, priorities in enumerate(row["by_round"], start=1)
        if any(x is not None for x in priorities)
    ]
    lines = [
        [row["bidder"], row["role"], str(row["games"]), *(f"{row[f'bids_{item}']:.2f}" for item in ITEMS)]
        for row in rows
    ]
    tables: list[Table] = [("Mean bids for each item", [*headings, *ITEMS], lines)]
    if rounds:
        title = "Mean priorities in each bidding round, also of houses that were already sold"
        tables.insert(0, (title, ["bidder", "seat", "round", *ITEMS], rounds))
    return tables


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw for each bidder a heatmap for each seat, of priorities by round and house, and bars of bids by house."""
    bidders = distinct(rows, "bidder")
    figure.set_size_inches(SIZE[0], SIZE[1] * len(bidders))
    for part, bidder in zip(figure.subfigures(len(bidders), squeeze=False).ravel(), bidders, strict=True):
        part.suptitle(bidder)
        panels = part.subplot_mosaic([[*ROLES], ["bids"] * len(ROLES)], height_ratios=[3, 2])
        by_role = [row for row in rows if row["bidder"] == bidder]
        for row in by_role:
            image = _draw_heatmap(panels[row["role"]], row)
        part.colorbar(image, ax=[panels[role] for role in ROLES], label="mean priority (1 to 3)", ticks=[1, 2, 3])
        panels[ROLES[0]].set_ylabel("bidding round")
        for seat, row in enumerate(by_role):
            places = np.arange(len(ITEMS)) + 0.27 * (seat - 1)
            panels["bids"].bar(places, [row[f"bids_{item}"] for item in ITEMS], 0.27, label=row["role"])
        panels["bids"].set_xticks(range(len(ITEMS)), ITEMS)
        panels["bids"].set_xlabel("house, in the order of sale")
        panels["bids"].set_ylabel("mean number of bids")
        panels["bids"].legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _draw_heatmap(axes: Drawing, row: JsonObject) -> Drawing:
    """Draw the priorities of a seat; cells without a priority stay empty, and a line divides sold from open houses."""
    priorities = np.array([[np.nan if x is None else x for x in line] for line in row["by_round"]], float)
    image = axes.imshow(priorities, vmin=1, vmax=3, aspect="auto", cmap="viridis")
    number = len(ITEMS)
    edges = [place - 0.5 for place in range(number + 1)]
    axes.step(edges, edges, "w-", where="post", linewidth=1)
    axes.set_xticks(range(number), ITEMS)
    axes.set_yticks(range(number), range(1, number + 1))
    axes.set_xlabel("house")
    axes.set_title(row["role"])
    return image


STUDY: Study = Study(
    name=NAME,
    about=(
        "HARBOR 1: mean priorities of items A to J. E to G match rival 1, H to J match rival 2, none match the Master."
    ),
    columns=COLUMNS,
    bidders=("persona",),
    games=GAMES,
    offline_games=6,
    offline_bidders=("persona", "agent=llm:scripted,agent=harbor"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=SIZE,
    more_tables=more_tables,
    meaning=(
        "Published is a figure of GPT-4o-mini without numbers: the Master ranks houses by their place in the auction, "
        "and rivals keep priority 3 on their matches. Rule bidders plan by their personas only, so that a Master "
        "without one gives all houses priority 2; scripts plan by their estimates and ignore personas."
    ),
)
