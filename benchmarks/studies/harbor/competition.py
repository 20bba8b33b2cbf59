"""HARBOR's second study: the cost of competition for the same persona, with two matching houses for each persona.

The table has the mean profit ratio of each seat, and the mean of all seats. In the first condition the Master alone has
no persona. Published is that the Master's ratio falls from condition to condition, while the mean of all seats rises at
first, with three different personas, and falls then.

Among rule bidders the mean falls in every step if each limit is a fixed share of the value, with a larger share for a
match (`fixed`); the Master's own ratio does not, because a Master without a persona bids less for every house. The mean
hardly changes if bidders spread their whole budgets over the houses, as `persona` does by default: they spend the same
amount whether they share a persona or not, so that bidders with a unique persona gain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aucenv.benchmarks.studies.cells import Table, bidders_of, differences_table, estimates, group_by, with_published
from aucenv.benchmarks.studies.harbor.roles import (
    GAMES,
    PERCENT,
    ROLES,
    condition,
    condition_of,
    figures_by_role,
    houses_for,
    master_profits,
    number_matches,
    rotations,
    study_records,
)
from aucenv.benchmarks.studies.harbor.significance_lines import anova_line, paired_line, t_line, trend_line
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.harbor.game import MATCHES, NUM_ITEMS, HarborScenario
from aucenv.runs.play import Match

NAME = "harbor/2"

ALONE = "Master without persona"
CONDITIONS = {
    ALONE: lambda a, b, c: ("none", b, c),
    "own persona": lambda a, b, c: (a, b, c),
    "Master shares rival 2's": lambda a, b, c: (c, b, c),
    "all share one": lambda a, b, c: (a, a, a),
}
PUBLISHED = {
    ALONE: (34.56, 24.59, 24.08, 27.74),
    "own persona": (31.75, 32.35, 23.60, 29.23),
    "Master shares rival 2's": (26.81, 29.72, 22.88, 26.47),
    "all share one": (25.22, 21.66, 18.97, 21.95),
}
"""Published profit ratios (%) of GPT-4o-mini: the Master, its two rivals, their mean."""
PUBLISHED_TESTS = (
    "F(3, 56) = 2.52, p = 0.067, eta squared 0.12",
    "r = -0.98, p = 0.017, -9.33 points",
)

COLUMNS = {
    "condition": ("condition", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    **{f"profit_{seat}": (f"{role}, %", "{:.2f}") for seat, role in enumerate(ROLES)},
    "profit": ("mean, %", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of all four conditions, in which one bidder plays all seats.

    A deal has the same houses in the same order in all conditions.
    """
    return number_matches(
        (_dealt(f"{NAME}: {name}", entries(*ids), ids, deal), [bidder] * len(ROLES), deal)
        for bidder in bidders
        for name, entries in CONDITIONS.items()
        for deal, ids in rotations(games, len(ROLES), seed)
    )


def _dealt(name: str, entries: Sequence[str], ids: Sequence[str], deal: tuple[int, int]) -> HarborScenario:
    by_persona = houses_for(ids, deal, MATCHES, NUM_ITEMS)
    houses = tuple(listing for listings in by_persona.values() for listing in listings)
    return condition(name, entries, houses=houses, matches=None)


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each condition and bidder, and a published row for each condition; figures are in percent."""
    table: list[JsonObject] = []
    cells = group_by(study_records(records, NAME), lambda record: (condition_of(NAME)(record), bidders_of(record)))
    for name, published in PUBLISHED.items():
        by_bidder = {bidder: played for (key, bidder), played in cells.items() if key == name}
        if not by_bidder:
            continue
        figures = dict(zip((*(f"profit_{seat}" for seat in range(len(ROLES))), "profit"), published, strict=True))
        table.append({"condition": name, "bidder": "published", "games": 15, **figures})
        for bidder, played in by_bidder.items():
            profits = figures_by_role(played, PERCENT)
            samples = {"samples": master_profits(played)}
            head = {"condition": name, "bidder": bidder, "games": len(played)}
            row = {**head, **profits, **estimates(played, PERCENT), **samples}
            table.append(with_published(row, figures))
    return table


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return tests of the Master's profit ratio over the conditions, and the differences from the published values.

    The tests are an analysis of variance, the trend and t-tests.
    """
    lines = [["published", "analysis of variance", PUBLISHED_TESTS[0]], ["published", "trend", PUBLISHED_TESTS[1]]]
    for bidder in dict.fromkeys(row["bidder"] for row in rows if "samples" in row):
        by_condition = {row["condition"]: row for row in rows if row["bidder"] == bidder}
        lines.append([bidder, "analysis of variance", anova_line([row["samples"] for row in by_condition.values()])])
        lines.append([bidder, "trend", trend_line([row["profit_0"] for row in by_condition.values()])])
        lines += _pairs(bidder, by_condition, ALONE, "independent", t_line)
        lines += _pairs(bidder, by_condition, "own persona", "paired by deal", by_deal)
    heads = {"condition": "condition", "bidder": "bidder"}
    figures = {name: COLUMNS[name] for name in (*(f"profit_{seat}" for seat in range(len(ROLES))), "profit")}
    tests = ("Tests of the Master's profit ratio", ["bidder", "test", "result"], lines)
    return [tests, differences_table(rows, heads, figures)]


def by_deal(baseline: Sequence[float], other: Sequence[float]) -> str:
    return paired_line(baseline, other, len(ROLES))


def _pairs(
    bidder: str, rows: dict[str, JsonObject], first: str, how: str, line: Callable[[list[float], list[float]], str]
) -> list[list[str]]:
    """Return a line with the test of each later condition against `first`."""
    later = list(rows)[list(rows).index(first) + 1 :] if first in rows else []
    return [
        [bidder, f"{name} against {first}, {how}", line(rows[first]["samples"], rows[name]["samples"])]
        for name in later
    ]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the mean profit ratio by condition: a line for each bidder, and the published line."""
    axes = figure.subplots()
    for bidder in dict.fromkeys(row["bidder"] for row in rows):
        line = [row for row in rows if row["bidder"] == bidder]
        style = "ks:" if bidder == "published" else "o-"
        conditions = [row["condition"].replace("shares ", "shares\n") for row in line]
        draw_points(axes, conditions, line, "profit", style, bidder)
    axes.axhline(0, color="0.4", linewidth=0.8)
    lowest, highest = (pick(row.get(f"profit_{end}") or row["profit"] for row in rows)
                       for pick, end in ((min, "low"), (max, "high")))  # fmt: skip
    axes.set_ylim(bottom=min(0, lowest), top=1.1 * highest)
    axes.margins(x=0.12)
    axes.set_xlabel("personas")
    axes.set_ylabel("profit ratio, mean of all seats, %")
    legend_above(figure)


STUDY: Study = Study(
    name=NAME,
    about="HARBOR 2: mean profit ratio (%) as more bidders share a persona.",
    columns=COLUMNS,
    bidders=("persona", "fixed=persona,share=0.5,like=1"),
    games=GAMES,
    matches=matches,
    rows=rows,
    draw=draw,
    more_tables=more_tables,
    meaning=(
        "Published are means over 15 auctions of GPT-4o-mini, without intervals: that of a difference is the one of "
        "ours. The seats' own columns have few games and need not be monotone; the trend to compare is that of the "
        "mean."
    ),
)
