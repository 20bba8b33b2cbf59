"""The behavior of bidders by starting price: the mean profit from winning an item, and the mean number of bids for it.

Source: AucArena, arXiv 2310.05746, appendix: budgets of $10,000, $20,000 and $40,000, ascending and descending orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aucenv.benchmarks.studies.aucarena.auctions import (
    PRICES,
    Counts,
    Setting,
    against_rivals,
    by_setting,
    dollars,
    labels_of,
    rates_by_bidder,
    rivals_of,
    seats_of,
)
from aucenv.benchmarks.studies.cells import Row, Table, distinct, table_of
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import COLOURS, Drawing, legend_above
from aucenv.core.records.record import GameRecord
from aucenv.runs.play import Match

BUDGETS = (10_000, 20_000, 40_000)
ORDERS = ("ascending", "descending")
SETTINGS: tuple[Setting, ...] = tuple((budget, order) for budget in BUDGETS for order in ORDERS)
AREA = 32
"""The area of a circle, in square points, for each bid."""

HEAD = {
    "budget": ("budget, $", "{:,}"),
    "order": ("order", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "against": ("against", "{}"),
}
COLUMNS = {**HEAD, **{f"profit_{price}": (dollars(price), "{:,.0f}") for price in PRICES}}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of each bidder against rule bidders, at three budgets and in two orders."""
    return against_rivals(bidders, games, seed, SETTINGS)


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each setting and bidder: `profit_PRICE` and `bids_PRICE` for each starting price."""
    table = []
    for (budget, order), played in by_setting(records, SETTINGS).items():
        figures, rivals = rates_by_bidder(played, _counts), rivals_of(played)
        for bidder, games in labels_of(played).items():
            row: Row = {"budget": budget, "order": order, "bidder": bidder, "games": games, "against": rivals[bidder]}
            table.append(row | figures[bidder])
    return table


def _counts(record: GameRecord) -> Mapping[str, Counts]:
    """Sum up the profit of items won, and the bids for all items, by bidder and starting price."""
    items = list(zip(record.deal["items"], record.outcome["items"], strict=True))
    counts: dict[str, Counts] = {}
    for label, seats in seats_of(record).items():
        by_price: dict[str, tuple[float, float]] = {}
        bid_items = [one["item"] for one in record.decisions if one["seat"] in seats and one["amount"] is not None]
        for price in PRICES:
            numbers = [j for j, (item, _) in enumerate(items) if item["starting_price"] == price]
            profits = [
                items[j][0]["true_value"] - items[j][1]["price"] for j in numbers if items[j][1]["winner"] in seats
            ]
            bids = sum(j in numbers for j in bid_items)
            by_price[f"profit_{price}"] = sum(profits), len(profits)
            by_price[f"bids_{price}"] = bids, len(numbers) * len(seats)
        counts[label] = by_price
    return counts


def more_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the table of mean bids."""
    columns = {**HEAD, **{f"bids_{price}": (dollars(price), "{:.2f}") for price in PRICES}}
    title = "Mean number of bids for an item, by its starting price"
    return [table_of(title, columns, rows)]


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: wider for more bidders, and higher for more budgets."""
    bidders, budgets = (len({row[name] for row in rows}) for name in ("bidder", "budget"))
    return 8.0 + 0.6 * bidders, 2.4 * budgets + 1.6


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw a panel for each budget and order: the profit by starting price, in circles whose area shows the bids."""
    from matplotlib.ticker import StrMethodFormatter

    budgets = distinct(rows, "budget")
    orders = [order for order in ORDERS if any(row["order"] == order for row in rows)]
    bidders = distinct(rows, "bidder")
    panels = figure.subplots(len(budgets), len(orders), squeeze=False, sharex=True, sharey=True)
    for line, budget in enumerate(budgets):
        for column, order in enumerate(orders):
            axes = panels[line][column]
            for row in (row for row in rows if (row["budget"], row["order"]) == (budget, order)):
                number = bidders.index(row["bidder"])
                shift = 800 * ((number + 0.5) / len(bidders) - 0.5)
                _draw_bidder(axes, row, shift, COLOURS[number % len(COLOURS)])
            axes.axhline(0, color="0.4", linewidth=0.8)
            axes.set_title(f"budget ${budget:,}, {order}")
            axes.set_xticks(PRICES, [dollars(price) for price in PRICES])
            axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes = panels[0][0]
    for number, bidder in enumerate(bidders):
        axes.scatter([], [], s=4 * AREA, color=COLOURS[number % len(COLOURS)], label=bidder)
    for bids in (1, 4, 8):
        axes.scatter([], [], s=AREA * bids, color="0.6", label=f"area: {bids} bid{'s' * (bids > 1)}")
    figure.supxlabel("starting price of the item (hollow circle: bids, but wins none; no circle: no bid)", fontsize=10)
    figure.supylabel("mean profit from winning, $ (lines: 95% interval)", fontsize=10)
    legend_above(figure, 4)


def circles(row: Row) -> tuple[list[int], list[int]]:
    """Return the starting prices at which a bidder wins items, and those at which it only bids."""
    bid_on = [price for price in PRICES if row[f"bids_{price}"]]
    won = [price for price in bid_on if row[f"profit_{price}"] is not None]
    return won, [price for price in bid_on if price not in won]


def _draw_bidder(axes: Drawing, row: Row, shift: float, color: str) -> None:
    """Draw the circles of a bidder in one setting, a little to the side, and their intervals."""
    won, lost = circles(row)
    places = [price + shift for price in won]
    areas = [AREA * row[f"bids_{price}"] for price in won]
    axes.scatter(places, [row[f"profit_{price}"] for price in won], s=areas, color=color, alpha=0.75, linewidth=0)
    areas = [AREA * row[f"bids_{price}"] for price in lost]
    axes.scatter([price + shift for price in lost], [0] * len(lost), s=areas, facecolors="none", edgecolors=color)
    for price, place in zip(won, places, strict=True):
        low, high = row[f"profit_{price}_low"], row[f"profit_{price}_high"]
        if low is not None and high is not None:
            axes.vlines(place, low, high, color=color, linewidth=1)


STUDY: Study = Study(
    name="aucarena/behaviour",
    about="AucArena: mean profit from winning an item ($), by its starting price.",
    columns=COLUMNS,
    bidders=("pace", "bdi=llm:scripted,agent=bdi"),
    games=10,
    offline_games=8,
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    more_tables=more_tables,
    meaning=(
        "The paper shows these figures without numbers, so no published values stand beside ours. A profit is over "
        "the items that the bidder wins, the number of bids over all items of the starting price, won or not. A "
        "hollow circle at 0 shows bids for items of which the bidder wins none."
    ),
)
