"""Six ratings from 1 to 5 of how residents play, by models as judges and by people who fill in a form.

Source: Alympics, arXiv 2311.03220, Table 6 and Figure 10: 30 records of 60 games, 15 of them with personas, each rated
by five judges; ten people rate their own play. The scales' wording and the judges' prompt are aucenv's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from aucenv.benchmarks.studies.alympics.droughts import GAME, matches
from aucenv.benchmarks.studies.alympics.forms import read_form, write_form
from aucenv.benchmarks.studies.alympics.judges import check_judges, judge
from aucenv.benchmarks.studies.alympics.rating_tables import (
    AGENTS,
    COLUMNS,
    PEOPLE,
    OfScales,
    draw_means,
    group_rows,
    published_row,
    scale_table,
)
from aucenv.benchmarks.studies.alympics.subjects import Subject, shuffled, subjects
from aucenv.benchmarks.studies.cells import Table
from aucenv.benchmarks.studies.raters import NOBODY, Raters, Rating
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing
from aucenv.core.checks import no_duplicates
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord

BIDDERS = ("resident=llm:scripted,agent=resident",)
JUDGES = ("llm:scripted",)
"""The judge if the user names none: a script, whose ratings mean nothing."""
SHOWN_WITH: Mapping[str, OfScales] = {
    "published, agents": AGENTS,
    "published, people rating themselves": PEOPLE,
}


def check_raters(raters: Raters) -> None:
    """Raise ValueError if a judge is no model, or two have one label."""
    check_judges(raters.judges)


def rows(records: Sequence[GameRecord], raters: Raters = NOBODY) -> list[JsonObject]:
    """Return a row for each bidder without and with personas, and two rows of published means.

    Args:
        records: the games.
        raters: who rates; if it is nobody, JUDGES do.

    Raises:
        ValueError, OSError, PolicyError, RunStopped: as in `judge`, `read_form` and `write_form`.
    """
    residents = subjects(records)
    if not residents:
        return []
    if raters.form is not None:
        write_form(raters.form, residents)
    names = raters.judges if raters.given else JUDGES
    ratings = [*judge(shuffled(residents), names, raters), *read_forms(raters, residents)]
    published = [
        published_row("five judges each, 30 records", AGENTS, 60, None),
        published_row("themselves (people)", PEOPLE, 2, 10),
    ]
    return [*group_rows(residents, ratings, AGENTS), *published]


def read_forms(raters: Raters, residents: Sequence[Subject]) -> list[Rating]:
    """Return the ratings of all filled forms.

    Raises:
        OSError, ValueError: as in `read_form`; or two forms have one name, which is that of the rater.
    """
    no_duplicates("--set ratings, names of files", [path.stem for path in raters.ratings])
    return list(chain.from_iterable(read_form(path, residents) for path in raters.ratings))


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the table with the figures of each scale."""
    about = (
        "Ratings by scale: SD over all ratings; Krippendorff's alpha of the judges for ordinal ratings (-: fewer than "
        "two judges, or all ratings equal); the interval of a mean needs five deals"
    )
    return [scale_table(rows, about)]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the means by scale beside the published ones."""
    draw_means(rows, figure, SHOWN_WITH)


STUDY: Study = Study(
    name="alympics/rubrics",
    about="How residents play, as judges rate it on six scales from 1 to 5: means over residents and judges.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=1,  # six games have 30 residents, 15 of them with personas: as many as the paper has records
    offline_games=2,
    offline_bidders=BIDDERS,
    matches=matches,
    rate=rows,
    check_raters=check_raters,
    draw=draw,
    size=(9.0, 4.6),
    more_tables=more_tables,
    recorded=(GAME,),
    meaning=(
        "The published figures are those of five judges, who read agents of GPT-4, on scales of other wording; those "
        "of people are their ratings of their own play. Judges differ in level: a difference from a published mean "
        "may be the judge's; groups rated by the same judges can be compared. The ratings of llm:scripted count "
        "words, and say nothing about play. Residents without a persona have no rating of identity."
    ),
)
