"""Revenue of four pricings and two clocks, beside the prediction of revenue equivalence.

Sources: Krishna, Auction Theory, section 3.1. The published bid / value ratios are computed from the logs of GPT-4 and
GPT-4o of Synthetic Labs, arXiv 2507.09083, whose bids are capped at $99. The third price is played with this cap,
beside the published ratios, and without it, because equilibrium bids reach $198: with the cap there is another
equilibrium, of which no closed form is known, and the bidder `equilibrium` plays its uncapped bids as far as the cap
allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.studies.cells import bidders_of, distinct, estimates, group_by, same_in_all_seats
from aucenv.benchmarks.studies.labs.published import NO_FIGURES, beside_models, model_columns
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.analysis.statistics.metrics import Figure, all_figures, figures_of
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.scenarios import Scenario
from aucenv.registration import find_family
from aucenv.runs.play import Match

FORMATS = (
    ("first", "sealed_bid", "first-ipv"),
    ("second", "sealed_bid", "second-ipv"),
    ("third", "sealed_bid", "third-ipv"),
    ("third, no cap", "sealed_bid", "third-ipv"),
    ("all-pay", "sealed_bid", "all-pay-ipv"),
    ("ascending", "clock", "ascending-ipv"),
    ("descending", "clock", "descending-ipv"),
)
PUBLISHED = {
    "first": (0.722, 0.948),
    "second": (0.797, 1.042),
    "third": (1.085, 0.912),
    "all-pay": (0.618, 0.796),
}
"""Mean of bid / value of GPT-4 and GPT-4o, counted in the published logs; the paper prints 1.09 for 1.085."""

COLUMNS = {
    "format": ("format", "{}"),
    "bidder": ("bidder", "{}"),
    "revenue": ("revenue, $", "{:.2f}"),
    "theory": ("theory, $", "{:.2f}"),
    "efficiency": ("efficiency", "{:.1%}"),
    "bid_per_value": ("bid / value", "{:.2f}"),
    **model_columns("{:.3f}"),
}


def scenario_of(title: str, game: str, name: str) -> Scenario:
    """Return the scenario of a format."""
    scenario = find_family(game).game.load_scenario(name)
    return scenario.changed(bid_cap=None) if title.endswith("no cap") else scenario


def format_of(record: GameRecord) -> str | None:
    """Return the format that a game is of; None if it is of none."""
    titles = [title for title, game, name in FORMATS if (game, name) == (record.game, record.scenario["name"])]
    if not titles:
        return None
    return titles[-1 if record.scenario.get("bid_cap") is None else 0]


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    cells = [(game, scenario_of(title, game, name)) for title, game, name in FORMATS]
    return list(same_in_all_seats(cells, bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each format and bidder; amounts are in dollars per round."""
    table = []
    cells = group_by(records, lambda r: (format_of(r), len(r.seats), r.scenario.get("bid_cap"), bidders_of(r)))
    for (title, seats, cap, bidder), played in cells.items():
        if title is None:
            continue
        scenario = find_family(played[0].game).game.load_scenario(played[0].scenario)
        capped = played[0].game == "sealed_bid" and bool(scenario.warnings)
        row = {
            "format": title,
            "seats": seats,
            "bid_cap": cap,
            "bidder": bidder,
            "games": len(played),
            **estimates(played, _figures(played[0].game)),
            "theory": None if capped else scenario.highest_value * (seats - 1) / (seats + 1),
        }
        table.append(beside_models(row, "bid_per_value", PUBLISHED.get(title, NO_FIGURES)))
    return table


def _figures(game: str) -> dict[str, Figure]:
    """Return the figures of a row; bid / value counts the prices of a clock's winners as censored."""
    figures = all_figures(figures_of(game))
    names = {"revenue": "revenue_per_round", "efficiency": "efficiency", "bid_per_value": "bid_per_value"}
    return {column: figures[name] for column, name in names.items()}


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the revenue by format on an axis from 0, and a line at theory's prediction."""
    axes = figure.subplots()
    titles = distinct(rows, "format")
    bidders = distinct(rows, "bidder")
    for number, bidder in enumerate(bidders):
        points = [row for row in rows if row["bidder"] == bidder]
        places = [titles.index(row["format"]) + 0.15 * (number - (len(bidders) - 1) / 2) for row in points]
        draw_points(axes, places, points, "revenue", "o", bidder)
    axes.axhline(rows[0]["theory"], color="0.4", linestyle="--", label="theory: V (n - 1) / (n + 1)")
    axes.set_xticks(range(len(titles)), [title.replace(", ", ",\n") for title in titles])
    axes.set_xlim(-0.5, len(titles) - 0.5)
    axes.set_ylim(
        0, 1.15 * max(row.get("revenue_high") or row["revenue"] for row in [*rows, {"revenue": rows[0]["theory"]}])
    )
    axes.set_xlabel("format")
    axes.set_ylabel("revenue per round, $")
    legend_above(figure)


STUDY: Study = Study(
    name="labs/revenue",
    about=(
        "Revenue of four pricings and two clocks, with private values up to V; theory predicts V(n-1)/(n+1) for all "
        "without a binding cap."
    ),
    columns=COLUMNS,
    bidders=("equilibrium",),
    games=100,
    model_games=5,  # sessions of each setting, as published
    offline_games=50,
    offline_bidders=("equilibrium", "truthful"),
    matches=matches,
    rows=rows,
    draw=draw,
    recorded=("sealed_bid", "clock"),
    meaning=(
        "The published ratios are those of GPT-4 and GPT-4o under prompts in other words, without intervals: the "
        "interval of a difference is that of ours. No revenue is published beside them, and the published clocks have "
        "affiliated values (`labs/ratios`), not the independent ones that revenue equivalence needs."
    ),
)
