"""Heatmaps of bidders' priorities by replanning step and item, at two budgets, for ascending and descending orders.

Source: AucArena, arXiv 2310.05746, section 4. Row t of a heatmap is the plan made when t items are closed, and column
j is item j in the order of sale; a cell is the mean priority over games, from 1 to 3. Cells of past items (j < t) show
the priority that the plan carries on. A plan that states a priority for a past item is a mistake, and such cells are
marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.rankings.leaderboard import STANDARD_BUDGETS
from aucenv.benchmarks.studies.aucarena.auctions import (
    Counts,
    Setting,
    against_rivals,
    by_setting,
    dollars,
    labels_of,
    rates_by_bidder,
    rivals_of,
    seats_of,
)
from aucenv.benchmarks.studies.cells import Row, Table
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing
from aucenv.core.records.figures import or_dash
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.game import STANDARD_ITEMS
from aucenv.envs.english.notes import item_labels, noted_plans
from aucenv.runs.play import Match

BIDDERS = ("bdi=llm:scripted,agent=bdi",)
MODELS_IN_LINE = 3
"""The most bidders beside each other in the figure."""
ORDERS = ("ascending", "descending")
SETTINGS: tuple[Setting, ...] = tuple((budget, order) for budget in STANDARD_BUDGETS for order in ORDERS)
ITEMS = len(STANDARD_ITEMS)
PAST = "plans that rate past items"

HEAD = {"bidder": ("bidder", "{}"), "budget": ("budget, $", "{:,}"), "order": ("order", "{}")}
COLUMNS = {
    **HEAD,
    "games": ("games", "{}"),
    "against": ("against", "{}"),
    **{f"first_{j}": (f"item {j + 1}", "{:.1f}") for j in range(ITEMS)},
    "past": (PAST, "{:.0%}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of each bidder against rule bidders, in the four settings of the heatmaps."""
    return against_rivals(bidders, games, seed, SETTINGS)


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each bidder that plans, budget and order; if none plans, one for each bidder.

    `cells`, `lows` and `highs` are the heatmap and its 95% intervals, by step and item; `stated` are the numbers of
    plans that give a priority to a past item, by step and item.
    """
    table: list[Row] = []
    without_plans: list[Row] = []
    for (budget, order), played in by_setting(records, SETTINGS).items():
        figures, rivals = rates_by_bidder(played, _counts), rivals_of(played)
        for bidder, games in labels_of(played).items():
            row: Row = {"bidder": bidder, "budget": budget, "order": order, "games": games, "against": rivals[bidder]}
            row |= _row(figures[bidder], _stated(played, bidder))
            (without_plans if row["cells"] == EMPTY else table).append(row)
    rank = {bidder: number for number, bidder in enumerate(labels_of(records))}
    return sorted(table or without_plans, key=lambda row: (rank[row["bidder"]], SETTINGS.index(_setting(row))))


EMPTY = [[None] * ITEMS] * ITEMS


def _setting(row: Row) -> Setting:
    return row["budget"], row["order"]


def _row(figures: Row, stated: np.ndarray) -> Row:
    matrices = {
        key: [[figures[f"{t},{j}{end}"] for j in range(ITEMS)] for t in range(ITEMS)]
        for key, end in (("cells", ""), ("lows", "_low"), ("highs", "_high"))
    }
    first = {f"first_{j}{end}": figures[f"0,{j}{end}"] for j in range(ITEMS) for end in ("", "_low", "_high")}
    past = {name: figures[name] for name in ("past", "past_low", "past_high")}
    return {**first, **past, **matrices, "stated": stated.tolist()}


def _counts(record: GameRecord) -> Mapping[str, Counts]:
    """Sum up and count the priorities of each step and item, and count the plans that rate past items."""
    counts: dict[str, Counts] = {}
    for label, seats in seats_of(record).items():
        sums, numbers, plans, with_past = np.zeros((ITEMS, ITEMS)), np.zeros((ITEMS, ITEMS)), 0, 0
        for seat in seats:
            for t, priorities in dict(noted_plans(record, seat)).items():
                plans += t > 0
                for j, priority in enumerate(priorities if t < ITEMS else ()):
                    if priority is not None:
                        sums[t, j] += priority
                        numbers[t, j] += 1
            with_past += len({t for t, _ in _past_items(record, seat)})
        by_cell = {f"{t},{j}": (sums[t, j], numbers[t, j]) for t in range(ITEMS) for j in range(ITEMS)}
        counts[label] = {**by_cell, "past": (with_past, plans)}
    return counts


def _past_items(record: GameRecord, seat: str) -> Iterable[tuple[int, int]]:
    """Return (step, number of the item) of each priority that a seat states for a past item.

    A plan that is made late counts at the step of the decision that notes it.
    """
    labels = item_labels([item["name"] for item in record.deal["items"]])
    return {
        (one["item"], labels.index(label))
        for one in record.decisions
        if one["seat"] == seat
        for label in one["notes"].get("past_priorities", {})
        if label in labels[: one["item"]]
    }


def _stated(played: Iterable[GameRecord], bidder: str) -> np.ndarray:
    """Return the number of priorities that a bidder states for past items, (steps, items)."""
    stated = np.zeros((ITEMS, ITEMS), int)
    for record in played:
        for seat in seats_of(record).get(bidder, []):
            for t, j in _past_items(record, seat):
                stated[t, j] += 1
    return stated


def more_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the heatmaps as a table; a mark follows the priority of a past item that a plan states again."""
    lines = [
        [
            *(form.format(row[name]) for name, (_, form) in HEAD.items()),
            str(t),
            *(
                f"{or_dash(value, '{:.1f}')}{'*' if row['stated'][t][j] else ''}"
                for j, value in enumerate(row["cells"][t])
            ),
        ]
        for row in rows
        for t in range(ITEMS)
    ]
    headings = [*(heading for heading, _ in HEAD.values()), "closed items", *(f"item {j + 1}" for j in range(ITEMS))]
    title = "Mean priorities by the number of closed items (* a plan gives a priority to this past item, a mistake)"
    return [(title, headings, lines)]


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: that of a panel times their number."""
    lines, columns = _grid(rows)
    return 1.6 * max(columns, 3) + 1.2, 2.1 * len(ORDERS) * lines + 0.9


def _grid(rows: Sequence[Row]) -> tuple[int, int]:
    """Return the lines of bidders in the figure, and the panels beside each other."""
    bidders, budgets = ({row[name] for row in rows} for name in ("bidder", "budget"))
    return -(-len(bidders) // MODELS_IN_LINE), min(len(bidders), MODELS_IN_LINE) * len(budgets)


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw two heatmaps for each bidder and budget: the ascending order above the descending one."""
    bidders, budgets = (list(dict.fromkeys(row[name] for row in rows)) for name in ("bidder", "budget"))
    lines, columns = _grid(rows)
    panels = figure.subplots(len(ORDERS) * lines, columns, squeeze=False, sharex=True, sharey=True)
    for axes in panels.flat:
        axes.set_visible(False)
    image = None
    for row in rows:
        number = bidders.index(row["bidder"])
        line = len(ORDERS) * (number // MODELS_IN_LINE) + ORDERS.index(row["order"])
        axes = panels[line][len(budgets) * (number % MODELS_IN_LINE) + budgets.index(row["budget"])]
        axes.set_visible(True)
        image = _draw_heatmap(axes, row)
        axes.set_title(f"{row['bidder']}\n{dollars(row['budget'])}, {row['order']}", fontsize=8)
    for line in range(len(panels)):
        panels[line][0].set_ylabel("closed items", fontsize=8)
    figure.supxlabel(
        "item, in the order of sale; left of the line: past items; red cross: a plan rates a past item", fontsize=9
    )
    if image is not None:
        figure.colorbar(image, ax=panels, label="mean priority (1 to 3)", shrink=0.6)


def _draw_heatmap(axes: Drawing, row: Row) -> Any:
    """Draw one heatmap, with past items paler and marks where plans state their priorities; return its image."""
    cells = np.array(row["cells"], float)
    steps, items = np.indices(cells.shape)
    alpha = np.where(items < steps, 0.45, 1.0)
    image = axes.imshow(cells, vmin=1, vmax=3, aspect="auto", cmap="viridis", alpha=alpha)
    corners = np.repeat(np.arange(ITEMS + 1), 2) - 0.5
    axes.plot(corners[1:-1], corners[2:], color="black", linewidth=1)
    marked_steps, marked_items = np.nonzero(row["stated"])
    axes.plot(marked_items, marked_steps, "x", color="red", markersize=5)
    axes.set_xticks(range(0, ITEMS, 3), range(1, ITEMS + 1, 3))
    axes.set_yticks(range(0, ITEMS, 3))
    axes.set_xlim(-0.5, ITEMS - 0.5)
    axes.set_ylim(ITEMS - 0.5, -0.5)
    return image


STUDY: Study = Study(
    name="aucarena/priorities",
    about=(
        "AucArena: mean priorities (1 to 3) of items, in the order of sale, in the first plan; plans that rate past "
        "items."
    ),
    columns=COLUMNS,
    bidders=BIDDERS,
    games=10,
    offline_games=5,
    offline_bidders=(*BIDDERS, "collector=llm:scripted,agent=bdi,objective=items"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    more_tables=more_tables,
    meaning=(
        "The paper shows these heatmaps without numbers, so no published values stand beside ours. The scripted "
        "bidder ranks the remaining items by its estimates and gives 3 to the best third, and so on; it says nothing "
        "about models."
    ),
)
