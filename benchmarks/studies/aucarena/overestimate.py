"""Overestimates: profit and losses if the estimates of all bidders, or of one, are too low or too high.

Source of the rule: AucArena, arXiv 2310.05746, section 3: a bidder sees the true value times (1 + overestimate), by
default +10%. The paper does not vary the overestimate. Losses are the share of the items won at more than
their true value.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from aucenv.benchmarks.studies.aucarena.auctions import GAME, Counts, rates_by_bidder
from aucenv.benchmarks.studies.cells import Row, bidders_of, distinct, group_by, same_in_all_seats
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.figures import SeatFigures, seat_figures
from aucenv.envs.english.game import SCENARIOS, EnglishScenario
from aucenv.runs.play import Match

NAME = "aucarena/overestimate"
SCENARIO = SCENARIOS["standard-20k-random"]
PERCENTS = (-10, 0, 10, 20, 30)
USUAL = 10
WHO = {"all": "all bidders alike", "one": "one bidder"}

COLUMNS = {
    "bidder": ("bidder", "{}"),
    "who": ("who overestimates", "{}"),
    "percent": ("overestimate", "{:+}%"),
    "games": ("games", "{}"),
    "profit": ("mean profit, $", "{:,.0f}"),
    "lost": ("won at a loss", "{:.1%}"),
    "items": ("items", "{:.2f}"),
    "rivals_profit": ("rivals' mean profit, $", "{:,.0f}"),
    "rivals_lost": ("rivals won at a loss", "{:.1%}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games in which each bidder plays all three seats; the seat of the one bidder rotates."""
    schedule: list[Match] = []
    for who in WHO:
        for percent in PERCENTS:
            for match in same_in_all_seats([(GAME, SCENARIO)], bidders, games, seed):
                seat = match.seed[1] % len(SCENARIO.bidders) if who == "one" else None
                scenario = _scenario(percent, seat)
                schedule.append(dataclasses.replace(match, scenario=scenario, index=len(schedule)))
    return schedule


def _scenario(percent: int, seat: int | None) -> EnglishScenario:
    """Return the scenario in which all bidders (None), or the bidder of this seat, overestimate by `percent`."""
    who = "all bidders" if seat is None else f"bidder {seat}"
    bidders = tuple(
        dataclasses.replace(bidder, overestimate_percent=percent if seat in (None, number) else USUAL)
        for number, bidder in enumerate(SCENARIO.bidders)
    )
    return dataclasses.replace(SCENARIO, name=f"{NAME}: {who} at {percent:+}%", bidders=bidders)


def _condition(record: GameRecord) -> tuple[str, int, int | None] | None:
    """Return who overestimates, by how much, and the seat of the one bidder; None for games of other studies."""
    match = re.fullmatch(rf"{NAME}: (?:all bidders|bidder (\d+)) at ([+-]\d+)%", record.scenario["name"])
    if record.game != GAME or match is None:
        return None
    return ("all", int(match[2]), None) if match[1] is None else ("one", int(match[2]), int(match[1]))


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each bidder, kind of overestimate and percentage."""
    matching = [(record, condition) for record in records if (condition := _condition(record)) is not None]
    keys = {id(record): (bidders_of(record), *condition[:2]) for record, condition in matching}
    table = []
    for (bidder, who, percent), played in group_by([record for record, _ in matching], lambda r: keys[id(r)]).items():
        row: Row = {"bidder": bidder, "who": WHO[who], "percent": percent, "games": len(played)}
        table.append(row | rates_by_bidder(played, _counts)[bidder])
    bidders = list(dict.fromkeys(row["bidder"] for row in table))
    return sorted(
        table, key=lambda row: (bidders.index(row["bidder"]), [*WHO.values()].index(row["who"]), row["percent"])
    )


def _counts(record: GameRecord) -> Mapping[str, Counts]:
    condition, figures = _condition(record), seat_figures(record)
    assert condition is not None
    seat = condition[2]
    chosen = [each for number, each in enumerate(figures) if seat in (None, number)]
    rivals = [each for number, each in enumerate(figures) if seat not in (None, number)]
    of_rivals = {f"rivals_{name}": rate for name, rate in _sums(rivals).items() if name != "items"}
    return {bidders_of(record): {**_sums(chosen), **of_rivals}}


def _sums(figures: Sequence[SeatFigures]) -> Counts:
    items = sum(each.items for each in figures)
    return {
        "profit": (sum(each.profit for each in figures), len(figures)),
        "lost": (sum(each.cursed for each in figures), items),
        "items": (items, len(figures)),
    }


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw profit and losses by overestimate: solid lines for all bidders alike, dashed ones for one bidder."""
    from matplotlib.ticker import PercentFormatter, StrMethodFormatter

    panels = figure.subplots(1, 2)
    bidders = distinct(rows, "bidder")
    for axes, name in zip(panels, ("profit", "lost"), strict=True):
        for number, bidder in enumerate(bidders):
            for who, (kind, style) in enumerate(zip(WHO.values(), ("o-", "s--"), strict=True)):
                points = [
                    row for row in rows if (row["bidder"], row["who"]) == (bidder, kind) and row[name] is not None
                ]
                shift = 0.5 * (2 * number + who + 0.5 - len(bidders))
                if points:
                    places = [row["percent"] + shift for row in points]
                    draw_points(axes, places, points, name, f"C{number}{style}", f"{bidder}: {kind}")
        axes.axhline(0, color="0.4", linewidth=0.8)
        axes.set_xticks(PERCENTS, [f"{percent:+}%" if percent else "0%" for percent in PERCENTS])
        axes.set_xlabel("overestimate of the true value")
    panels[0].set_ylabel("mean profit, $")
    panels[0].yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    panels[1].set_ylabel("share of items won at a loss")
    panels[1].yaxis.set_major_formatter(PercentFormatter(1))
    legend_above(figure, 2)


STUDY: Study = Study(
    name=NAME,
    about="Profit and items won at a loss by overestimate: of all bidders alike, or of one whose rivals are at +10%.",
    columns=COLUMNS,
    bidders=("value", "pace"),
    games=30,
    matches=matches,
    rows=rows,
    draw=draw,
    size=(9.0, 4.6),
    meaning=(
        "The paper keeps the overestimate at +10%, so no published values stand beside ours. All seats are played by "
        "the same bidder; figures of rivals are those of the two other seats if one bidder overestimates."
    ),
)
