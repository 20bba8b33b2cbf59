"""Functions shared by HARBOR's studies of profiling: the KL divergence of the Master's profiles from true personas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import numpy as np
from aucenv.benchmarks.studies.cells import bidders_of, estimates, group_by
from aucenv.benchmarks.studies.harbor.roles import MASTER

from aucenv.analysis.plots import Drawing
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.harbor.figures import FIGURES
from aucenv.envs.harbor.notes import divergences

UNIFORM = {"single": 2.30, "mixed": 1.61}
"""The divergence of a uniform profile in nats, for rivals with one persona and with a mix of two."""
COLUMNS = {
    "kl": ("mean KL, nats", "{:.2f}"),
    "median": ("median", "{:.2f}"),
    "misread": ("misread", "{:.1%}"),
    "uniform": ("uniform", "{:.2f}"),
}


def divergence_rows(
    records: Sequence[GameRecord],
    condition_of: Callable[[GameRecord], str | None],
    leading_columns: Callable[[str], JsonObject],
) -> list[JsonObject]:
    """Return a row for each condition and bidder.

    A row has the mean and the median divergence of the profiles at the end of the games, the share of misread profiles,
    and the divergence by the number of closed items.

    Args:
        condition_of: returns the condition of a game, or None for a game of another study.
        leading_columns: returns the first columns of a row from its condition, among them `sort`, "single" or "mixed".
    """
    table = []
    matching = [record for record in records if condition_of(record) is not None]
    for (condition, bidder), played in group_by(
        matching, lambda record: (condition_of(record), bidders_of(record))
    ).items():
        seats = [record.seats[MASTER]["seat"] for record in played]
        noted = [divergences(record, seat) for record, seat in zip(played, seats, strict=True)]  # by closed items
        noted = [by_item for by_item in noted if by_item]
        final = [kl for by_item in noted for kl in by_item[max(by_item)]]
        figures = {"kl": FIGURES["profile_kl"], "misread": FIGURES["misread_rate"]}
        columns = leading_columns(condition)
        table.append(
            {
                **columns,
                "bidder": bidder,
                "games": len(played),
                **estimates(played, figures, MASTER),
                "median": round(median(final), 6) if final else None,
                "uniform": UNIFORM[columns["sort"]],
                "by_item": _by_closed_items(noted),
            }
        )
    return table


def _by_closed_items(noted: Sequence[dict[int, list[float]]]) -> list[list[float]]:
    """Return [closed items, mean, median] of the divergence of the Master's profiles, for each number of closed items.

    Each game contributes the latest profiles that the Master had noted by then, or the first ones if it had noted none.

    Args:
        noted: for each game, the number of closed items -> the divergences of the profiles noted then.
    """
    table = []
    for items in range(max((max(game) for game in noted), default=-1) + 1):
        latest = [kl for game in noted for kl in game[max((n for n in game if n <= items), default=min(game))]]
        if latest:
            table.append([items, round(float(np.mean(latest)), 6), round(median(latest), 6)])
    return table


def draw_against(axes: Drawing, rows: Sequence[JsonObject], name: str, uniform: float | None) -> None:
    """Draw the mean (line) and median (dots) of the divergence against the column `name`, for each bidder."""
    for number, bidder in enumerate(dict.fromkeys(row["bidder"] for row in rows)):
        line = [row for row in rows if row["bidder"] == bidder and row["kl"] is not None]
        places = [row[name] for row in line]
        axes.plot(places, [row["kl"] for row in line], f"C{number}o-", label=f"{bidder}, mean")
        axes.plot(places, [row["median"] for row in line], f"C{number}s:", markersize=4, label=f"{bidder}, median")
    if uniform is not None:
        axes.axhline(uniform, color="0.4", linewidth=0.8, linestyle="--", label="uniform profile")
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
