"""Proxy auctions under a hard and a soft close, with hidden reserves, beside the logged figures of GPT-4o.

Source: the third format of Synthetic Labs, arXiv 2507.09083, and the logs of its program, 30 auctions of each of the
eight conditions (29 of one). A bid is a raise of a maximum.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from aucenv.benchmarks.studies.cells import (
    bidders_of,
    estimates,
    group_by,
    published_columns,
    same_in_all_seats,
    with_published,
)
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.ebay.figures import FIGURES, seat_figures
from aucenv.envs.ebay.game import CLOSINGS
from aucenv.runs.play import Match

BIDDERS = ("truthful", "sniper", "incremental")
RESERVES = (0, 40, 50, 60)
LOGGED_AUCTIONS = 30
PRICES = {"hard": (57.4, 57.5, 58.9, 59.6), "soft": (57.3, 57.9, 58.9, 59.7)}
SALES = {"hard": (30, 30, 28, 26), "soft": (30, 30, 28, 26)}
"""The mean price of the sold prizes of GPT-4o, and their number among 30, by close and reserve."""
BIDS = {"hard": (86, 45, 46, 44, 41, 38, 40, 32, 31, 28), "soft": (84, 36, 37, 30, 33, 29, 21, 15, 11, 4, 2)}
"""The bids of GPT-4o in 30 auctions without a reserve, by day."""
ON_DAY_10 = {close: round(days[9] / sum(days), 3) for close, days in BIDS.items()}
MODEL = "GPT-4o"

COLUMNS = {
    "closing": ("close", "{}"),
    "reserve": ("reserve, $", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("auctions", "{}"),
    **published_columns("price", "mean price, $", "{:.1f}"),
    **published_columns("sold", "sold", "{:.0%}"),
    "efficiency": ("efficiency of sales", "{:.1%}"),
    "final": ("final maximum / value", "{:.2f}"),
    "final_median": ("median", "{:.2f}"),
    **published_columns("on_day_10", "bids on day 10", "{:.1%}"),
    "on_last_day": ("bids on the last day", "{:.1%}"),
}


def condition(closing: str, reserve: float) -> str:
    """Return the name of the scenario of a condition."""
    return f"{closing}-{reserve}" if reserve else closing


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return auctions of every condition, in which one bidder plays all seats, with the same values."""
    cells = [("ebay", condition(closing, reserve)) for closing in CLOSINGS for reserve in RESERVES]
    return list(same_in_all_seats(cells, bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each condition and bidder.

    `efficiency` is the share of the sold prizes whose winner had the highest value, and `bids_by_day` the bids per
    auction on each day.
    """
    figures = {
        "price": FIGURES["price_mean"],
        "sold": FIGURES["sold"],
        "efficiency": lambda seat: (seat.efficient, seat.sold),
        "final": FIGURES["bid_per_value"],
        "on_day_10": FIGURES["bids_on_day_10"],
        "on_last_day": FIGURES["bids_on_last_day"],
    }
    names = {condition(closing, reserve): (closing, reserve) for closing in CLOSINGS for reserve in RESERVES}
    played = [record for record in records if record.game == "ebay" and record.scenario["name"] in names]
    table = []
    for (name, bidder), games in group_by(played, lambda each: (each.scenario["name"], bidders_of(each))).items():
        closing, reserve = names[name]
        seats = [seat for record in games for seat in seat_figures(record)]
        ratios = [ratio for seat in seats for ratio in seat.ratios]
        days = [day for seat in seats for day, _ in seat.bid_days]
        longest = max((prize["days"] for record in games for prize in record.outcome["prizes"]), default=0)
        row = {
            "closing": closing,
            "reserve": reserve,
            "bidder": bidder,
            "games": len(games),
            **estimates(games, figures),
            "final_median": round(statistics.median(ratios), 6) if ratios else None,
            "bids_by_day": [round(days.count(day) / len(games), 6) for day in range(1, longest + 1)],
        }
        number = RESERVES.index(reserve)
        published = {
            "price": PRICES[closing][number],
            "sold": round(SALES[closing][number] / LOGGED_AUCTIONS, 4),
            "on_day_10": ON_DAY_10[closing] if reserve == 0 else None,
        }
        table.append(with_published(row, published))
    return table


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the bids per auction by day without a reserve: a panel for each close, with GPT-4o's as white squares."""
    panels = figure.subplots(1, len(CLOSINGS), sharey=True)
    for axes, closing in zip(panels, CLOSINGS, strict=True):
        shown = [row for row in rows if (row["closing"], row["reserve"]) == (closing, 0)]
        for number, row in enumerate(shown):
            shift = 0.12 * (number - (len(shown) - 1) / 2)  # lines that are equal stay visible
            places = [day + shift for day in range(1, len(row["bids_by_day"]) + 1)]
            axes.plot(places, row["bids_by_day"], "o-", markersize=3, label=row["bidder"])
        logged = [bids / LOGGED_AUCTIONS for bids in BIDS[closing]]
        style = {"markersize": 5, "markerfacecolor": "white", "color": "0.3"}
        axes.plot(range(1, len(logged) + 1), logged, "s:", label=f"{MODEL}, published", **style)
        axes.set_title(f"{closing} close")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("day")
    panels[0].set_ylabel("bids per auction")
    legend_above(figure)


STUDY: Study = Study(
    name="labs/ebay",
    about=(
        "Price, sales, efficiency and the days of bids in proxy auctions of 10 days, under a hard and a soft close "
        "and with hidden reserves, beside GPT-4o."
    ),
    columns=COLUMNS,
    bidders=BIDDERS,
    games=30,  # auctions of each condition, as published
    offline_bidders=(*BIDDERS, "planner=llm:scripted,agent=plan-bid-reflect"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=(8, 4.5),
    recorded=("ebay",),
    meaning=(
        "The published figures are those of GPT-4o, with other values and under prompts in other words, from 30 "
        "auctions of each condition and without intervals: the interval of a difference is that of ours. GPT-4o's "
        "efficiency is 97 to 100% under the hard close, its median final maximum is its value, and no maximum is "
        "above it."
    ),
)
