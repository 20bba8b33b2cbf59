"""HARBOR's fourth study: the accuracy of profiles by the number of rivals."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.studies.harbor.divergence import COLUMNS as FIGURES
from aucenv.benchmarks.studies.harbor.divergence import UNIFORM, divergence_rows, draw_against
from aucenv.benchmarks.studies.harbor.roles import GAMES, condition, condition_of, number_matches, rotations
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.runs.play import Match

NAME = "harbor/4"
RIVALS = range(2, 7)

COLUMNS = {
    "rivals": ("rivals", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    **FIGURES,
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games with fifteen houses, of which two match each rival; the Master has no persona."""
    return number_matches(
        (condition(f"{NAME}: {number}", ("none", *ids), num_items=15), [bidder] * (number + 1), deal)
        for bidder in bidders
        for number in RIVALS
        for deal, ids in rotations(games, number, seed)
    )


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each number of rivals and bidder, with the divergence (KL) of the Master's profiles."""
    return divergence_rows(records, condition_of(NAME), lambda name: {"sort": "single", "rivals": int(name)})


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the divergence by the number of rivals, with that of a uniform profile as a dashed line."""
    axes = figure.subplots()
    draw_against(axes, rows, "rivals", UNIFORM["single"])
    axes.set_xticks(list(RIVALS))
    axes.set_xlabel("number of rivals")
    axes.set_ylabel("KL divergence, nats")
    legend_above(figure)


STUDY: Study = Study(
    name=NAME,
    about="HARBOR 4: KL of the Master's profiles of 2 to 6 rivals; two of fifteen houses match each rival.",
    columns=COLUMNS,
    bidders=("persona",),
    games=GAMES,
    matches=matches,
    rows=rows,
    draw=draw,
    meaning=(
        "The paper prints no divergence of its curve, only that of a uniform profile, which stands beside ours; it "
        "reports that divergence rises from five bidders on."
    ),
)
