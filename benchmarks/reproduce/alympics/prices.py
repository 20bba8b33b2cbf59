"""The price of water: the lowest winning bid of each day. Source: Alympics, arXiv 2311.03220, section 4."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from aucenv.benchmarks.reproduce.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    by_setting,
    leading_columns,
    matches,
    quarters,
)
from aucenv.benchmarks.reproduce.axes import legend_above
from aucenv.benchmarks.reproduce.cells import Drawing

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "rows"]

ABOUT = "The lowest winning bid of a day: its median over games, averaged over all days and over each quarter of them."
GAMES = 10
RECORDED = GAME
SIZE = (11.0, 6.5)

COLUMNS = {
    **HEAD,
    "mean": ("mean, $", "{:.0f}"),
    **{f"quarter_{quarter}": (f"quarter {quarter}", "{:.0f}") for quarter in range(1, 5)},
}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder; `prices` are by day, of the games in which somebody got water."""
    table = []
    for (setting, bidder), played in by_setting(records).items():
        games = [game_figures(record).lowest_winning_bids for record in played]
        days = range(played[0].scenario["days"])
        prices = [[price for game in games for price in game[j : j + 1] if price is not None] for j in days]
        medians = [median(day) if day else None for day in prices]
        by_day = [[value] if value is not None else [] for value in medians]
        all_medians = [value for value in medians if value is not None]
        table.append(
            {
                **leading_columns(setting, bidder, played),
                "mean": round(sum(all_medians) / len(all_medians), 6) if all_medians else None,
                **quarters(by_day),
                "medians": medians,
                "prices": prices,
            }
        )
    return table


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw box plots by day, their medians, and the mean of the medians, for each setting and bidder."""
    across = min(3, len(rows))
    panels = figure.subplots(-(-len(rows) // across), across, squeeze=False, sharex=True).ravel()
    for axes in list(panels)[len(rows) :]:
        axes.set_axis_off()
    for axes, row in zip(panels[: len(rows)], rows, strict=True):
        days = range(1, len(row["prices"]) + 1)
        axes.boxplot(row["prices"], positions=list(days), widths=0.6, medianprops={"color": "none"}, sym=".")
        points = [(day, value) for day, value in zip(days, row["medians"], strict=True) if value is not None]
        if points:
            axes.plot(
                *zip(*points, strict=True), color="tab:blue", marker="o", markersize=3, label="median of the games"
            )
            axes.axhline(row["mean"], color="tab:red", linestyle="--", linewidth=1, label="mean of the medians")
        axes.set_ylim(bottom=0)
        axes.set_title(f"{row['setting']}, {row['bidder']}", fontsize=9)
    figure.supxlabel("day")
    figure.supylabel("lowest winning bid of a day, $")
    ticks = range(5, len(rows[0]["prices"]) + 1, 5)
    panels[0].set_xticks(ticks, [str(day) for day in ticks])
    legend_above(figure)
