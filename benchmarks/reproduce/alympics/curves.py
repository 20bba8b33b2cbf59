"""One game of each setting, day by day: bids, health, money, and the supply's ratio to the requirement.

Source: Alympics, arXiv 2311.03220, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.reproduce.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    NAMES,
    by_setting,
    head,
    matches,
)
from aucenv.benchmarks.reproduce.cells import Drawing

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "rows"]

ABOUT = "One game of each setting: its survivors, the supply's ratio to the requirement (RSR), and the highest bid."
GAMES = 1
RECORDED = GAME
SIZE = (13.0, 7.0)

COLUMNS = {
    **HEAD,
    "days": ("days", "{}"),
    "survivors": ("survivors", "{}"),
    "rsr_end": ("RSR end", "{:.2f}"),
    "highest_bid": ("highest bid, $", "{:.0f}"),
}
CURVES = ("bids", "health", "balance")


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each setting and bidder, of its first game: `curves` of every resident by day, None once it is dead."""
    table = []
    for (setting, bidder), played in by_setting(records).items():
        record = played[0]
        game, days = game_figures(record), record.outcome["days"]
        seats = {who["name"]: who["seat"] for who in record.seats}
        table.append(
            {
                **head(setting, bidder, 1),
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
    """The bids of a day that were not void."""
    return [bid for seat, bid in day["bids"].items() if bid is not None and seat not in day["void"]]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """A column for each setting and bidder: bids, health and money of every resident, and the ratio in grey."""
    panels = figure.subplots(len(CURVES), len(rows), squeeze=False, sharex="col", sharey="row")
    for column, row in enumerate(rows):
        days = range(1, row["days"] + 1)
        for line, curve in enumerate(CURVES):
            axes = panels[line][column]
            for name in NAMES:
                values = [float("nan") if value is None else value for value in row["curves"][name][curve]]
                axes.plot(days, values, linewidth=1.2, label=name if line == column == 0 else None)
            ratio = axes.twinx()
            ratio.fill_between(days, [value or 0 for value in row["rsr"]], color="0.5", alpha=0.2, linewidth=0)
            ratio.set_ylim(0, 3.2)
            ratio.set_yticks([] if column < len(rows) - 1 else [0, 1, 2, 3])
        panels[0][column].set_title(f"{row['setting']},\n{row['bidder']}", fontsize=7)
    for line, curve in enumerate(CURVES):
        panels[line][0].set_ylabel(curve)
    figure.supxlabel("day (grey, right: RSR)")
    figure.legend(loc="outside upper center", ncols=len(NAMES), frameon=False)
