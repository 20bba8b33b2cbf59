"""What water costs: the lowest winning bid of each day. Source: Alympics, arXiv 2311.03220, section 4."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from aucenv.benchmarks.reproduce.alympics.droughts import BIDDERS, GAME, HEAD, by_setting, head, matches, quarters
from aucenv.benchmarks.reproduce.cells import Drawing

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "rows"]

ABOUT = "The day's lowest winning bid: the mean of its daily medians over games, in all and by quarters of the days."
GAMES = 10
RECORDED = GAME
SIZE = (11.0, 6.5)

COLUMNS = {
    **HEAD,
    "mean": ("mean, $", "{:.0f}"),
    **{f"quarter_{quarter}": (f"quarter {quarter}", "{:.0f}") for quarter in range(1, 5)},
}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each setting and bidder; `prices` by day are those of its games in which somebody got water."""
    table = []
    for (setting, bidder), played in by_setting(records).items():
        games = [game_figures(record).lowest_winning_bids for record in played]
        days = range(played[0].scenario["days"])
        prices = [[price for game in games for price in game[j : j + 1] if price is not None] for j in days]
        medians = [median(day) if day else None for day in prices]
        told = [[value] if value is not None else [] for value in medians]
        every = [value for value in medians if value is not None]
        table.append(
            {
                **head(setting, bidder, len(played)),
                "mean": round(sum(every) / len(every), 6) if every else None,
                **quarters(told),
                "medians": medians,
                "prices": prices,
            }
        )
    return table


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Box plots by day with their medians, and the mean of these, for each setting and bidder."""
    across = min(3, len(rows))
    panels = figure.subplots(-(-len(rows) // across), across, squeeze=False, sharex=True).ravel()
    for axes in list(panels)[len(rows) :]:
        axes.set_axis_off()
    for axes, row in zip(panels[: len(rows)], rows, strict=True):
        days = range(1, len(row["prices"]) + 1)
        axes.boxplot(row["prices"], positions=list(days), widths=0.6, medianprops={"color": "none"}, sym=".")
        told = [(day, value) for day, value in zip(days, row["medians"], strict=True) if value is not None]
        if told:
            axes.plot(*zip(*told, strict=True), color="tab:blue", marker="o", markersize=3, label="median")
            axes.axhline(row["mean"], color="tab:red", linestyle="--", linewidth=1, label="mean of medians")
        axes.set_title(f"{row['setting']}, {row['bidder']}", fontsize=9)
    figure.supxlabel("day")
    figure.supylabel("lowest winning bid, $")
    marked = range(5, len(rows[0]["prices"]) + 1, 5)
    panels[0].set_xticks(marked, [str(day) for day in marked])
    handles = {label: line for axes in panels for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside upper right", ncols=2, frameon=False)
