"""Tables and figures of ratings: quartiles, means, deviations and agreement by group of residents and scale."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Mapping, Sequence

import numpy as np
from aucenv.benchmarks.studies.alympics.scales import HIGHEST, SCALES, Published
from aucenv.benchmarks.studies.alympics.subjects import Subject
from aucenv.benchmarks.studies.cells import (
    Table,
    flattened,
    group_by,
    published_columns,
    table_of,
    with_published,
)
from aucenv.benchmarks.studies.raters import Rating

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.analysis.statistics.agreement import krippendorff_alpha
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import ratio
from aucenv.core.files import JsonMapping, JsonObject

PUBLISHED = "published"
OfScales = Mapping[str, Published | None]
"""The published ratings on each scale; None: there are none."""
AGENTS: OfScales = {name: scale.agents for name, scale in SCALES.items()}
PEOPLE: OfScales = {name: scale.people for name, scale in SCALES.items()}


def _beside_published(name: str, heading: str) -> dict[str, tuple[str, str]]:
    """Return the columns of a figure and its published value, without their difference."""
    return {name: (heading, "{:.2f}"), f"{name}_published": ("published", "{:.2f}")}


COLUMNS = {
    "personas": ("personas", "{}"),
    "bidder": ("bidder", "{}"),
    "raters": ("rated by", "{}"),
    "games": ("games", "{}"),
    "residents": ("residents", "{}"),
    "unreadable": ("unreadable ratings", "{}"),
    **{name: (scale.heading, "{:.2f}") for name, scale in SCALES.items()},
}
OF_SCALE = {
    "personas": ("personas", "{}"),
    "bidder": ("bidder", "{}"),
    "scale": ("scale", "{}"),
    "number": ("ratings", "{}"),
    **_beside_published("quartile_1", "quartile 1"),
    **_beside_published("median", "median"),
    **_beside_published("quartile_3", "quartile 3"),
    **_beside_published("sd", "SD"),
    "alpha": ("alpha", "{:.2f}"),
    **published_columns("mean", "mean", "{:.2f}"),
}


def published_row(raters: str, published: OfScales, games: int, residents: int | None) -> JsonObject:
    """Return a row of published means."""
    head = {"personas": "both", "bidder": PUBLISHED, "raters": raters, "games": games, "residents": residents}
    return {**head, "unreadable": None, **_means(published)}


def _means(published: OfScales) -> dict[str, float | None]:
    return {name: None if figures is None else figures.mean for name, figures in published.items()}


def group_rows(residents: Sequence[Subject], ratings: Sequence[Rating], published: OfScales) -> list[JsonObject]:
    """Return a row for each bidder, without and with personas.

    Args:
        residents: all residents.
        ratings: all ratings.
        published: the published ratings that stand beside.

    Returns:
        Rows with the mean of each scale under its name, and in `scales` its number of ratings, quartiles, mean with its
        interval over deals, standard deviation, and Krippendorff's alpha for ordinal ratings.
    """
    by_subject = group_by(ratings, lambda rating: rating.subject)
    groups = group_by(residents, lambda subject: (subject.bidder, "shown" if subject.persona else "none"))
    rows: list[JsonObject] = []
    for (bidder, personas), chosen in groups.items():
        rated = [rating for subject in chosen for rating in by_subject.get(subject.id, [])]
        row: JsonObject = {
            "personas": personas,
            "bidder": bidder,
            "raters": ", ".join(dict.fromkeys(rating.rater for rating in rated)) or "nobody",
            "games": len({subject.record.index for subject in chosen}),
            "residents": len(chosen),
            "unreadable": sum(rating.unreadable for rating in rated),
            "scales": {},
        }
        for name in SCALES:
            figures = _scale_figures(name, chosen, rated) | _published_figures(published[name])
            row["scales"][name] = figures = with_published(figures, {"mean": figures["mean_published"]})
            for end in ("", "_low", "_high"):
                row[f"{name}{end}"] = figures[f"mean{end}"]
        rows.append(row)
    return rows


def _published_figures(published: Published | None) -> JsonObject:
    names = [field.name for field in dataclasses.fields(Published)]
    return {f"{name}_published": getattr(published, name, None) for name in names}


def _scale_figures(name: str, residents: Sequence[Subject], ratings: Sequence[Rating]) -> JsonObject:
    """Return the figures of one scale; those that are not defined are None."""
    scores = [rating.scores[name] for rating in ratings if name in rating.scores]
    figures: JsonObject = {"number": len(scores)}
    undefined = dict.fromkeys(("quartile_1", "median", "quartile_3", "mean", "mean_low", "mean_high", "sd", "alpha"))
    if not scores:
        return {**figures, **undefined}
    quartiles = zip(("quartile_1", "median", "quartile_3"), np.percentile(scores, [25, 50, 75]), strict=True)
    figures |= {**undefined, **{quartile: float(value) for quartile, value in quartiles}}
    figures |= _mean(name, residents, ratings)
    figures["sd"] = round(statistics.stdev(scores), 6) if len(scores) > 1 else None
    alpha = krippendorff_alpha(_matrix(name, residents, ratings))
    figures["alpha"] = None if alpha is None else round(alpha, 6)
    return figures


def _mean(name: str, residents: Sequence[Subject], ratings: Sequence[Rating]) -> JsonObject:
    """Return the mean score with its interval over deals, which residents of one game share."""
    design = Design.of_records([subject.record for subject in residents])
    deal_of = dict(zip((subject.id for subject in residents), design.deals.tolist(), strict=True))
    sums = np.zeros((design.num_deals, 2))
    for rating in ratings:
        if name in rating.scores:
            sums[deal_of[rating.subject]] += rating.scores[name], 1
    return flattened({"mean": ratio(sums, design)})


def _matrix(name: str, residents: Sequence[Subject], ratings: Sequence[Rating]) -> np.ndarray:
    """Return the scores of a scale, (raters, residents), NaN where there is none."""
    columns = {subject.id: number for number, subject in enumerate(residents)}
    raters = {rater: number for number, rater in enumerate(dict.fromkeys(rating.rater for rating in ratings))}
    matrix = np.full((len(raters), len(columns)), np.nan)
    for rating in ratings:
        if name in rating.scores:
            matrix[raters[rating.rater], columns[rating.subject]] = rating.scores[name]
    return matrix


def scale_table(rows: Sequence[JsonMapping], about: str, without: Sequence[str] = ()) -> Table:
    """Return the table with a line for each group and scale.

    Args:
        without: figures that have no column.
    """
    columns = {name: column for name, column in OF_SCALE.items() if name not in without}
    lines = [
        {"personas": row["personas"], "bidder": row["bidder"], "scale": SCALES[name].heading, **figures}
        for row in rows
        for name, figures in row.get("scales", {}).items()
    ]
    return table_of(about, columns, lines)


def draw_means(rows: Sequence[JsonMapping], figure: Drawing, published: Mapping[str, OfScales]) -> None:
    """Draw the mean of each scale as a bar for each group, and published means as marks.

    Args:
        published: the published ratings by label.
    """
    groups = [row for row in rows if row["bidder"] != PUBLISHED]
    axes = figure.subplots()
    width = 0.8 / len(groups)
    for number, row in enumerate(groups):
        drawn = [{key: float("nan") if value is None else value for key, value in _ends(row, name)} for name in SCALES]
        drawn = [one if one["mean_low"] == one["mean_low"] else {"mean": one["mean"]} for one in drawn]
        places = [place + (number + 0.5) * width - 0.4 for place in range(len(SCALES))]
        personas = "with personas" if row["personas"] == "shown" else "no personas"
        draw_bars(axes, places, drawn, "mean", width, f"{row['bidder']}, {personas}")
    for mark, (label, ratings) in zip(("_", "x"), published.items(), strict=False):
        values = [float("nan") if mean is None else mean for mean in _means(ratings).values()]
        size = 22 if mark == "_" else 7
        axes.plot(range(len(SCALES)), values, f"k{mark}", markersize=size, markeredgewidth=2, label=label)
    axes.set_xticks(range(len(SCALES)), [scale.heading for scale in SCALES.values()])
    axes.set_ylim(0, HIGHEST + 0.2)
    axes.set_ylabel("mean rating, from 1 to 5")
    legend_above(figure, 2)


def _ends(row: JsonMapping, name: str) -> list[tuple[str, float | None]]:
    return [(f"mean{end}", row[f"{name}{end}"]) for end in ("", "_low", "_high")]
