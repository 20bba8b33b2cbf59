"""AucArena's competition: TrueSkill in six settings, of two fixed baselines and one challenger at a time.

Source: AucArena, arXiv 2310.05746, section 4: budgets of $20,000 and $40,000, three orders of the items, 10 runs each.
The first two bidders are the baselines. In a setting, a rating is computed from the games of this setting alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.rankings import leaderboard
from aucenv.benchmarks.rankings.settings import Settings
from aucenv.benchmarks.studies.aucarena.auctions import (
    GAME,
    MARKERS,
    SETTINGS,
    by_setting,
    deviations,
    dollars,
    labels_of,
    published_model,
)
from aucenv.benchmarks.studies.cells import Row, Table, distinct, flattened, table_of, with_published
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.analysis.ranking.ratings import rate
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.core.records.record import GameRecord
from aucenv.runs.play import Match

NAME = "aucarena/standard"
FIXED = ("value", "rule")
BIDDERS = (*FIXED, "pace", "drain", "random")
START = 25
"""The rating of every bidder before its first game."""
ALL = "all settings"

PUBLISHED: dict[str, dict[str, tuple[float, float]]] = {
    "GPT-4-Turbo": {"random": (8712.5, 5.0), "ascending": (7525, 5.0), "descending": (8287.5, 4.3)},
    "GPT-3.5-Turbo": {"random": (3325, 1.0), "ascending": (2875, 1.3), "descending": (950, 0.5)},
    "people": {"random": (7237.5, 3.8), "ascending": (10862.5, 3.8), "descending": (10025, 5.0)},
}
"""Mean profit in dollars and items won at a budget of $20,000, by order: four people against two baselines."""
PUBLISHED_BUDGET = 20_000

COLUMNS = {
    "setting": ("setting", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "rating": ("TrueSkill, mean", "{:.1f}"),
    "deviation": ("TrueSkill, sigma", "{:.1f}"),
    "profit": ("mean profit, $", "{:,.0f}"),
    "items": ("items", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return the games of the leaderboard's format standard.

    Args:
        games: the runs of each challenger in each setting.

    Raises:
        ValueError: there is no challenger.
    """
    challengers = len(bidders) - 2
    if challengers < 1:
        shown = ", ".join(bidders)
        raise ValueError(f"study {NAME}: expected two baselines and at least one challenger, got {shown}")
    total = games * len(SETTINGS) * challengers
    return leaderboard.matches(Settings(game=GAME, bidders=tuple(bidders), format="standard", games=total, seed=seed))


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each setting and bidder, from the highest rating, and then rows over all settings."""
    settings = by_setting(records)
    table = [
        row
        for (budget, order), played in settings.items()
        for row in _ranking(played, {"setting": f"{dollars(budget)}, {order}", "budget": budget, "order": order})
    ]
    together = [record for played in settings.values() for record in played]
    if len(settings) > 1:
        table += _ranking(together, {"setting": ALL, "budget": None, "order": None})
    return table


def _ranking(played: Sequence[GameRecord], setting: Row) -> list[Row]:
    ratings, figures, games = rate(played), bidder_figures(played), labels_of(played)
    sigmas = deviations(played)
    ranking = []
    for bidder in ratings.bidders:
        row: Row = {**setting, "bidder": bidder, "games": games[bidder], "deviation": round(sigmas[bidder], 6)}
        chosen = {
            "rating": ratings.of(bidder),
            "profit": figures[bidder]["profit_mean"],
            "items": figures[bidder]["items_mean"],
        }
        ranking.append(row | flattened(chosen))
    return sorted(ranking, key=lambda row: (-row["rating"], row["bidder"]))


def more_tables(rows: Sequence[Row]) -> list[Table]:
    """Return the published profits and items, and the differences of bidders with the label of a published one."""
    columns = {
        "order": ("order", "{}"),
        "name": ("bidder", "{}"),
        "profit": ("mean profit, $", "{:,.0f}"),
        "profit_difference": ("difference", "{:+,.0f}"),
        "items": ("items", "{:.2f}"),
        "items_difference": ("difference", "{:+.2f}"),
    }
    lines: list[Row] = []
    for order in dict.fromkeys(row["order"] for row in rows if row["budget"] == PUBLISHED_BUDGET):
        for row in rows:
            model = published_model(row["bidder"], PUBLISHED)
            if (row["budget"], row["order"]) == (PUBLISHED_BUDGET, order) and model is not None:
                profit, items = PUBLISHED[model][order]
                lines.append({**with_published(row, {"profit": profit, "items": items}), "name": row["bidder"]})
        lines += [
            {"order": order, "name": f"{model}, published", "profit": profit, "items": items}
            for model, (profit, items) in ((model, by_order[order]) for model, by_order in PUBLISHED.items())
        ]
    title = "Profit and items at $20k in the paper's test with four people, who played against both baselines"
    return [table_of(title, columns, lines)] if lines else []


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: wider for more bidders."""
    bidders = len({row["bidder"] for row in rows})
    return 7.0 + 0.4 * bidders, 4.2 + 0.1 * bidders


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw the ratings by order of the items, with a panel for each budget and a point for each bidder."""
    settings = [row for row in rows if row["budget"] is not None]
    bidders = distinct(rows, "bidder")
    budgets = distinct(settings, "budget")
    panels = figure.subplots(1, len(budgets), squeeze=False, sharey=True)[0]
    for axes, budget in zip(panels, budgets, strict=True):
        orders = list(dict.fromkeys(row["order"] for row in settings if row["budget"] == budget))
        for number, bidder in enumerate(bidders):
            points = [row for row in settings if row["budget"] == budget and row["bidder"] == bidder]
            shift = 0.7 * ((number + 0.5) / len(bidders) - 0.5)
            places = [orders.index(row["order"]) + shift for row in points]
            if points:
                draw_points(axes, places, points, "rating", MARKERS[number % len(MARKERS)], bidder)
        axes.axhline(START, color="0.4", linewidth=0.8, linestyle=":")
        axes.set_xticks(range(len(orders)), orders)
        axes.set_xlim(-0.5, len(orders) - 0.5)
        axes.set_xlabel(f"order of the items, budget ${budget:,}")
    panels[0].set_ylabel("TrueSkill")
    legend_above(figure, 3)


STUDY: Study = Study(
    name=NAME,
    about=(
        "AucArena's competition: TrueSkill by setting, two fixed baselines (the first two bidders) and one challenger."
    ),
    columns=COLUMNS,
    bidders=BIDDERS,
    games=10,
    offline_bidders=(*BIDDERS, "bdi=llm:scripted,agent=bdi"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    more_tables=more_tables,
    fixed_bidders=FIXED,
    meaning=(
        "The published figure shows ratings of language models without numbers, so none stand beside these; the "
        "published profits are those of a test with four people. A rating compares bidders of one table only: with "
        "other baselines or challengers, the same bidder gets another one."
    ),
)
