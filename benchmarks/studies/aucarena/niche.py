"""Niches: what two bidders for profit and two bidders for items win of 4 expensive and 16 cheap items, by budget.

Source: AucArena, arXiv 2310.05746, section 5: 4 items at $5,000 and 16 at $1,000, budgets from $10,000 to $30,000.
With little money, bidders for profit fight for cheap items, too; with much money, the groups separate.

The separation is the share of expensive items among those that bidders for profit win, less that among those that
bidders for items win. It is 0 if both win the same mixture, and 1 if the ones win expensive items only and the others
cheap ones only; that is the total variation distance between the two mixtures, with a sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill

import numpy as np
from aucenv.benchmarks.studies.aucarena.auctions import (
    GAME,
    Counts,
    dollars,
    english_records,
    pooled_by_bidder,
    rates_by_bidder,
)
from aucenv.benchmarks.studies.cells import Row, bidders_of, distinct, group_by, same_in_all_seats
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import COLOURS, Drawing, legend_above
from aucenv.core.records.figures import PooledFigure
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.game import NICHE_ITEMS, SCENARIOS
from aucenv.runs.play import Match

BUDGETS = (10_000, 20_000, 30_000)
GROUPS = ("profit", "items")
CHEAP, EXPENSIVE = sorted({item.starting_price for item in NICHE_ITEMS})
BIN = 500
"""The width of a bar of the histograms, in dollars."""
BANDWIDTH = 300
"""The bandwidth of kernel densities in dollars: the same for both groups, because one may pay equal prices only."""

COLUMNS = {
    "bidder": ("bidder", "{}"),
    "budget": ("budget, $", "{:,}"),
    "games": ("games", "{}"),
    "separation": ("separation", "{:.2f}"),
    "cheap_profit": ("cheap items won for profit", "{:.0%}"),
    "expensive_profit": ("expensive items won for profit", "{:.0%}"),
    "price_profit": ("winning bid for profit, $", "{:,.0f}"),
    "price_items": ("winning bid for items, $", "{:,.0f}"),
    "unsold": ("unsold items", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games in which each bidder plays all four seats; the scenario gives two of them each objective."""
    scenarios = [(GAME, SCENARIOS[f"niche-{budget // 1000}k"]) for budget in BUDGETS]
    return list(same_in_all_seats(scenarios, bidders, games, seed))


def groups_of(record: GameRecord) -> dict[str, str]:
    """Return the objective of each seat: what its notes state, or else the deal."""
    seats = zip(record.seats, record.deal["seats"], strict=True)
    return {
        player["seat"]: str(player.get("notes", {}).get("objective") or dealt["objective"]) for player, dealt in seats
    }


def _fits(record: GameRecord) -> bool:
    """Return whether a game sells the niche items to two bidders of each group, all with the same budget."""
    prices = sorted(item["starting_price"] for item in record.deal["items"])
    budgets = {dealt["budget"] for dealt in record.deal["seats"]}
    niche = sorted(item.starting_price for item in NICHE_ITEMS)
    return prices == niche and len(budgets) == 1 and sorted(groups_of(record).values()) == sorted(GROUPS * 2)


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each bidder and budget.

    `bids` are all winning bids in dollars, by group. Figures of won items are None where a group wins none.
    """
    table = []
    matching = [record for record in english_records(records) if _fits(record)]
    cells = group_by(matching, lambda record: (bidders_of(record), int(record.deal["seats"][0]["budget"])))
    for (bidder, budget), played in cells.items():
        row: Row = {"bidder": bidder, "budget": budget, "games": len(played)}
        row |= rates_by_bidder(played, _counts)[bidder] | pooled_by_bidder(played, _observe, FIGURES)[bidder]
        row["bids"] = {
            group: sorted(price for record in played for winner, _, price in _sales(record) if winner == group)
            for group in GROUPS
        }
        table.append(row)
    return table


def _sales(record: GameRecord) -> list[tuple[str, float, float]]:
    """Return the winner's group, the starting price and the winning bid of each item that is sold."""
    groups = groups_of(record)
    return [
        (groups[sold["winner"]], item["starting_price"], sold["price"])
        for item, sold in zip(record.deal["items"], record.outcome["items"], strict=True)
        if sold["winner"] is not None
    ]


def _counts(record: GameRecord) -> Mapping[str, Counts]:
    sales = _sales(record)
    prices = [item["starting_price"] for item in record.deal["items"]]
    counts: dict[str, tuple[float, float]] = {"unsold": (len(prices) - len(sales), 1)}
    for name, start in (("cheap_profit", CHEAP), ("expensive_profit", EXPENSIVE)):
        winners = [group for group, price, _ in sales if price == start]
        counts[name] = winners.count("profit"), len(winners)
    for group in GROUPS:
        won = [price for winner, _, price in sales if winner == group]
        counts[f"price_{group}"] = sum(won), len(won)
    return {bidders_of(record): counts}


def _observe(record: GameRecord) -> Mapping[str, Sequence[tuple[float, ...]]]:
    sales = [(float(group == "profit"), float(start == EXPENSIVE)) for group, start, _ in _sales(record)]
    return {bidders_of(record): sales}


def separation(sales: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from the weights of sales, (sales,), to the separation; NaN if a group wins nothing.

    Args:
        sales: (sales, 2), whether the winner bids for profit, and whether the item is expensive, as 0 or 1.
    """
    for_profit, expensive = sales[:, 0] == 1, sales[:, 1]

    def value(weights: np.ndarray) -> float:
        shares = []
        for group in (for_profit, ~for_profit):
            total = weights[group].sum()
            shares.append(weights[group] @ expensive[group] / total if total else float("nan"))
        return float(shares[0] - shares[1])

    return value


FIGURES = {"separation": PooledFigure(lambda sale: [sale], separation)}


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: that of a panel times their number."""
    bidders, budgets = (len({row[name] for row in rows}) for name in ("bidder", "budget"))
    return 3.0 * max(budgets, 2) + 0.6, 2.5 * bidders + 1.4


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw a panel for each budget and bidder: histograms of winning bids by group, with kernel densities."""
    bidders = distinct(rows, "bidder")
    budgets = distinct(rows, "budget")
    panels = figure.subplots(len(bidders), len(budgets), squeeze=False, sharex=True, sharey=True)
    most = max((bid for row in rows for bids in row["bids"].values() for bid in bids), default=EXPENSIVE)
    edges = np.arange(CHEAP - BIN, most + 2 * BIN, BIN)
    for row in rows:
        axes = panels[bidders.index(row["bidder"])][budgets.index(row["budget"])]
        for number, group in enumerate(GROUPS):
            bids = row["bids"][group]
            weights = np.full(len(bids), 1 / row["games"])
            color, label = COLOURS[number], f"bidders for {group}"
            axes.hist(bids, edges, weights=weights, color=color, alpha=0.5, label=label)
            grid = np.linspace(edges[0], edges[-1], 300)
            if bids:
                scale = len(bids) / row["games"] * BIN
                axes.plot(grid, _density(bids, grid) * scale, color=color, label=f"{label}, kernel density")
        axes.set_title(fill(f"{row['bidder']}: {dollars(row['budget'])}", 34), fontsize=9)
        axes.set_xlim(edges[0], edges[-1])
        axes.set_xticks(range(2000, int(edges[-1]), 2000), [dollars(x) for x in range(2000, int(edges[-1]), 2000)])
    figure.supxlabel("winning bid", fontsize=10)
    figure.supylabel(f"items per game and ${BIN}", fontsize=10)
    legend_above(figure, 2)


def _density(bids: Sequence[float], grid: np.ndarray) -> np.ndarray:
    """Return the Gaussian kernel density of bids with the bandwidth BANDWIDTH, (points of the grid,)."""
    distances = (grid[:, None] - np.array(bids)) / BANDWIDTH
    kernels: np.ndarray = np.exp(-(distances**2) / 2).mean(axis=1) / (BANDWIDTH * np.sqrt(2 * np.pi))
    return kernels


STUDY: Study = Study(
    name="aucarena/niche",
    about="AucArena: items that two bidders for profit and two bidders for items win, at budgets from $10k to $30k.",
    columns=COLUMNS,
    bidders=("bdi=llm:scripted,agent=bdi,minor=0.6",),
    games=10,
    offline_games=5,
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    meaning=(
        "The paper shows histograms without numbers, for GPT-4 and GPT-3.5-Turbo, so no published values stand beside "
        "ours. The scripted bidders for profit bid less for minor items as soon as they can afford expensive ones: "
        "they follow a rule that makes niches, and do not show that models find them."
    ),
)
