"""Ratings from 1 to 5 that bidders give their own play after the game, on the scales of `rubrics`.

Source: Alympics, arXiv 2311.03220, section 4, Figure 11: ten people play two games, and rate themselves. The text of
their games is damaged, so that no strict replay of them is possible; their ratings can be read.
A bidder with a model is asked after its game, at the end of its own conversation, which the journal of calls holds; so
no agent changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.studies.alympics.droughts import GAME, matches
from aucenv.benchmarks.studies.alympics.forms import write_form
from aucenv.benchmarks.studies.alympics.judges import rate_themselves
from aucenv.benchmarks.studies.alympics.rating_tables import (
    COLUMNS,
    PEOPLE,
    draw_means,
    group_rows,
    published_row,
    scale_table,
)
from aucenv.benchmarks.studies.alympics.rubrics import BIDDERS, read_forms
from aucenv.benchmarks.studies.alympics.subjects import subjects
from aucenv.benchmarks.studies.cells import Table
from aucenv.benchmarks.studies.raters import NOBODY, Raters
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord


def rows(records: Sequence[GameRecord], raters: Raters = NOBODY) -> list[JsonObject]:
    """Return a row for each bidder without and with personas, and a row of the people's means.

    Args:
        records: the games.
        raters: the calls of the games, by which models rate themselves, and forms in which people have rated the seats
            that they played.

    Raises:
        ValueError: judges are named; or as in `rate_themselves`, `read_form` and `write_form`.
        OSError, PolicyError, RunStopped: as there.
    """
    if raters.judges:
        raise ValueError("study alympics/self-ratings: expected no --set judge, because bidders rate themselves")
    residents = subjects(records)
    if not residents:
        return []
    if raters.form is not None:
        write_form(raters.form, residents)
    ratings = [*rate_themselves(residents, raters), *read_forms(raters, residents)]
    return [*group_rows(residents, ratings, PEOPLE), published_row("themselves (people)", PEOPLE, 2, 10)]


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the table with the figures of each scale."""
    about = "Ratings by scale: SD over all ratings; the interval of a mean needs five deals"
    return [scale_table(rows, about, without=("alpha",))]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the means by scale beside those of people."""
    draw_means(rows, figure, {"published, people": PEOPLE})


STUDY: Study = Study(
    name="alympics/self-ratings",
    about="How bidders rate their own play after the game, on the scales of alympics/rubrics, from 1 to 5: means.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=1,
    offline_games=2,
    offline_bidders=BIDDERS,
    matches=matches,
    rate=rows,
    draw=draw,
    size=(9.0, 4.6),
    more_tables=more_tables,
    recorded=(GAME,),
    meaning=(
        "The published figures are those of ten people who rate their own play. A model that rates itself sees its "
        "conversation; how it rates says more about the model than about its play, and no other rater checks it. The "
        "ratings of llm:scripted count words. Bidders without a model rate nothing (-)."
    ),
)
