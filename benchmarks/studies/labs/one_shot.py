"""Mean of bid / value in a single round of the four pricings, beside the published ratios of GPT-4.

Source: the one-shot variant of Synthetic Labs, arXiv 2507.09083: 20 sessions of one round with three bidders. Nothing
can be learnt from earlier rounds, and no later round is affected.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.studies.cells import bidders_of, distinct, estimates, group_by, same_in_all_seats
from aucenv.benchmarks.studies.labs.published import beside_models, draw_models, model_columns, ratio_figures
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.runs.play import Match

PUBLISHED = {
    "first": ("first-ipv-once", 0.49),
    "second": ("second-ipv-once", 0.74),
    "third": ("third-ipv-once", 0.67),
    "all-pay": ("all-pay-ipv-once", 0.61),
}
"""Pricing -> its scenario, and the published ratio of GPT-4."""

COLUMNS = {
    "pricing": ("pricing", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "ratio": ("bid / value", "{:.2f}"),
    **model_columns("{:.2f}", ["gpt_4"]),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of a single round of every pricing, in which one bidder plays all seats, with the same values."""
    cells = [("sealed_bid", scenario) for scenario, _ in PUBLISHED.values()]
    return list(same_in_all_seats(cells, bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each pricing and bidder."""
    table = []
    played = [record for record in records if record.game == "sealed_bid"]
    cells = group_by(played, lambda record: (record.scenario["name"], bidders_of(record)))
    for pricing, (scenario, ratio) in PUBLISHED.items():
        for (name, bidder), games in cells.items():
            if name == scenario:
                row = {"pricing": pricing, "bidder": bidder, "games": len(games)}
                row |= estimates(games, {"ratio": ratio_figures("sealed_bid")["ratio"]})
                table.append(beside_models(row, "ratio", (ratio, None)))
    return table


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the ratios by pricing as points with intervals, and the published ones as white markers."""
    axes = figure.subplots()
    pricings = distinct(rows, "pricing")
    bidders = distinct(rows, "bidder")
    for number, bidder in enumerate(bidders):
        points = [row for row in rows if row["bidder"] == bidder and row["ratio"] is not None]
        places = [pricings.index(row["pricing"]) + 0.16 * (number - (len(bidders) - 1) / 2) for row in points]
        draw_points(axes, places, points, "ratio", "o", bidder)
    published = {row["pricing"]: (row["gpt_4"], row["gpt_4o"]) for row in rows}
    draw_models(axes, {pricing: place for place, pricing in enumerate(pricings)}, published)
    axes.axhline(1, color="0.4", linewidth=0.8, linestyle="--", label="bid = value")
    axes.set_xticks(range(len(pricings)), pricings)
    axes.set_xlim(-0.4, len(pricings) - 0.5)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("pricing")
    axes.set_ylabel("mean bid / value")
    legend_above(figure, 2)


STUDY: Study = Study(
    name="labs/one-shot",
    about="Mean bid / value in auctions of a single round, beside GPT-4.",
    columns=COLUMNS,
    bidders=("equilibrium",),
    games=20,  # sessions of each pricing, as published
    offline_bidders=("equilibrium", "planner=llm:scripted,agent=plan-bid-reflect"),
    matches=matches,
    rows=rows,
    draw=draw,
    recorded=("sealed_bid",),
    meaning=(
        "The published ratios are those of another model, under prompts in other words, from 20 sessions: the "
        "interval of a difference is that of ours only. The published third-price ratio is below that of 15 rounds "
        "(1.09); all bids are capped at $99, below the highest equilibrium bids of the third price ($198)."
    ),
)
