"""Mean of bid / value in all settings of Synthetic Labs, beside the published ratios of GPT-4 and GPT-4o.

The settings are the four pricings, affiliated values in second-price auctions and on two clocks, six interventions in
the rules of second-price auctions, and four currencies and four languages of first- and second-price auctions. Source:
the published logs of arXiv 2507.09083, from which the ratios are the means over bids on prizes worth more than 0.

On the clocks, the published count takes the price at which the clock stopped for the winner's, although the winner had
not left: a truthful bidder has less than 1. The table compares this count of ours with the published one, and shows the
count that treats these prices as censored beside it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aucenv.benchmarks.studies.cells import bidders_of, distinct, estimates, group_by, same_in_all_seats
from aucenv.benchmarks.studies.labs.published import (
    Pair,
    beside_models,
    draw_models,
    model_columns,
    ratio_figures,
)
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.runs.play import Match

PRICINGS = "pricings and clocks"
INTERVENTIONS = "second price with an intervention"
FIRST, SECOND = "first price, currencies and languages", "second price, currencies and languages"


@dataclasses.dataclass(frozen=True)
class Setting:
    """A setting of the study: its group, its title, game and scenario, and its published ratios of GPT-4 and GPT-4o."""

    kind: str
    title: str
    game: str
    scenario: str
    published: Pair


def _sealed(kind: str, title: str, scenario: str, gpt_4: float, gpt_4o: float | None = None) -> Setting:
    return Setting(kind, title, "sealed_bid", scenario, (gpt_4, gpt_4o))


ROBUSTNESS = {
    "euro": (0.80, 1.02),
    "ruble": (0.89, 1.02),
    "rupee": (0.90, 1.24),
    "yen": (0.78, 0.87),
    "chinese": (0.83, 0.93),
    "spanish": (0.88, 1.03),
    "hindi": (0.83, 0.89),
    "russian": (0.98, 0.98),
}
"""Published ratios of GPT-4 in first- and second-price auctions, by currency and language."""
SETTINGS = (
    _sealed(PRICINGS, "first", "first-ipv", 0.72, 0.95),
    _sealed(PRICINGS, "second", "second-ipv", 0.80, 1.04),
    _sealed(PRICINGS, "third", "third-ipv", 1.09, 0.91),
    _sealed(PRICINGS, "all-pay", "all-pay-ipv", 0.62, 0.80),
    _sealed(PRICINGS, "second, affiliated", "second-apv", 1.03, 0.87),
    Setting(PRICINGS, "open clock, affiliated", "clock", "ascending-apv", (0.89, 0.88)),
    Setting(PRICINGS, "blind clock, affiliated", "clock", "ascending-apv-blind", (0.89, 0.90)),
    _sealed(INTERVENTIONS, "menu", "second-ipv-menu", 0.91, 0.92),
    _sealed(INTERVENTIONS, "proxy clock", "second-ipv-proxy-clock", 0.74, 1.04),
    _sealed(INTERVENTIONS, "Nash deviation", "second-ipv-nash", 0.88, 0.94),
    _sealed(INTERVENTIONS, "dominant strategy", "second-ipv-dominant", 1.01, 1.06),
    _sealed(INTERVENTIONS, "wrong strategy", "second-ipv-wrong", 0.58, 0.62),
    _sealed(INTERVENTIONS, "risk neutrality", "second-ipv-risk-neutral", 0.74, 0.94),
    *(_sealed(FIRST, word, f"first-ipv-{word}", ratios[0]) for word, ratios in ROBUSTNESS.items()),
    *(_sealed(SECOND, word, f"second-ipv-{word}", ratios[1]) for word, ratios in ROBUSTNESS.items()),
)
BY_SCENARIO = {(setting.game, setting.scenario): setting for setting in SETTINGS}

COLUMNS = {
    "kind": ("settings", "{}"),
    "setting": ("setting", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "ratio": ("bid / value", "{:.2f}"),
    **model_columns("{:.2f}"),
    "censored": ("censored", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of every setting, in which one bidder plays all seats; values are the same in equal value models."""
    return list(same_in_all_seats(BY_SCENARIO, bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder, in the order of SETTINGS."""
    cells = group_by(
        records, lambda record: (BY_SCENARIO.get((record.game, record.scenario["name"])), bidders_of(record))
    )
    table = []
    for setting in SETTINGS:
        for (played_setting, bidder), played in cells.items():
            if played_setting == setting:
                row = {"kind": setting.kind, "setting": setting.title, "bidder": bidder, "games": len(played)}
                row |= estimates(played, ratio_figures(setting.game))
                table.append(beside_models(row, "ratio", setting.published))
    return table


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the ratios of each group of settings as points with intervals, and the published ones as white markers."""
    kinds = distinct(rows, "kind")
    panels = figure.subplots((len(kinds) + 1) // 2, min(2, len(kinds)), squeeze=False, sharey=True).ravel()
    for axes in panels[len(kinds) :]:
        axes.remove()
    for axes, kind in zip(panels, kinds, strict=False):
        _draw_kind(axes, [row for row in rows if row["kind"] == kind], distinct(rows, "bidder"))
        axes.set_title(kind)
    shown = [row[name] for row in rows for name in ("ratio", "ratio_high", "gpt_4", "gpt_4o") if row.get(name)]
    panels[0].set_ylim(0, 1.06 * max([1.0, *shown]))  # one scale for all panels, which has all markers
    for axes in panels[:: min(2, len(kinds))]:
        axes.set_ylabel("mean bid / value")
    legend_above(figure, 2)


def _draw_kind(axes: Drawing, rows: Sequence[JsonObject], bidders: Sequence[str]) -> None:
    titles = distinct(rows, "setting")
    for number, bidder in enumerate(bidders):
        points = [row for row in rows if row["bidder"] == bidder and row["ratio"] is not None]
        if points:
            shift = 0.16 * (number - (len(bidders) - 1) / 2)
            draw_points(axes, [titles.index(row["setting"]) + shift for row in points], points, "ratio", "o", bidder)
    published = {row["setting"]: (row["gpt_4"], row["gpt_4o"]) for row in rows}
    draw_models(axes, {title: place for place, title in enumerate(titles)}, published)
    axes.axhline(1, color="0.4", linewidth=0.8, linestyle="--", label="bid = value")
    axes.set_xticks(range(len(titles)), titles, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.5, len(titles) - 0.5)


STUDY: Study = Study(
    name="labs/ratios",
    about="Mean bid / value in the settings of Synthetic Labs, beside GPT-4 and GPT-4o.",
    columns=COLUMNS,
    bidders=("equilibrium",),
    games=5,  # sessions of each setting, as published for GPT-4
    offline_bidders=("equilibrium", "planner=llm:scripted,agent=plan-bid-reflect"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=(10.0, 7.6),
    recorded=("sealed_bid", "clock"),
    meaning=(
        "The published ratios are those of other models, under prompts in other words, and have no intervals: the "
        "interval of a difference is that of ours. Rule bidders and scripts ignore the advice, the currency and the "
        "language, so that their rows of these settings repeat those of the plain auction; only models can differ. On "
        "the clocks both ratios count the price at which the clock stopped for the winner's; `censored` treats it as "
        "a lower limit."
    ),
)
