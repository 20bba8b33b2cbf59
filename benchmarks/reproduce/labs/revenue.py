"""Revenue of four pricings and two clocks, beside the prediction of revenue equivalence.

Sources: Krishna, Auction Theory, section 3.1. The published bid / value ratios are computed from the logs of GPT-4 and
GPT-4o of Synthetic Labs, arXiv 2507.09083.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.reproduce.axes import draw_points, legend_above
from aucenv.benchmarks.reproduce.cells import Drawing, bidders_of, estimates, group_by, same_in_all_seats

from aucenv.analysis.metrics import Figure, all_figures, figures_of
from aucenv.core.files import JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.play import Match

ABOUT = "Revenue of four pricings and two clocks, with private values up to V; theory predicts V(n-1)/(n+1) for all."
GAMES = 100
BIDDERS = ("equilibrium",)

FORMATS = (
    ("first", "sealed_bid", "first-ipv"),
    ("second", "sealed_bid", "second-ipv"),
    ("third", "sealed_bid", "third-ipv"),
    ("all-pay", "sealed_bid", "all-pay-ipv"),
    ("ascending", "clock", "ascending-ipv"),
    ("descending", "clock", "descending-ipv"),
)
PUBLISHED = {
    "first": (0.72, 0.95),
    "second": (0.80, 1.04),
    "third": (1.09, 0.91),
    "all-pay": (0.62, 0.80),
}
"""Published mean of bid / value of GPT-4 and GPT-4o."""

COLUMNS = {
    "format": ("format", "{}"),
    "bidder": ("bidder", "{}"),
    "revenue": ("revenue, $", "{:.2f}"),
    "theory": ("theory, $", "{:.2f}"),
    "efficiency": ("efficiency", "{:.1%}"),
    "bid_per_value": ("bid / value", "{:.2f}"),
    "gpt_4 gpt_4o": ("GPT-4, GPT-4o, $", "{:.2f}, {:.2f}"),
}


def scenario_of(game: str, name: str) -> Scenario:
    """Return a format's scenario. Third price has no bid cap, because equilibrium bids exceed it."""
    scenario = find_family(game).game.load_scenario(name)
    return scenario.changed(bid_cap=None) if name.startswith("third") else scenario


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    cells = [(game, scenario_of(game, name)) for _, game, name in FORMATS]
    return list(same_in_all_seats(cells, bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each format and bidder; amounts are in dollars per round."""
    titles = {(game, name): title for title, game, name in FORMATS}
    table = []
    cells = group_by(
        records, lambda r: (r.game, r.scenario["name"], len(r.seats), r.scenario.get("bid_cap"), bidders_of(r))
    )
    for (game, name, *_, bidder), played in cells.items():
        cell = (game, name)
        if cell not in titles:
            continue
        scenario = find_family(played[0].game).game.load_scenario(played[0].scenario)
        seats, published = scenario.num_bidders, PUBLISHED.get(titles[cell], (None, None))
        table.append(
            {
                "format": titles[cell],
                "seats": seats,
                "bid_cap": played[0].scenario.get("bid_cap"),
                "bidder": bidder,
                "games": len(played),
                **estimates(played, _figures(game)),
                "theory": scenario.highest_value * (seats - 1) / (seats + 1),
                "gpt_4": published[0],
                "gpt_4o": published[1],
            }
        )
    return table


def _figures(game: str) -> dict[str, Figure]:
    """Return the figures of a row; bid / value counts the prices of a clock's winners as censored."""
    figures = all_figures(figures_of(game))
    names = {"revenue": "revenue_per_round", "efficiency": "efficiency", "bid_per_value": "bid_per_value"}
    return {column: figures[name] for column, name in names.items()}


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the revenue by format on an axis from 0, and a line at theory's prediction."""
    axes = figure.subplots()
    titles = list(dict.fromkeys(row["format"] for row in rows))
    bidders = list(dict.fromkeys(row["bidder"] for row in rows))
    for number, bidder in enumerate(bidders):
        points = [row for row in rows if row["bidder"] == bidder]
        places = [titles.index(row["format"]) + 0.15 * (number - (len(bidders) - 1) / 2) for row in points]
        draw_points(axes, places, points, "revenue", "o", bidder)
    axes.axhline(rows[0]["theory"], color="0.4", linestyle="--", label="theory: V (n - 1) / (n + 1)")
    axes.set_xticks(range(len(titles)), titles)
    axes.set_xlim(-0.5, len(titles) - 0.5)
    axes.set_ylim(
        0, 1.15 * max(row.get("revenue_high") or row["revenue"] for row in [*rows, {"revenue": rows[0]["theory"]}])
    )
    axes.set_xlabel("format")
    axes.set_ylabel("revenue per round, $")
    legend_above(figure)
