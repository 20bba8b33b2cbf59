"""The winner's curse of a drought: do the residents who get water on a day survive to the end?

Source: Alympics, arXiv 2311.03220, section 4. The rate of a day is the share of games in which all its winners survive,
among the games in which anybody got water that day. On the paper's records this gives the published rates, except for a
difference of 0.1 on five days.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.reproduce.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    by_setting,
    leading_columns,
    matches,
    quarters,
)
from aucenv.benchmarks.reproduce.cells import Table

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "more_tables", "rows"]

ABOUT = "Share of games in which all residents who got water on a day are alive at the end, by quarter of the days."
GAMES = 10
RECORDED = GAME
SIZE = (9.6, 4.2)

PUBLISHED = (0.4, 0.8, 0.4, 0.1, 0.6, 0.8, 0.2, 0.8, 0.9, 0.9, 1, 0.8, 0.9, 1, 0.9, 0.9, 1, 1, 0.9, 1)
"""The published rates of setting 1, by day."""

COLUMNS = {
    **HEAD,
    **{f"quarter_{quarter}": (f"quarter {quarter}", "{:.0%}") for quarter in range(1, 5)},
}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder.

    `rates` are by day, None for a day on which nobody got water. `winners` are by day: name -> (the games in which the
    resident got water, and those of them at whose end it is alive).
    """
    table = []
    for (setting, bidder), played in by_setting(records).items():
        games = [game_figures(record).winners_survive for record in played]
        days = range(played[0].scenario["days"])
        fates = [[float(game[j] or 0) for game in games if j < len(game) and game[j] is not None] for j in days]
        rates = [round(sum(day) / len(day), 6) if day else None for day in fates]
        winners = [_winners(played, j) for j in days]
        means = quarters(fates)
        table.append({**leading_columns(setting, bidder, played), **means, "rates": rates, "winners": winners})
    return table


def _winners(played: Sequence[GameRecord], j: int) -> dict[str, list[int]]:
    """Return the winners of day `j`, from the resident that got water most often."""
    wins: dict[str, list[int]] = {}
    for record in played:
        names = {player["seat"]: player["name"] for player in record.seats}
        for day in record.outcome["days"][j : j + 1]:
            for seat in day["winners"]:
                counts = wins.setdefault(names[seat], [0, 0])
                counts[0] += 1
                counts[1] += seat in record.outcome["survivors"]
    return dict(sorted(wins.items(), key=lambda item: (-item[1][0], item[0])))


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return a table of the winners of each day of setting 1, whose rates are published; other settings are in JSON."""
    lines = [
        [
            str(day + 1),
            row["bidder"],
            "-" if row["rates"][day] is None else f"{row['rates'][day]:.0%}",
            f"{PUBLISHED[day]:.0%}",
            ", ".join(f"{name} {alive}/{won}" for name, (won, alive) in row["winners"][day].items()) or "nobody",
        ]
        for day in range(len(PUBLISHED))
        for row in rows
        if row["number"] == 1
    ]
    about = "Winners by day in setting 1: games at whose end a winner is alive / games in which it got water that day"
    return [(about, ["day", "bidder", "all alive", "published", "winners"], lines)] if lines else []


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the rates by day: a panel for each bidder, a line for each setting, and the published line of setting 1."""
    bidders = list(dict.fromkeys(row["bidder"] for row in rows))
    panels = figure.subplots(1, len(bidders), squeeze=False, sharey=True)[0]
    for axes, bidder in zip(panels, bidders, strict=True):
        for row in rows:
            points = [(day, rate) for day, rate in enumerate(row["rates"], start=1) if rate is not None]
            if row["bidder"] == bidder and points:
                supply = (row["number"] - 1) % 3  # settings 4 to 6 are 1 to 3 with personas
                style = {"color": f"C{supply}", "linestyle": "-" if row["number"] <= 3 else "--"}
                axes.plot(*zip(*points, strict=True), marker=".", linewidth=1, label=row["setting"], **style)
        axes.plot(range(1, len(PUBLISHED) + 1), PUBLISHED, "k:", label="low, published")
        axes.set_title(bidder)
        axes.set_xlabel("day")
        axes.set_xticks(range(5, len(PUBLISHED) + 1, 5))
        axes.set_ylim(0, 1.05)
    panels[0].set_ylabel("share of games in which all winners\nof the day are alive at the end")
    legend_above(figure, 4)
