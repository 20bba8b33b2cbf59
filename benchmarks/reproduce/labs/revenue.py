"""Revenue of four pricings and two clocks beside theory: revenue equivalence, Krishna, Auction Theory, section 3.1.

Bids over values as published: Synthetic Labs, arXiv 2507.09083, its logs of GPT-4 and GPT-4o.
"""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.benchmarks.reproduce.cells import Drawing, estimates, grouped, lineup_of, same_in_all_seats

from aucenv.core.files import JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.record import GameRecord
from aucenv.envs.single_item.figures import FIGURES
from aucenv.registration import find_family
from aucenv.runs.play import Match

ABOUT = (
    "Revenue of the four pricings and of two clocks, private values, beside what theory expects of all: V(n-1)/(n+1)."
)
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
"""Mean bid over value of GPT-4 and GPT-4o."""

COLUMNS = {
    "format": ("format", "{}"),
    "bidder": ("bidder", "{}"),
    "revenue": ("revenue", "{:.2f}"),
    "theory": ("of theory", "{:.2f}"),
    "efficiency": ("efficiency", "{:.1%}"),
    "bid_per_value": ("bid / value", "{:.2f}"),
    "gpt_4 gpt_4o": ("GPT-4, GPT-4o", "{:.2f}, {:.2f}"),
}


def scenario_of(game: str, name: str) -> Scenario:
    """A format's scenario: the third price without the cap, which would cut its equilibrium off."""
    scenario = find_family(game).game.load_scenario(name)
    return scenario.changed(bid_cap=None) if name.startswith("third") else scenario


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    cells = [(game, scenario_of(game, name)) for _, game, name in FORMATS]
    return list(same_in_all_seats(cells, bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each format and bidder; amounts in dollars a round."""
    named = {(game, name): title for title, game, name in FORMATS}
    figures = {
        "revenue": FIGURES["revenue_per_round"],
        "efficiency": FIGURES["efficiency"],
        "bid_per_value": FIGURES["bid_per_value"],
    }
    table = []
    cells = grouped(
        records, lambda r: (r.game, r.scenario["name"], len(r.seats), r.scenario.get("bid_cap"), lineup_of(r))
    )
    for (game, name, *_, bidder), played in cells.items():
        cell = (game, name)
        if cell not in named:
            continue
        scenario = find_family(played[0].game).game.load_scenario(played[0].scenario)
        seats, published = scenario.num_bidders, PUBLISHED.get(named[cell], (None, None))
        table.append(
            {
                "format": named[cell],
                "seats": seats,
                "bid_cap": played[0].scenario.get("bid_cap"),
                "bidder": bidder,
                "games": len(played),
                **estimates(played, figures),
                "theory": scenario.highest_value * (seats - 1) / (seats + 1),
                "gpt_4": published[0],
                "gpt_4o": published[1],
            }
        )
    return table


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Revenue with its interval, by format, and a line where theory expects all of them."""
    axes = figure.subplots()
    titles = list(dict.fromkeys(row["format"] for row in rows))
    bidders = list(dict.fromkeys(row["bidder"] for row in rows))
    for number, bidder in enumerate(bidders):
        mine = [row for row in rows if row["bidder"] == bidder]
        at = [titles.index(row["format"]) + 0.15 * (number - (len(bidders) - 1) / 2) for row in mine]
        value = [row["revenue"] for row in mine]
        reach = [
            [row["revenue"] - (row["revenue_low"] or row["revenue"]) for row in mine],
            [(row["revenue_high"] or row["revenue"]) - row["revenue"] for row in mine],
        ]
        axes.errorbar(at, value, reach, fmt="o", capsize=4, label=bidder)
    axes.axhline(rows[0]["theory"], color="0.4", linestyle="--", label="V (n-1) / (n+1)")
    axes.set_xticks(range(len(titles)), [title.replace(" ", "\n") for title in titles])
    axes.set_ylabel("revenue a round, $")
    axes.legend(frameon=False)
