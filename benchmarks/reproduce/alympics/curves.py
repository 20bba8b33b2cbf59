"""One game of each setting, day by day: bids, health, balance, and the ratio of the supply to the requirement (RSR).

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
    leading_columns,
    matches,
)
from aucenv.benchmarks.studies import Offline

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "rows"]

ABOUT = "One game of each setting: survivors, the ratio of the supply to the requirement (RSR), and the highest bid."
GAMES = 1
RECORDED = (GAME,)
OFFLINE = Offline(1, BIDDERS[:1])
SIZE = (13.0, 7.0)

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


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw a column for each setting and bidder: bids, health and balance of every resident, and the RSR in gray."""
    panels = figure.subplots(len(CURVES), len(rows), squeeze=False, sharex="col", sharey="row")
    for column, row in enumerate(rows):
        days = range(1, row["days"] + 1)
        for line, curve in enumerate(CURVES):
            axes = panels[line][column]
            for name in NAMES:
                values = [float("nan") if value is None else value for value in row["curves"][name][curve]]
                axes.plot(days, values, linewidth=1.2, label=name)
            ratio = axes.twinx()
            ratio.fill_between(
                days, [value or 0 for value in row["rsr"]], color="0.5", alpha=0.2, linewidth=0, label="RSR"
            )
            ratio.set_ylim(0, 3.2)
            ratio.set_yticks([] if column < len(rows) - 1 else [0, 1, 2, 3])
            ratio.set_ylabel("RSR" if column == len(rows) - 1 else "")
        title = f"{row['setting']},\n{row['bidder']}".replace("-", "-\n", 1)
        panels[0][column].set_title(title)
    for line, label in enumerate(CURVES.values()):
        panels[line][0].set_ylabel(label)
        if "$" in label:
            panels[line][0].set_ylim(bottom=0)
    figure.supxlabel("day")
    legend_above(figure, len(NAMES) + 1)
