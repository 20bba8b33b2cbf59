"""Profit and items of people against the two baselines, with a budget of $20,000 and three orders of the items.

Source: AucArena, arXiv 2310.05746, Table 2: a test with four people. Games with people come from `aucenv host` or
`aucenv play`, and are read with `--from-records`; bidders that are named play the same games in their place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aucenv.benchmarks.rankings.leaderboard import STANDARD_ORDERS
from aucenv.benchmarks.studies.aucarena.auctions import (
    MARKERS,
    RIVALS,
    against_rivals,
    by_setting,
    labels_of,
    published_model,
)
from aucenv.benchmarks.studies.aucarena.standard import PUBLISHED, PUBLISHED_BUDGET
from aucenv.benchmarks.studies.cells import Row, distinct, flattened, with_published
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import successor_of
from aucenv.runs.people import is_person
from aucenv.runs.play import Match

BIDDERS = ("pace", "drain")
PEOPLE = "people"
"""The label of all people together; PUBLISHED has one of the same name."""
COLUMNS = {
    "order": ("order", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "profit": ("mean profit, $", "{:,.0f}"),
    "profit_difference": ("difference from published", "{:+,.0f}"),
    "items": ("items", "{:.2f}"),
    "items_difference": ("difference from published", "{:+.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return the games of each bidder against RIVALS in each order."""
    return against_rivals(bidders, games, seed, [(PUBLISHED_BUDGET, order) for order in STANDARD_ORDERS])


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each order and bidder, and the published rows of that order."""
    settings = by_setting(records, [(PUBLISHED_BUDGET, order) for order in STANDARD_ORDERS])
    table: list[Row] = []
    for (_, order), played in settings.items():
        together = [_with_one_label(record) for record in played]
        figures, games = bidder_figures(together), labels_of(together)
        for bidder, number in games.items():
            if bidder in RIVALS:
                continue
            chosen = {name: figures[bidder][f"{name}_mean"] for name in ("profit", "items")}
            row: Row = {"order": order, "bidder": bidder, "games": number, **flattened(chosen)}
            model = published_model(bidder, PUBLISHED)
            if model is not None:
                row = with_published(row, dict(zip(("profit", "items"), PUBLISHED[model][order], strict=True)))
            table.append(row)
        table += [
            {"order": order, "bidder": f"{model}, published", "games": 4, "profit": profit, "items": items}
            for model, (profit, items) in ((model, by_order[order]) for model, by_order in PUBLISHED.items())
        ]
    return table


def _with_one_label(record: GameRecord) -> GameRecord:
    """Return a record in which all people have the label PEOPLE, but not those whom a bidder has replaced."""
    seats = [
        {**player, "bidder": PEOPLE} if is_person(player["bidder"]) and successor_of(player) is None else player
        for player in record.seats
    ]
    return dataclasses.replace(record, seats=seats)


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw the mean profit by order of the items, with a point for each bidder and each published mean."""
    axes = figure.subplots()
    orders = distinct(rows, "order")
    bidders = distinct(rows, "bidder")
    for number, bidder in enumerate(bidders):
        points = [row for row in rows if row["bidder"] == bidder]
        shift = 0.7 * ((number + 0.5) / len(bidders) - 0.5)
        places = [orders.index(row["order"]) + shift for row in points]
        draw_points(axes, places, points, "profit", MARKERS[number % len(MARKERS)], bidder)
    axes.set_xticks(range(len(orders)), orders)
    axes.set_xlabel("order of the items")
    axes.set_ylabel("mean profit, $")
    legend_above(figure, 3)


STUDY: Study = Study(
    name="aucarena/people",
    about="People against AucArena's two baselines at $20k: mean profit and items for three orders of the items.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=4,  # the paper's test has four people
    offline_games=20,
    offline_bidders=(*BIDDERS, "bdi=llm:scripted,agent=bdi"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=(7.2, 4.2),
    meaning=(
        "All people count as one bidder, except those whom a bidder has replaced, and the baselines are left out. The "
        "published means are those of four people in one auction for each order, so a difference of a few thousand "
        "dollars is within chance; their rivals were AucArena's baselines, which `value` and `rule` follow."
    ),
)
