"""Functions shared by HARBOR's studies of profiling: the KL divergence of the Master's profiles from true personas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import numpy as np
from aucenv.benchmarks.reproduce.cells import Drawing, bidders_of, estimates, group_by
from aucenv.benchmarks.reproduce.harbor.roles import MASTER

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.divergence import divergences
from aucenv.envs.harbor.figures import FIGURES

UNIFORM = {"single": 2.30, "mixed": 1.61}
"""The divergence of a uniform profile."""
COLUMNS = {
    "kl": ("mean KL, nats", "{:.2f}"),
    "median": ("median", "{:.2f}"),
    "misread": ("misread", "{:.1%}"),
    "uniform": ("uniform", "{:.2f}"),
}


def divergence_rows(
    records: Sequence[GameRecord], of: Callable[[GameRecord], str | None], read: Callable[[str], JsonObject]
) -> list[JsonObject]:
    """Return a row for each condition and bidder.

    It has the mean, the median and the misread share of the profiles at the end of the games, and the divergence by the
    number of closed items.

    Args:
        of: returns the condition of a game, or None for a game of another study.
        read: returns the first columns of a row from its condition, among them `sort`, "single" or "mixed".
    """
    table = []
    matching = [record for record in records if of(record) is not None]
    for (condition, bidder), played in group_by(matching, lambda record: (of(record), bidders_of(record))).items():
        seats = [record.seats[MASTER]["seat"] for record in played]
        by_game = [divergences(record, seat) for record, seat in zip(played, seats, strict=True)]
        last = [kl for by_item in by_game if by_item for kl in by_item[max(by_item)]]
        figures = {"kl": FIGURES["profile_kl"], "misread": FIGURES["misread_rate"]}
        head = read(condition)
        table.append(
            {
                **head,
                "bidder": bidder,
                "games": len(played),
                **estimates(played, figures, MASTER),
                "median": round(median(last), 6) if last else None,
                "uniform": UNIFORM[head["sort"]],
                "by_item": _course([by_item for by_item in by_game if by_item]),
            }
        )
    return table


def _course(by_game: Sequence[dict[int, list[float]]]) -> list[list[float]]:
    """Return [closed items, mean, median] of the Master's profiles; in every game, those that it noted last.

    Args:
        by_game: for each game, the number of closed items -> the divergences of the profiles noted then.
    """
    course = []
    for items in range(max((max(game) for game in by_game), default=-1) + 1):
        latest = [kl for game in by_game for kl in game[max((n for n in game if n <= items), default=min(game))]]
        if latest:
            course.append([items, round(float(np.mean(latest)), 6), round(median(latest), 6)])
    return course


def draw_against(axes: Drawing, rows: Sequence[JsonObject], name: str, uniform: float | None) -> None:
    """Draw the mean (line) and median (dots) of the divergence against the column `name`, for each bidder."""
    for number, bidder in enumerate(dict.fromkeys(row["bidder"] for row in rows)):
        line = [row for row in rows if row["bidder"] == bidder and row["kl"] is not None]
        places = [row[name] for row in line]
        axes.plot(places, [row["kl"] for row in line], f"C{number}o-", label=f"{bidder}, mean")
        axes.plot(places, [row["median"] for row in line], f"C{number}s:", markersize=4, label=f"{bidder}, median")
    if uniform is not None:
        axes.axhline(uniform, color="0.4", linewidth=0.8, linestyle="--")
    axes.set_xlabel(name)
    axes.set_ylim(0)
