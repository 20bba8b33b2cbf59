"""The winner's curse of a drought: do the residents who get water on a day survive to the end?

Source: Alympics, arXiv 2311.03220, section 4, Table 5. The rate of a day is the number of games in which all its
winners survive, divided by the number of all games. A day on which nobody gets water counts as survived if one resident
is left and survives. With this rule the paper's recorded games give its rates on all days but day 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from aucenv.benchmarks.studies.alympics.droughts import (
    BIDDERS,
    GAME,
    HEAD,
    by_setting,
    leading_columns,
    matches,
    quarters,
)
from aucenv.benchmarks.studies.cells import Table, distinct, flattened, with_published
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, legend_above
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import ratio
from aucenv.core.files import JsonObject
from aucenv.core.records.figures import or_dash
from aucenv.core.records.record import GameRecord
from aucenv.envs.water_allocation.figures import game_figures

MOST_SHOWN = 10
"""The number of games with a column of their own."""

PUBLISHED = (0.4, 0.8, 0.4, 0.1, 0.6, 0.8, 0.2, 0.8, 0.9, 0.9, 1, 0.8, 0.9, 1, 0.9, 0.9, 1, 1, 0.9, 1)
"""The published rates of setting 1, by day."""

COLUMNS = {
    **HEAD,
    **{f"quarter_{quarter}": (f"quarter {quarter}", "{:.0%}") for quarter in range(1, 5)},
    **{f"quarter_{quarter}_difference": (f"difference, quarter {quarter}", "{:+.0%}") for quarter in range(1, 5)},
}


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each setting and bidder.

    `rates` are by day; `rates_with_winner` are those among the games in which somebody got water that day, None if
    there are none. `winners` are by day: name -> (the games in which the resident got water, and those of them at whose
    end it is alive). `by_game` are by day and game: the residents who got water, name -> whether it survives.
    Setting 1 has the published means of quarters and the differences from them.
    """
    table = []
    for (setting, bidder), played in by_setting(records).items():
        games = [game_figures(record).winners_survive for record in played]
        days = range(played[0].scenario["days"])
        fates = [[float(game[j] or 0) for game in games if j < len(game) and game[j] is not None] for j in days]
        survived = np.array([[all_survive(record, j) for j in days] for record in played], float)
        row = {
            **leading_columns(setting, bidder, played),
            **_quarters(played, survived),
            "rates": [round(float(rate), 6) for rate in survived.mean(axis=0)],
            "rates_with_winner": [round(sum(day) / len(day), 6) if day else None for day in fates],
            "winners": [_winners(played, j) for j in days],
            "by_game": [[winners_of(record, j) for record in played] for j in days],
        }
        published = quarters([[rate] for rate in PUBLISHED]) if row["number"] == 1 else {}
        table.append(with_published(row, published))
    return table


def all_survive(record: GameRecord, j: int) -> bool:
    """Return whether all winners of day `j` survive, or, if there are none, the only resident left does."""
    survivors = record.outcome["survivors"]
    if j >= len(record.outcome["days"]):
        return False  # nobody is left
    day = record.outcome["days"][j]
    return set(survivors).issuperset(day["winners"]) if day["winners"] else list(day["bids"]) == survivors[:1]


def winners_of(record: GameRecord, j: int) -> dict[str, bool]:
    """Return the residents who got water on day `j`, and whether each is alive at the end."""
    names = {player["seat"]: player["name"] for player in record.seats}
    winners = [seat for day in record.outcome["days"][j : j + 1] for seat in day["winners"]]
    return {names[seat]: seat in record.outcome["survivors"] for seat in winners}


def _quarters(played: Sequence[GameRecord], survived: np.ndarray) -> JsonObject:
    """Return the mean rate of each quarter of the days, with its interval over deals.

    Args:
        survived: (games, days), 1 where all winners survive.
    """
    design = Design.of_records(played)
    days = survived.shape[1]
    means: JsonObject = {}
    for quarter in range(4):
        part = survived[:, days * quarter // 4 : days * (quarter + 1) // 4]
        sums = np.zeros((design.num_deals, 2))
        np.add.at(sums, design.deals, np.column_stack([part.sum(axis=1), np.full(len(part), part.shape[1])]))
        means |= flattened({f"quarter_{quarter + 1}": ratio(sums, design)})
    return means


def _winners(played: Sequence[GameRecord], j: int) -> dict[str, list[int]]:
    """Return the winners of day `j`, from the resident that got water most often."""
    wins: dict[str, list[int]] = {}
    for record in played:
        for name, alive in winners_of(record, j).items():
            counts = wins.setdefault(name, [0, 0])
            counts[0] += 1
            counts[1] += alive
    return dict(sorted(wins.items(), key=lambda item: (-item[1][0], item[0])))


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return tables of the winners of each day of setting 1, whose rates are published; other settings are in JSON."""
    first = [row for row in rows if row["number"] == 1]
    if not first:
        return []
    headings = ["day", "bidder", "all alive", "published", "difference", "of games with a winner", "winners"]
    about = (
        "Winners by day in setting 1: games at whose end all are alive / all games, and among the games with a winner; "
        "for each winner, games at whose end it is alive / games in which it got water"
    )
    most = min(MOST_SHOWN, max(row["games"] for row in first))
    in_brackets = "Winners by day and game in setting 1, by initial; in brackets, those who die before the end"
    games = [f"game {game}" for game in range(1, most + 1)]
    return [
        (about, headings, [line for day in range(len(PUBLISHED)) for line in _rate_lines(first, day)]),
        (
            in_brackets,
            ["day", "bidder", *games],
            [line for day in range(len(PUBLISHED)) for line in _game_lines(first, day, most)],
        ),
    ]


def _rate_lines(rows: Sequence[JsonObject], day: int) -> Iterator[list[str]]:
    for row in rows:
        rate = row["rates"][day]
        winners = ", ".join(f"{name} {alive}/{won}" for name, (won, alive) in row["winners"][day].items())
        yield [
            str(day + 1),
            row["bidder"],
            f"{rate:.0%}",
            f"{PUBLISHED[day]:.0%}",
            f"{rate - PUBLISHED[day]:+.0%}".replace("-0%", "+0%"),
            or_dash(row["rates_with_winner"][day], "{:.0%}"),
            winners or "nobody",
        ]


def _game_lines(rows: Sequence[JsonObject], day: int, most: int) -> Iterator[list[str]]:
    for row in rows:
        games = row["by_game"][day][:most]
        cells = [" ".join(name[0] if alive else f"({name[0]})" for name, alive in game.items()) for game in games]
        yield [str(day + 1), row["bidder"], *(cell or "-" for cell in cells), *["-"] * (most - len(cells))]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the rates by day: a panel for each bidder, a line for each setting, and the published line of setting 1."""
    bidders = distinct(rows, "bidder")
    panels = figure.subplots(1, len(bidders), squeeze=False, sharey=True)[0]
    for axes, bidder in zip(panels, bidders, strict=True):
        for row in rows:
            points = [(day, rate) for day, rate in enumerate(row["rates"], start=1) if rate is not None]
            if row["bidder"] == bidder and points:
                supply = (row["number"] - 1) % 3  # settings 4 to 6 are 1 to 3 with personas
                style = {"color": f"C{supply}", "linestyle": "-" if row["number"] <= 3 else "--"}
                axes.plot(*zip(*points, strict=True), marker=".", linewidth=1, label=row["setting"], **style)
        axes.plot(range(1, len(PUBLISHED) + 1), PUBLISHED, "k:", label="low, published")
        axes.set_title(bidder)
        axes.set_xlabel("day")
        axes.set_xticks(range(5, len(PUBLISHED) + 1, 5))
        axes.set_ylim(0, 1.05)
    panels[0].set_ylabel("share of games in which all winners\nof the day are alive at the end")
    legend_above(figure, 4)


STUDY: Study = Study(
    name="alympics/curse",
    about="Share of games in which all residents who got water on a day are alive at the end, by quarter of the days.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=10,
    matches=matches,
    rows=rows,
    draw=draw,
    size=(9.6, 4.2),
    more_tables=more_tables,
    recorded=(GAME,),
    meaning=(
        "The published rates are those of ten games of GPT-4 in setting 1. From these games, as they are recorded, 19 "
        "of the 20 rates follow; on day 6 a winner dies in three games (4, 5 and 8) by the records, and in two by the "
        "paper's table. On days 12, 13, 15, 16 and 19 nobody gets water in some of them, so that the rate among games "
        "with a winner differs. Rates of late days are high in any play, because who wins then has lived until then."
    ),
)
