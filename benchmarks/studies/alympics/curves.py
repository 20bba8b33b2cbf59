"""One game of each setting, day by day: bids, health, balance, and the ratio of the supply to the requirement (RSR).

Source: Alympics, arXiv 2311.03220, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from aucenv.benchmarks.studies.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    NAMES,
    by_setting,
    leading_columns,
    matches,
)
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

ACROSS = 3
"""The number of panels next to each other."""

COLUMNS = {
    **HEAD,
    "days": ("days", "{}"),
    "survivors": ("survivors", "{}"),
    "rsr_end": ("RSR end", "{:.2f}"),
    "highest_bid": ("highest bid, $", "{:.0f}"),
}
CURVES = {"bids": "bid, $", "health": "health", "balance": "balance, $"}
"""The curves of a resident -> the label of their axis."""


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder, on its first game.

    `curves` are by resident and day, None from the day on which the resident is dead.
    """
    table = []
    for (setting, bidder), played in by_setting(records).items():
        record = played[0]
        game, days = game_figures(record), record.outcome["days"]
        seats = {player["name"]: player["seat"] for player in record.seats}
        table.append(
            {
                **leading_columns(setting, bidder, played, games=1),
                "days": len(days),
                "survivors": len(record.outcome["survivors"]),
                "rsr_end": game.rsr_end,
                "highest_bid": max((bid for day in days for bid in _valid(day)), default=None),
                "rsr": list(game.rsr),
                "curves": {
                    name: {
                        "bids": [day["bids"].get(seat) for day in days],
                        "health": [day["after"].get(seat, {}).get("health") for day in days],
                        "balance": [day["after"].get(seat, {}).get("balance") for day in days],
                    }
                    for name, seat in seats.items()
                },
            }
        )
    return table


def _valid(day: JsonMapping) -> list[float]:
    """Return the bids of a day that are not void."""
    return [bid for seat, bid in day["bids"].items() if bid is not None and seat not in day["void"]]


def _drawn(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the rows that are drawn: those of the first bidder."""
    return [row for row in rows if row["bidder"] == rows[0]["bidder"]]


def size(rows: Sequence[JsonObject]) -> tuple[float, float]:
    """Return the size of the figure in inches."""
    return 9.6, 0.6 + 4.2 * math.ceil(len(_drawn(rows)) / ACROSS)


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw a panel for each setting, of the first bidder's game.

    A panel has the bids, the health and the balance of all residents above each other, with the RSR in gray.
    """
    drawn = _drawn(rows)
    across = min(ACROSS, len(drawn))
    grid = figure.subplots(math.ceil(len(drawn) / across) * len(CURVES), across, squeeze=False, sharex=True)
    for number, row in enumerate(drawn):
        line, column = divmod(number, across)
        panel = grid[line * len(CURVES) : (line + 1) * len(CURVES), column]
        repeats = row["personas"].removeprefix("ignored, ")
        panel[0].set_title(f"{row['number']} {row['setting']}" + (f" ({repeats})" if "repeats" in repeats else ""))
        for axes, first, (curve, label) in zip(panel, grid[:, 0], CURVES.items(), strict=False):
            if number:
                axes.sharey(first)
            _draw_curve(axes, row, curve, has_ratios=column == across - 1)
            axes.tick_params(labelleft=column == 0)
            axes.set_ylabel(label if column == 0 else "")
        panel[-1].tick_params(labelbottom=True)
    for axes in grid[: len(CURVES), 0]:  # after all curves, which determine the highest value
        axes.set_ylim(bottom=0)
    for axes in grid.ravel():
        axes.axis("on" if axes.has_data() else "off")
    figure.supxlabel(f"day (bidder: {drawn[0]['bidder']})")
    legend_above(figure, len(NAMES) + 1)


def _draw_curve(axes: Drawing, row: JsonObject, curve: str, has_ratios: bool) -> None:
    """Draw one curve of each resident over the days, and the RSR.

    Args:
        has_ratios: whether the axis of the RSR has numbers.
    """
    days = range(1, row["days"] + 1)
    for name in NAMES:
        values = [float("nan") if value is None else value for value in row["curves"][name][curve]]
        axes.plot(days, values, linewidth=1.2, label=name)
    ratio = axes.twinx()
    ratio.fill_between(days, [value or 0 for value in row["rsr"]], color="0.5", alpha=0.2, linewidth=0, label="RSR")
    ratio.set_ylim(0, 3.2)
    ratio.set_yticks([0, 1, 2, 3] if has_ratios else [])
    ratio.set_ylabel("RSR" if has_ratios else "")


STUDY: Study = Study(
    name="alympics/curves",
    about="One game of each setting: survivors, the ratio of the supply to the requirement (RSR), and the highest bid.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=1,
    offline_bidders=BIDDERS[:1],
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    recorded=(GAME,),
)
