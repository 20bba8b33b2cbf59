"""The price of water: the lowest winning bid of each day. Source: Alympics, arXiv 2311.03220, section 4.

The paper draws its prices and prints none. The published medians are computed from its 60 published games
(github.com/microsoft/Alympics, exp/WAC/records.zip).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from aucenv.benchmarks.studies.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    NUMBERS,
    by_setting,
    leading_columns,
    matches,
    quarters,
)
from aucenv.benchmarks.studies.cells import Table, published_columns, table_of, with_published
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.analysis.statistics.design import deal_numbers
from aucenv.analysis.statistics.intervals import interval, resample
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

GAMES = 10

PUBLISHED = {
    1: (84.5, 90, 135, 200, 200, 235, 210, 245, 220, 190, 200, 180, 200, 210, 210, 200, 190, 155, 190, 170),
    2: (62.5, 75, 90, 102.5, 117.5, 120, 125, 150, 135, 120, 145, 135, 155, 155, 160, 165, 160, 150, 157.5, 152),
    3: (67.5, 75, 90, 100, 95, 120, 110, 110, 117.5, 125, 112.5, 130, 130, 120, 125, 115, 130, 132.5, 120, 150),
    4: (80, 100, 150, 200, 190, 200, 200, 205, 210, 200, 180, 205, 150, 210, 170, 195, 180, 200, 140, 180),
    5: (65, 90, 100, 145.36, 135, 140, 145, 185, 135, 180, 165, 170, 160, 153.63, 145, 125, 150, 130, 140, 130),
    6: (60, 72.5, 95, 101, 100, 110, 107.5, 107.5, 115, 105, 102.5, 110, 115, 120, 117.5, 107.5, 140, 110, 135, 145),
}
"""Setting -> the published medians by day."""

MEANS = {"mean": "mean, $", **{f"quarter_{quarter}": f"quarter {quarter}, $" for quarter in range(1, 5)}}
"""Mean of the medians -> its heading: over all days, and over each quarter of them."""
COLUMNS = {**HEAD, **{name: (heading, "{:.0f}") for name, heading in MEANS.items()}}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder, and a row with the published medians of each setting.

    `prices` are by day, of the games in which somebody got water; published rows have none.
    """
    table: list[JsonObject] = []
    for (setting, bidder), played in by_setting(records).items():
        published = PUBLISHED[NUMBERS[setting]]
        if not table or table[-1]["setting"] != setting:
            table.append(
                {
                    **leading_columns(setting, "published", games=GAMES),
                    **_means(published),
                    "medians": list(published),
                    "prices": None,
                }
            )
        row = {**leading_columns(setting, bidder, played), **_estimates(played)}
        table.append(with_published(row, _means(published)))
    return table


def _estimates(played: Sequence[GameRecord]) -> JsonObject:
    """Return the prices and their medians by day, and the means of the medians with intervals over deals."""
    days = played[0].scenario["days"]
    prices = np.full((len(played), days), np.nan)
    for game, record in enumerate(played):
        for day, price in enumerate(game_figures(record).lowest_winning_bids):
            prices[game, day] = np.nan if price is None else price
    deals = deal_numbers(played)
    medians = weighted_medians(prices, np.ones((1, len(played)), np.int64))[0]
    resampled = weighted_medians(prices, resample(deals)[:, deals])
    means = _means([None if np.isnan(value) else round(float(value), 6) for value in medians])
    for name, part in zip(MEANS, [slice(days), *_quarters(days)], strict=True):
        values = resampled[:, part]
        counts = np.sum(~np.isnan(values), axis=1)
        of_resample = np.where(counts > 0, np.nansum(values, axis=1) / np.maximum(counts, 1), np.nan)
        ends = (None, None) if means[name] is None else interval(of_resample, len(np.unique(deals)))
        for end, value in zip(("low", "high"), ends, strict=True):
            means[f"{name}_{end}"] = None if value is None else round(value, 6)
    by_day = [[float(price) for price in column if not np.isnan(price)] for column in prices.T]
    shown = [None if np.isnan(value) else round(float(value), 6) for value in medians]
    return {**means, "medians": shown, "prices": by_day}


def _quarters(days: int) -> list[slice]:
    return [slice(days * quarter // 4, days * (quarter + 1) // 4) for quarter in range(4)]


def weighted_medians(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the median of each column, in which each row counts a number of times.

    Args:
        values: (rows, columns), NaN where a row has none.
        times: (samples, rows) int64, how often each sample contains each row.

    Returns:
        (samples, columns), NaN where a sample has no value.
    """
    medians = np.full((len(times), values.shape[1]), np.nan)
    for column, each in enumerate(values.T):
        order = np.argsort(each)[: np.count_nonzero(~np.isnan(each))]  # NaN sorts last
        if not len(order):
            continue
        ends = np.cumsum(times[:, order], axis=1)
        middle = [np.argmax(ends > place[:, None], axis=1) for place in ((ends[:, -1] - 1) // 2, ends[:, -1] // 2)]
        both = sum(each[order][place] for place in middle) / 2
        medians[:, column] = np.where(ends[:, -1] > 0, both, np.nan)
    return medians


def _means(medians: Sequence[float | None]) -> JsonObject:
    """Return the means of medians over all days and over each quarter of them."""
    values = [value for value in medians if value is not None]
    return {
        "mean": round(sum(values) / len(values), 6) if values else None,
        **quarters([[value] if value is not None else [] for value in medians]),
    }


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the table of the differences from the published means."""
    columns = {**HEAD, **published_columns("mean", "mean, $", "{:.0f}")}
    columns |= {
        f"{name}_difference": (f"difference, {heading}", "{:+.0f}") for name, heading in MEANS.items() if name != "mean"
    }
    played = [row for row in rows if row["prices"] is not None]
    about = "Differences from the published games: mean of the daily medians, and by quarter of the days"
    return [table_of(about, columns, played)]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw box plots by day, their medians and the mean of these, and the published medians, by setting and bidder."""
    played = [row for row in rows if row["prices"] is not None]
    across = min(3, len(played))
    panels = figure.subplots(-(-len(played) // across), across, squeeze=False, sharex=True).ravel()
    for axes in list(panels)[len(played) :]:
        axes.set_axis_off()
    for axes, row in zip(panels[: len(played)], played, strict=True):
        days = range(1, len(row["prices"]) + 1)
        axes.boxplot(row["prices"], positions=list(days), widths=0.6, medianprops={"color": "none"}, sym=".")
        published = PUBLISHED[row["number"]]
        axes.plot(range(1, len(published) + 1), published, "k:", linewidth=1, label="median of the published games")
        points = [(day, value) for day, value in zip(days, row["medians"], strict=True) if value is not None]
        if points:
            axes.plot(
                *zip(*points, strict=True), color="tab:blue", marker="o", markersize=3, label="median of the games"
            )
            axes.axhline(row["mean"], color="tab:red", linestyle="--", linewidth=1, label="mean of the medians")
        axes.set_ylim(bottom=0)
        axes.set_title(f"{row['setting']}, {row['bidder']}")
    figure.supxlabel("day")
    figure.supylabel("lowest winning bid of a day, $")
    ticks = range(5, len(played[0]["prices"]) + 1, 5)
    panels[0].set_xticks(ticks, [str(day) for day in ticks])
    legend_above(figure)


STUDY: Study = Study(
    name="alympics/prices",
    about=(
        "The lowest winning bid of a day: its median over games, averaged over all days and over each quarter of them."
    ),
    columns=COLUMNS,
    bidders=BIDDERS,
    games=GAMES,
    matches=matches,
    rows=rows,
    draw=draw,
    size=(9.6, 7.2),
    more_tables=more_tables,
    recorded=(GAME,),
    meaning=(
        "The published medians are those of GPT-4's 60 games. An interval is that of our games alone; published means "
        "have none. Prices depend on who bids: a difference compares these bidders with the paper's, and says nothing "
        "about the rules."
    ),
)
