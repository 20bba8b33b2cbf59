"""HARBOR's third study: the accuracy of profiles by the number of houses that match a rival.

Without a matching house (M = 0), a profile can only exclude personas for whose houses the rival does not bid. After
few houses, the true persona may have the least weight. The shift by the minimum then gives it probability zero, which
adds about 27 to the KL divergence and dominates the mean; the medians are not affected.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.studies.harbor.divergence import COLUMNS as FIGURES
from aucenv.benchmarks.studies.harbor.divergence import UNIFORM, divergence_rows, draw_against
from aucenv.benchmarks.studies.harbor.roles import GAMES, ROLES, condition, condition_of, number_matches, rotations
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.runs.play import Match

NAME = "harbor/3"
MATCHES = range(5)

COLUMNS = {
    "sort": ("personas", "{}"),
    "M": ("M", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    **FIGURES,
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games with ten houses, of which M match each rival.

    The Master has no persona; each rival has one persona, or a mix of two.
    """
    return number_matches(
        (condition(f"{NAME}: {sort} {m}", ("none", *ids), matches=m), [bidder] * len(ROLES), deal)
        for bidder in bidders
        for sort in UNIFORM
        for m in MATCHES
        for deal, ids in rotations(games, len(ROLES) - 1, seed, 1 if sort == "single" else 2)
    )


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each sort of personas (single or mixed), M and bidder."""

    def read(name: str) -> JsonObject:
        sort, m = name.split()
        return {"sort": sort, "M": int(m)}

    return divergence_rows(records, condition_of(NAME), read)


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the divergence by M for single and mixed personas, with that of a uniform profile, and by closed items."""
    single, mixed, course = figure.subplots(1, 3)
    for axes, sort in ((single, "single"), (mixed, "mixed")):
        draw_against(axes, [row for row in rows if row["sort"] == sort], "M", UNIFORM[sort])
        axes.set_title(f"{sort} personas, at the end")
        axes.set_xlabel("houses that match a rival (M)")
        axes.set_xticks(list(MATCHES))
    single.set_ylabel("KL divergence, nats")
    legend_above(figure)
    first = rows[0]["bidder"]
    for row in rows:
        if row["bidder"] == first and row["sort"] == "single":
            closed, means, medians = zip(*row["by_item"], strict=True)
            line = course.plot(closed, means, label=f"M = {row['M']}")
            course.plot(closed, medians, ":", color=line[0].get_color())
    course.set_title("single personas, item by item\n(lines: means, dots: medians)")
    course.set_xlabel("closed items")
    course.set_ylim(0)
    course.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


STUDY: Study = Study(
    name=NAME,
    about="HARBOR 3: KL of the Master's profiles of two rivals, by the number M of houses that match each of them.",
    columns=COLUMNS,
    bidders=("persona",),
    games=GAMES,
    matches=matches,
    rows=rows,
    draw=draw,
    size=(11.0, 3.8),
    meaning=(
        "The paper prints no divergence of its curves, only those of uniform profiles, which stand beside ours; it "
        "reports that divergence falls with M, and that it is lower for mixes than for single personas."
    ),
)
