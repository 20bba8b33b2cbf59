"""HARBOR's third study: how well rivals are profiled by the number of houses that match them.

Without a matching house (M = 0) a profile can only exclude what its rival lets go. Early, when few houses have told
anything, the true persona may be the one with the least weight; the shift by that gives it no chance, which costs 27.
Medians tell the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.reproduce.cells import Drawing
from aucenv.benchmarks.reproduce.harbor.divergence import COLUMNS as FIGURES
from aucenv.benchmarks.reproduce.harbor.divergence import UNIFORM, divergence_rows, draw_against
from aucenv.benchmarks.reproduce.harbor.roles import GAMES, ROLES, condition, condition_of, numbered, rotations

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.runs.play import Match

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "SIZE", "draw", "matches", "rows"]

NAME = "harbor/3"
ABOUT = "HARBOR 3: KL of the Master's profiles of two rivals, by M, the houses that match each of them."
BIDDERS = ("persona",)
SIZE = (9.6, 3.6)
MATCHES = range(5)

COLUMNS = {
    "sort": ("personas", "{}"),
    "M": ("M", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    **FIGURES,
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Ten houses, M of them for each rival; the Master has no persona, each rival one, or a mix of two."""
    return numbered(
        (condition(f"{NAME}: {sort} {m}", ("none", *ids), matches=m), [bidder] * len(ROLES), deal)
        for bidder in bidders
        for sort in UNIFORM
        for m in MATCHES
        for deal, ids in rotations(games, len(ROLES) - 1, seed, 1 if sort == "single" else 2)
    )


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each sort of personas, M and bidder."""

    def read(name: str) -> JsonObject:
        sort, m = name.split()
        return {"sort": sort, "M": int(m)}

    return divergence_rows(records, condition_of(NAME), read)


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """The divergence by M, of single personas and of mixes (dashed: of a uniform profile); and by items through."""
    single, mixed, course = figure.subplots(1, 3)
    for axes, sort in ((single, "single"), (mixed, "mixed")):
        draw_against(axes, [row for row in rows if row["sort"] == sort], "M", UNIFORM[sort])
        axes.set_title(f"{sort} personas", fontsize=9)
    single.set_ylabel("KL")
    if single.lines:
        single.legend(frameon=False, fontsize=7)
    first = rows[0]["bidder"]
    for row in rows:
        if row["bidder"] == first and row["sort"] == "single":
            through, means, medians = zip(*row["by_item"], strict=True)
            line = course.plot(through, means, label=f"M = {row['M']}")
            course.plot(through, medians, ":", color=line[0].get_color())
    course.set_title("single personas (dots: medians)", fontsize=9)
    course.set_xlabel("items through")
    course.set_ylim(0)
    course.legend(frameon=False, fontsize=7)
