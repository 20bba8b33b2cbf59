"""Whether bidders follow their plans: Spearman's rho of priorities with the bids for an item and with winning it.

Source: AucArena, arXiv 2310.05746, section 4. Priorities are those of the first plan (initial), and of the plan that
is current when the item is opened. All items of all games of a bidder are correlated together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from aucenv.benchmarks.studies.aucarena.auctions import (
    MARKERS,
    against_rivals,
    english_records,
    labels_of,
    pooled_by_bidder,
    published_model,
    rivals_of,
    seats_of,
)
from aucenv.benchmarks.studies.cells import Row, Table, cells, published_columns, with_published
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.core.records.figures import PooledFigure
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.notes import rated_items
from aucenv.runs.play import Match

RHOS = {
    "initial_bids": "initial, with bids",
    "initial_wins": "initial, with wins",
    "current_bids": "current, with bids",
    "current_wins": "current, with wins",
}
PUBLISHED = {
    "Mistral-7B": (0.1252, 0.2728, 0.1139, 0.2779),
    "Mixtral-8x7B": (0.3553, 0.4028, 0.3994, 0.4327),
    "Gemini-1.0-Pro": (0.2457, 0.1349, 0.2776, 0.2442),
    "GPT-3.5-Turbo": (0.1849, 0.0430, 0.1494, 0.0801),
    "GPT-4": (0.3741, 0.3959, 0.6318, 0.6443),
    "GPT-4-Turbo": (0.2348, 0.0715, 0.6423, 0.4328),
}
"""Published correlations, in the order of RHOS."""

COLUMNS = {
    "name": ("bidder", "{}"),
    "games": ("games", "{}"),
    "against": ("against", "{}"),
    "items": ("items with a priority", "{}"),
    **{name: (heading, "{:.3f}") for name, heading in RHOS.items()},
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of each bidder against rule bidders, in the paper's six settings."""
    return against_rivals(bidders, games, seed)


def weighted_spearman(first: np.ndarray, second: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from weights to Spearman's rho of weighted pairs, as if each pair occurred WEIGHT times.

    Ranks of ties are mean ranks. The result is NaN where either variable is constant.

    Args:
        first, second: (pairs,), the two variables; the weights have the same shape.
    """
    levels = [np.unique(values, return_inverse=True)[1] for values in (first, second)]

    def rho(weights: np.ndarray) -> float:
        total = weights.sum()
        centered = []
        for level in levels:
            at_level = np.bincount(level, weights)
            mean_rank = np.cumsum(at_level) - (at_level - 1) / 2
            centered.append(mean_rank[level] - (total + 1) / 2)
        a, b = centered
        variance = float((weights @ a**2) * (weights @ b**2))
        return float(weights @ (a * b)) / variance**0.5 if variance > 1e-9 else float("nan")

    return rho


def _figure(priority: int, result: int) -> PooledFigure:
    """Return the correlation of two columns of the observations, over those that have the priority."""

    def observe(item: tuple[float, ...]) -> Sequence[tuple[float, ...]]:
        return [] if np.isnan(item[priority]) else [(item[priority], item[result])]

    return PooledFigure(observe, lambda pairs: weighted_spearman(pairs[:, 0], pairs[:, 1]))


FIGURES = {name: _figure(number // 2, 2 + number % 2) for number, name in enumerate(RHOS)}


def _observe(record: GameRecord) -> Mapping[str, Sequence[tuple[float, ...]]]:
    """Return initial and current priority (NaN if there is none), bids and win, of each item that a bidder plans."""
    observations: dict[str, list[tuple[float, ...]]] = {}
    for label, seats in seats_of(record).items():
        rated = [each for seat in seats for each in rated_items(record, seat)]
        observations[label] = [
            (float("nan") if first is None else first, float("nan") if current is None else current, bids, won)
            for first, current, bids, won in rated
        ]
    return observations


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each bidder, the published row of its label after it, and then the other published rows.

    The correlations of a bidder that does not plan are None.
    """
    played = english_records(records)
    rhos = pooled_by_bidder(played, _observe, FIGURES)
    rivals, items = rivals_of(played), dict.fromkeys(labels_of(played), 0)
    for record in played:
        for label, observed in _observe(record).items():
            items[label] += len(observed)
    table: list[Row] = []
    for bidder, games in labels_of(played).items():
        row: Row = {"name": bidder, "bidder": bidder, "games": games, "against": rivals[bidder], "items": items[bidder]}
        row |= rhos[bidder]
        model = published_model(bidder, PUBLISHED)
        if model is None:
            table.append(row)
        else:
            table += [with_published(row, dict(zip(RHOS, PUBLISHED[model], strict=True))), _published(model)]
    shown = {row["name"] for row in table}
    return [*table, *(row for row in map(_published, PUBLISHED) if table and row["name"] not in shown)]


def _published(model: str) -> Row:
    return {"name": f"{model}, published", "bidder": "published", **dict(zip(RHOS, PUBLISHED[model], strict=True))}


def more_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the differences of bidders with the label of a published model; none if there is no such bidder."""
    columns = {"name": ("bidder", "{}")}
    for name, heading in RHOS.items():
        columns |= {key: value for key, value in published_columns(name, heading, "{:.3f}").items() if key != name}
    lines = [row for row in rows if f"{next(iter(RHOS))}_published" in row]
    headings = ["bidder"]
    for heading in RHOS.values():
        headings += [f"{heading}: published", "difference"]
    return [("Differences from the published correlations", headings, cells(lines, columns))] if lines else []


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: wider for more bidders."""
    return 7.0 + 0.25 * len(rows), 4.4 + 0.1 * len(rows)


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw the four correlations of each bidder as points, and those of published models as crosses."""
    axes = figure.subplots()
    played = [row for row in rows if row["bidder"] != "published" and row["items"]]
    published = [row for row in rows if row["bidder"] == "published"]
    for number, row in enumerate(played):
        names = [name for name in RHOS if row[name] is not None]
        places = [list(RHOS).index(name) - 0.4 + 0.35 * (number + 0.5) / len(played) for name in names]
        points = [{f"rho{end}": row[f"{name}{end}"] for end in ("", "_low", "_high")} for name in names]
        if points:
            draw_points(axes, places, points, "rho", MARKERS[number % len(MARKERS)], row["name"])
    for number, row in enumerate(published):
        places = [k + 0.05 + 0.35 * (number + 0.5) / len(published) for k in range(len(RHOS))]
        marker = "x+^sDv"[number % 6]
        axes.plot(places, [row[name] for name in RHOS], marker, color="0.3", fillstyle="none", label=row["name"])
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xticks(range(len(RHOS)), [heading.replace(", ", ",\n") for heading in RHOS.values()])
    axes.set_xlabel("priority, and what it is correlated with")
    axes.set_ylabel("Spearman's rho")
    legend_above(figure, 2)


STUDY: Study = Study(
    name="aucarena/adherence",
    about="AucArena: Spearman's rho of a bidder's priorities of items with its bids for them, and with winning them.",
    columns=COLUMNS,
    bidders=("bdi=llm:scripted,agent=bdi", "collector=llm:scripted,agent=bdi,objective=items"),
    games=10,
    offline_games=3,
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    more_tables=more_tables,
    meaning=(
        "The published rows are language models in the paper's competition, and have no intervals. A rho is not "
        "defined where all priorities, or all outcomes, are equal."
    ),
)
