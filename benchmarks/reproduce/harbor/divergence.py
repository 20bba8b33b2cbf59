"""What HARBOR's studies of profiling share: how far the Master's profiles of its rivals are from their personas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import numpy as np
from aucenv.benchmarks.reproduce.cells import Drawing, estimates, grouped, lineup_of
from aucenv.benchmarks.reproduce.harbor.roles import MASTER

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.divergence import divergences
from aucenv.envs.harbor.figures import FIGURES

UNIFORM = {"single": 2.30, "mixed": 1.61}
"""The divergence of a profile in which all personas weigh the same."""
COLUMNS = {
    "kl": ("mean KL", "{:.2f}"),
    "median": ("median", "{:.2f}"),
    "misread": ("misread", "{:.1%}"),
    "uniform": ("uniform", "{:.2f}"),
}


def divergence_rows(
    records: Sequence[GameRecord], of: Callable[[GameRecord], str | None], read: Callable[[str], JsonObject]
) -> list[JsonObject]:
    """A row for each condition and bidder: the mean, median and misread share at the end; its course by items through.

    Args:
        of: the condition of a game; None of a game of another study.
        read: what a row begins with, from its condition; with `sort`, "single" or "mixed".
    """
    table = []
    ours = [record for record in records if of(record) is not None]
    for (condition, bidder), played in grouped(ours, lambda record: (of(record), lineup_of(record))).items():
        seats = [record.seats[MASTER]["seat"] for record in played]
        found = [divergences(record, seat) for record, seat in zip(played, seats, strict=True)]
        last = [kl for each in found if each for kl in each[max(each)]]
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
                "by_item": _course([each for each in found if each]),
            }
        )
    return table


def _course(found: Sequence[dict[int, list[float]]]) -> list[list[float]]:
    """[items through, mean, median]: in every game the profiles that the Master holds then, the last that it noted."""
    course = []
    for items in range(max((max(each) for each in found), default=-1) + 1):
        held = [kl for each in found for kl in each[max((n for n in each if n <= items), default=min(each))]]
        if held:
            course.append([items, round(float(np.mean(held)), 6), round(median(held), 6)])
    return course


def draw_against(axes: Drawing, rows: Sequence[JsonObject], name: str, uniform: float | None) -> None:
    """Mean (a line) and median (dots) of the divergence against a column of numbers, for each bidder."""
    for number, bidder in enumerate(dict.fromkeys(row["bidder"] for row in rows)):
        mine = [row for row in rows if row["bidder"] == bidder and row["kl"] is not None]
        places = [row[name] for row in mine]
        axes.plot(places, [row["kl"] for row in mine], f"C{number}o-", label=f"{bidder}, mean")
        axes.plot(places, [row["median"] for row in mine], f"C{number}s:", markersize=4, label=f"{bidder}, median")
    if uniform is not None:
        axes.axhline(uniform, color="0.4", linewidth=0.8, linestyle="--")
    axes.set_xlabel(name)
    axes.set_ylim(0)
