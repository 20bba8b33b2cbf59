"""HARBOR's second study: what competition for the same persona costs, with two matching houses for each persona.

Profit falls as in the paper between bidders that go up to a fixed share of the value, more for a match (`fixed`). It
does not between those that spend their budget evenly, as `persona` does by itself: whatever they share, they spend as
much, so that profit moves to who does not share, and those without personas, who want all houses alike, earn least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aucenv.benchmarks.reproduce.cells import Drawing, Table, grouped, lineup_of
from aucenv.benchmarks.reproduce.harbor.roles import (
    GAMES,
    PERCENT,
    ROLES,
    by_role,
    condition,
    condition_of,
    houses_for,
    master_profits,
    numbered,
    of_study,
    rotations,
)
from aucenv.benchmarks.reproduce.harbor.significance_lines import anova_line, paired_line, t_line, trend_line

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.scenario import MATCHES, NUM_ITEMS, Scenario
from aucenv.runs.play import Match

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "draw", "matches", "more_tables", "rows"]

NAME = "harbor/2"
ABOUT = "HARBOR 2: profit ratio, in percent, as more bidders share a persona."
BIDDERS = ("persona", "fixed=persona,share=0.5,like=1")

CONDITIONS = {
    "no persona": lambda a, b, c: ("none", "none", "none"),
    "own persona": lambda a, b, c: (a, b, c),
    "Master shares rival 2's": lambda a, b, c: (c, b, c),
    "all share one": lambda a, b, c: (a, a, a),
}
PUBLISHED = {
    "no persona": (34.56, 24.59, 24.08, 27.74),
    "own persona": (31.75, 32.35, 23.60, 29.23),
    "Master shares rival 2's": (26.81, 29.72, 22.88, 26.47),
    "all share one": (25.22, 21.66, 18.97, 21.95),
}
"""GPT-4o-mini: Master, rivals, mean."""
PUBLISHED_TESTS = (
    "F(3, 56) = 2.52, p = 0.067, eta squared 0.12",
    "r = -0.98, p = 0.017, -9.33 points",
)

COLUMNS = {
    "condition": ("condition", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    **{f"profit_{seat}": (role, "{:.2f}") for seat, role in enumerate(ROLES)},
    "profit": ("mean", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Games of all four conditions, all seats by the same bidder; for all the same houses in the same order."""
    return numbered(
        (_dealt(f"{NAME}: {name}", entries(*ids), ids, deal), [bidder] * len(ROLES), deal)
        for bidder in bidders
        for name, entries in CONDITIONS.items()
        for deal, ids in rotations(games, len(ROLES), seed)
    )


def _dealt(name: str, entries: Sequence[str], ids: Sequence[str], deal: tuple[int, int]) -> Scenario:
    found = houses_for(ids, deal, MATCHES, NUM_ITEMS)
    houses = tuple(listing for of_persona in found.values() for listing in of_persona)
    return condition(name, entries, houses=houses, matches=None)


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each condition and bidder, and one for what was published; percent."""
    table: list[JsonObject] = []
    cells = grouped(of_study(records, NAME), lambda record: (condition_of(NAME)(record), lineup_of(record)))
    for name, published in PUBLISHED.items():
        mine = {bidder: played for (of, bidder), played in cells.items() if of == name}
        if not mine:
            continue
        told = dict(zip((*(f"profit_{seat}" for seat in range(len(ROLES))), "profit"), published, strict=True))
        table.append({"condition": name, "bidder": "published", "games": 15, **told})
        for bidder, played in mine.items():
            from_roles = by_role(played, PERCENT)
            mean = sum(from_roles[f"profit_{seat}"] or 0 for seat in range(len(ROLES))) / len(ROLES)
            samples = {"samples": master_profits(played)}
            head = {"condition": name, "bidder": bidder, "games": len(played)}
            table.append({**head, **from_roles, "profit": round(mean, 6), **samples})
    return table


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """The Master's profit over the conditions: analysis of variance, trend, and t-tests against no persona."""
    lines = [["published", "analysis of variance", PUBLISHED_TESTS[0]], ["published", "trend", PUBLISHED_TESTS[1]]]
    for bidder in dict.fromkeys(row["bidder"] for row in rows if "samples" in row):
        mine = {row["condition"]: row for row in rows if row["bidder"] == bidder}
        lines.append([bidder, "analysis of variance", anova_line([row["samples"] for row in mine.values()])])
        lines.append([bidder, "trend", trend_line([row["profit_0"] for row in mine.values()])])
        lines += _pairs(bidder, mine, "no persona", "independent", t_line)
        lines += _pairs(bidder, mine, "own persona", "paired by deal", by_deal)
    return [("The Master's profit ratio, tested", ["bidder", "test", "result"], lines)]


def by_deal(baseline: Sequence[float], other: Sequence[float]) -> str:
    return paired_line(baseline, other, len(ROLES))


def _pairs(
    bidder: str, rows: dict[str, JsonObject], first: str, how: str, line: Callable[[list[float], list[float]], str]
) -> list[list[str]]:
    """Each later condition against `first`."""
    later = list(rows)[list(rows).index(first) + 1 :] if first in rows else []
    return [
        [bidder, f"{name} against {first}, {how}", line(rows[first]["samples"], rows[name]["samples"])]
        for name in later
    ]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """The mean profit ratio by condition: a line for each bidder, and the published one."""
    axes = figure.subplots()
    for bidder in dict.fromkeys(row["bidder"] for row in rows):
        mine = [row for row in rows if row["bidder"] == bidder]
        style = "ks:" if bidder == "published" else "o-"
        axes.plot([row["condition"] for row in mine], [row["profit"] for row in mine], style, label=bidder)
    axes.set_ylabel("mean profit ratio, percent")
    axes.set_ylim(0)
    axes.legend(frameon=False)
