"""The winner's profit in second-price auctions with common values, by the number of bidders.

Sources: the figure on common values of Synthetic Labs, arXiv 2507.09083; Kagel and Levin, "The winner's curse and
public information in common value auctions", 1986.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.studies.cells import bidders_of, estimates, group_by, same_in_all_seats
from aucenv.benchmarks.studies.labs.published import MARKERS, MODELS, NO_FIGURES, beside_models, model_columns
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.envs.single_item.figures import FIGURES
from aucenv.registration import find_family
from aucenv.runs.play import Match

SEATS = range(2, 7)

PUBLISHED = {2: (12.8, 9.2), 3: (4.6, -0.1), 4: (1.1, -2.5), 5: (-1.5, -7.1), 6: (-1.6, -8.1)}
"""Number of bidders -> the published mean profit of the winner, of GPT-4 and of GPT-4o."""

COLUMNS = {
    "bidders": ("bidders", "{}"),
    "bidder": ("bidder", "{}"),
    "profit": ("winner's profit, $", "{:.2f}"),
    "exact": ("exact, $", "{:.2f}"),
    "cursed": ("won at a loss", "{:.1%}"),
    **model_columns("{:.1f}", signed="{:+.1f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    return list(same_in_all_seats([("sealed_bid", f"second-cv-{n}") for n in SEATS], bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each number of bidders and bidder; profits are in dollars per prize won."""
    figures = {"profit": FIGURES["winners_profit"], "cursed": FIGURES["winners_curse_rate"]}
    table = []
    matching = [r for r in records if r.game == "sealed_bid" and r.scenario["name"].startswith("second-cv")]
    for (seats, bidder), played in group_by(matching, lambda record: (len(record.seats), bidders_of(record))).items():
        row = {
            "bidders": seats,
            "bidder": bidder,
            "games": len(played),
            **estimates(played, figures),
            "exact": exact(played[0]),
        }
        table.append(beside_models(row, "profit", PUBLISHED.get(seats, NO_FIGURES)))
    return table


def exact(record: GameRecord) -> float | None:
    """Return the winner's exact expected profit if all seats are `naive` or all are `equilibrium`, else None."""
    from aucenv import theory

    kinds = {parse_bidder(player["bidder"]).kind for player in record.seats}
    kind = kinds.pop() if len(kinds) == 1 else ""
    scenario = find_family("sealed_bid").game.load_scenario(record.scenario)
    bids = {"naive": theory.signals(scenario) / 100, "equilibrium": theory.equilibrium_bids(scenario)}.get(kind)
    if bids is None:
        return None
    return round(theory.expected_winner_profit(scenario, theory.as_bids(scenario, bids)), 6) + 0.0


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the winner's profit by the number of bidders, for each bidder and published model."""
    axes = figure.subplots()
    for bidder in dict.fromkeys(row["bidder"] for row in rows):
        points = [row for row in rows if row["bidder"] == bidder and row["profit"] is not None]
        draw_points(axes, [row["bidders"] for row in points], points, "profit", "o-", bidder)
    for number, (model, name) in enumerate(MODELS.items()):
        values = [figures[number] for figures in PUBLISHED.values()]
        style = {"markerfacecolor": "white", "markeredgecolor": "black", "color": "0.4"}
        axes.plot(list(PUBLISHED), values, f"{MARKERS[model]}:", label=f"{name}, published", **style)
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xticks(list(SEATS))
    axes.set_xlabel("number of bidders")
    axes.set_ylabel("winner's profit per prize, $")
    legend_above(figure, 2)


STUDY: Study = Study(
    name="labs/winners-curse",
    about=(
        "The winner's profit in second-price common-value auctions with 2 to 6 bidders; with 4 or more, naive ones "
        "lose."
    ),
    columns=COLUMNS,
    bidders=("naive", "equilibrium"),
    games=200,
    model_games=5,  # sessions of each setting, as published
    offline_games=100,
    matches=matches,
    rows=rows,
    draw=draw,
    recorded=("sealed_bid",),
    meaning=(
        "The published profits are those of GPT-4 and GPT-4o under prompts in other words, without intervals: the "
        "interval of a difference is that of ours. Rule bidders with the same bids as a model have its profit only on "
        "average."
    ),
)
