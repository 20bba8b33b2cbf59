"""The winner's curse of a drought: how many of a day's winners are alive at its end.

Source: Alympics, arXiv 2311.03220, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.benchmarks.reproduce.alympics.droughts import BIDDERS, GAME, HEAD, by_setting, head, matches, quarters

from aucenv.records import GameRecord

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "RECORDED", "draw", "matches", "rows"]

ABOUT = "How many of those who got water on a day are alive at the end, by quarters of the days."
GAMES = 10
RECORDED = GAME

PUBLISHED = (0.4, 0.8, 0.4, 0.1, 0.6, 0.8, 0.2, 0.8, 0.9, 0.9, 1, 0.8, 0.9, 1, 0.9, 0.9, 1, 1, 0.9, 1)
"""Setting 1, by day."""

COLUMNS = {
    **HEAD,
    **{f"quarter_{quarter}": (f"quarter {quarter}", "{:.0%}") for quarter in range(1, 5)},
}


def rows(records: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """A row for each setting and bidder; `rates` by day, of the winners of all its games, None where there was none."""
    table = []
    for (setting, bidder), played in by_setting(records).items():
        days = range(max(len(record.outcome["days"]) for record in played))
        fates = [
            [
                float(seat in record.outcome["survivors"])
                for record in played
                for day in record.outcome["days"][j : j + 1]
                for seat in day["winners"]
            ]
            for j in days
        ]
        rates = [round(sum(day) / len(day), 6) if day else None for day in fates]
        table.append({**head(setting, bidder, len(played)), **quarters(fates), "rates": rates})
    return table


def draw(rows: Sequence[dict[str, Any]], figure: Any) -> None:
    """The rates by day: a line for each setting and bidder, and the published one of setting 1."""
    axes = figure.subplots()
    for row in rows:
        told = [(day, rate) for day, rate in enumerate(row["rates"], start=1) if rate is not None]
        axes.plot(*zip(*told, strict=True), marker=".", linewidth=1, label=f"{row['setting']}, {row['bidder']}")
    axes.plot(range(1, len(PUBLISHED) + 1), PUBLISHED, "k:", label="low, published")
    axes.set_xlabel("day")
    axes.set_ylabel("its winners alive at the end")
    axes.set_ylim(0, 1.05)
    figure.legend(loc="outside right upper", frameon=False, fontsize=7)
