"""How far bidders raise: the share of their bids in five ranges of the bid increment percentage (BIP).

Source: AucArena, arXiv 2310.05746, section 4. A raise is in percent of the starting price. In the paper it is over the
bidder's own preceding highest offer; a first bid raises the starting price. Beside it stand raises over the standing
bid, which are at least 10% of the starting price.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from aucenv.benchmarks.studies.aucarena.auctions import (
    Counts,
    against_rivals,
    english_records,
    labels_of,
    rates_by_bidder,
    rivals_of,
)
from aucenv.benchmarks.studies.cells import Row, Table, table_of
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.figures import RANGES, Base, bid_increments
from aucenv.runs.play import Match

BASES: dict[Base, str] = {"own": "over its own highest bid (paper)", "standing": "over the standing bid"}

HEAD = {"bidder": ("bidder", "{}"), "games": ("games", "{}"), "against": ("against", "{}"), "bids": ("bids", "{}")}
COLUMNS = {**HEAD, **{f"own_{k}": (name, "{:.1%}") for k, name in enumerate(RANGES)}}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of each bidder against rule bidders, in the paper's six settings."""
    return against_rivals(bidders, games, seed)


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each bidder.

    `own_K` is the share of bids whose raise over the bidder's own highest bid for the item is in range K;
    `standing_K` is that of raises over the standing bid.
    """
    played = english_records(records)
    if not played:
        return []
    bids = {bidder: sum(counts.values()) for bidder, counts in bid_increments(played).items()}
    shares, rivals = rates_by_bidder(played, _counts), rivals_of(played)
    return [
        {"bidder": bidder, "games": games, "against": rivals[bidder], "bids": bids[bidder], **shares[bidder]}
        for bidder, games in labels_of(played).items()
    ]


def _counts(record: GameRecord) -> Mapping[str, Counts]:
    counts: dict[str, dict[str, tuple[float, float]]] = {}
    for base in BASES:
        for label, by_range in bid_increments([record], base).items():
            total = sum(by_range.values())
            shares = {f"{base}_{k}": (by_range[name], total) for k, name in enumerate(RANGES)}
            counts.setdefault(label, {}).update(shares)
    return counts


def more_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the table of raises over the standing bid."""
    columns = {**HEAD, **{f"standing_{k}": (name, "{:.1%}") for k, name in enumerate(RANGES)}}
    title = "The same over the standing bid"
    return [table_of(title, columns, rows)]


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: higher for more bidders."""
    return 9.0, 0.5 * len(rows) + 2.0


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw a panel for each reading, with a stacked bar for each bidder that bids: the shares of the five ranges."""
    from matplotlib.ticker import PercentFormatter

    shown = [row for row in rows if row["bids"]]
    panels = figure.subplots(1, len(BASES), sharey=True)
    for axes, (base, title) in zip(panels, BASES.items(), strict=True):
        left = np.zeros(len(shown))
        for k, name in enumerate(RANGES):
            shares = np.array([row[f"{base}_{k}"] for row in shown], float)
            bars = axes.barh(range(len(shown)), shares, 0.7, left=left, label=f"{name}%", edgecolor="white")
            texts = [f"{share:.0%}" if share >= 0.08 else "" for share in shares]
            axes.bar_label(bars, texts, label_type="center", color="white", fontsize=8, fontweight="bold")
            left += shares
        axes.set_yticks(range(len(shown)), [f"{row['bidder']}\n({row['bids']:,} bids)" for row in shown])
        axes.set_xlim(0, 1)
        axes.set_title(title)
        axes.xaxis.set_major_formatter(PercentFormatter(1))
    panels[0].invert_yaxis()
    figure.supxlabel("share of the bids, by raise in percent of the starting price", fontsize=10)
    legend_above(figure, len(RANGES))


STUDY: Study = Study(
    name="aucarena/raises",
    about=(
        "AucArena: share of bids in five ranges of the raise over the bidder's own highest bid for the item, in "
        "percent of the starting price."
    ),
    columns=COLUMNS,
    bidders=("pace", "random", "bdi=llm:scripted,agent=bdi"),
    games=10,
    offline_games=3,
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    more_tables=more_tables,
    meaning=(
        "The paper shows these shares without numbers, so none stand beside ours; it states two of the five ranges, "
        "and the bounds of the other three are ours. Scripts and most rule bidders raise the standing bid by the "
        "least legal amount, which is 10%."
    ),
)
