"""The winner's curse of a drought: do those who get water on a day live to the end?

Source: Alympics, arXiv 2311.03220, section 4. The rate of a day is the share of games in which all its winners do, of
those in which anybody got water; on the paper's records that is what it printed, but for a tenth on five days.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.reproduce.alympics.droughts import BIDDERS, GAME, HEAD, by_setting, head, matches, quarters
from aucenv.benchmarks.reproduce.cells import Drawing

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "rows"]

ABOUT = "In how many games all who got water on a day are alive at the end, by quarters of the days."
GAMES = 10
RECORDED = GAME

PUBLISHED = (0.4, 0.8, 0.4, 0.1, 0.6, 0.8, 0.2, 0.8, 0.9, 0.9, 1, 0.8, 0.9, 1, 0.9, 0.9, 1, 1, 0.9, 1)
"""Setting 1, by day."""

COLUMNS = {
    **HEAD,
    **{f"quarter_{quarter}": (f"quarter {quarter}", "{:.0%}") for quarter in range(1, 5)},
}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each setting and bidder; `rates` by day, None where nobody got water."""
    table = []
    for (setting, bidder), played in by_setting(records).items():
        games = [game_figures(record).winners_survive for record in played]
        days = range(played[0].scenario["days"])
        fates = [[float(game[j] or 0) for game in games if j < len(game) and game[j] is not None] for j in days]
        rates = [round(sum(day) / len(day), 6) if day else None for day in fates]
        table.append({**head(setting, bidder, len(played)), **quarters(fates), "rates": rates})
    return table


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """The rates by day: a line for each setting and bidder, and the published one of setting 1."""
    axes = figure.subplots()
    for row in rows:
        told = [(day, rate) for day, rate in enumerate(row["rates"], start=1) if rate is not None]
        if told:
            axes.plot(*zip(*told, strict=True), marker=".", linewidth=1, label=f"{row['setting']}, {row['bidder']}")
    axes.plot(range(1, len(PUBLISHED) + 1), PUBLISHED, "k:", label="low, published")
    axes.set_xlabel("day")
    axes.set_ylabel("its winners alive at the end")
    axes.set_ylim(0, 1.05)
    figure.legend(loc="outside right upper", frameon=False, fontsize=7)
