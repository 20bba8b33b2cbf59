"""The price of water: the lowest winning bid of each day. Source: Alympics, arXiv 2311.03220, section 4.

The paper draws its prices and prints none. The published medians are computed from its 60 published games
(github.com/microsoft/Alympics, exp/WAC/records.zip).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from aucenv.benchmarks.reproduce.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    NUMBERS,
    by_setting,
    leading_columns,
    matches,
    quarters,
)

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "rows"]

ABOUT = "The lowest winning bid of a day: its median over games, averaged over all days and over each quarter of them."
GAMES = 10
RECORDED = GAME
SIZE = (11.0, 6.5)

PUBLISHED = {
    1: (84.5, 90, 135, 200, 200, 235, 210, 245, 220, 190, 200, 180, 200, 210, 210, 200, 190, 155, 190, 170),
    2: (62.5, 75, 90, 102.5, 117.5, 120, 125, 150, 135, 120, 145, 135, 155, 155, 160, 165, 160, 150, 157.5, 152),
    3: (67.5, 75, 90, 100, 95, 120, 110, 110, 117.5, 125, 112.5, 130, 130, 120, 125, 115, 130, 132.5, 120, 150),
    4: (80, 100, 150, 200, 190, 200, 200, 205, 210, 200, 180, 205, 150, 210, 170, 195, 180, 200, 140, 180),
    5: (65, 90, 100, 145.36, 135, 140, 145, 185, 135, 180, 165, 170, 160, 153.63, 145, 125, 150, 130, 140, 130),
    6: (60, 72.5, 95, 101, 100, 110, 107.5, 107.5, 115, 105, 102.5, 110, 115, 120, 117.5, 107.5, 140, 110, 135, 145),
}
"""Setting -> the published medians by day."""

COLUMNS = {
    **HEAD,
    "mean": ("mean, $", "{:.0f}"),
    **{f"quarter_{quarter}": (f"quarter {quarter}", "{:.0f}") for quarter in range(1, 5)},
}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder, and a row with the published medians of each setting.

    `prices` are by day, of the games in which somebody got water; published rows have none.
    """
    table: list[JsonObject] = []
    for (setting, bidder), played in by_setting(records).items():
        if not table or table[-1]["setting"] != setting:
            published = PUBLISHED[NUMBERS[setting]]
            table.append({**leading_columns(setting, "published", games=GAMES), **_means(published), "prices": None})
        games = [game_figures(record).lowest_winning_bids for record in played]
        days = range(played[0].scenario["days"])
        prices = [[price for game in games for price in game[j : j + 1] if price is not None] for j in days]
        medians = [median(day) if day else None for day in prices]
        table.append({**leading_columns(setting, bidder, played), **_means(medians), "prices": prices})
    return table


def _means(medians: Sequence[float | None]) -> JsonObject:
    """Return the means of the medians, over all days and over each quarter, and the medians."""
    values = [value for value in medians if value is not None]
    return {
        "mean": round(sum(values) / len(values), 6) if values else None,
        **quarters([[value] if value is not None else [] for value in medians]),
        "medians": list(medians),
    }


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw box plots by day, their medians and the mean of these, and the published medians, by setting and bidder."""
    played = [row for row in rows if row["prices"] is not None]
    across = min(3, len(played))
    panels = figure.subplots(-(-len(played) // across), across, squeeze=False, sharex=True).ravel()
    for axes in list(panels)[len(played) :]:
        axes.set_axis_off()
    for axes, row in zip(panels[: len(played)], played, strict=True):
        days = range(1, len(row["prices"]) + 1)
        axes.boxplot(row["prices"], positions=list(days), widths=0.6, medianprops={"color": "none"}, sym=".")
        published = PUBLISHED[row["number"]]
        axes.plot(range(1, len(published) + 1), published, "k:", linewidth=1, label="median of the published games")
        points = [(day, value) for day, value in zip(days, row["medians"], strict=True) if value is not None]
        if points:
            axes.plot(
                *zip(*points, strict=True), color="tab:blue", marker="o", markersize=3, label="median of the games"
            )
            axes.axhline(row["mean"], color="tab:red", linestyle="--", linewidth=1, label="mean of the medians")
        axes.set_ylim(bottom=0)
        axes.set_title(f"{row['setting']}, {row['bidder']}")
    figure.supxlabel("day")
    figure.supylabel("lowest winning bid of a day, $")
    ticks = range(5, len(played[0]["prices"]) + 1, 5)
    panels[0].set_xticks(ticks, [str(day) for day in ticks])
    legend_above(figure)
