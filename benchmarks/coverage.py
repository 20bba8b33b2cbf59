"""Measure how often 95% intervals of leaderboards cover what they estimate, by playing boards again with other seeds.

`python -m aucenv.benchmarks.coverage --boards 1000` prints the table of docs/results.md. The games are compiled, and
those that `aucenv leaderboard` plays with the same settings. The value that an interval should cover is the mean over
all boards, because a rating of few games is nearer to its start than one of many.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated

import numpy as np
import typer
from aucenv.baselines.scripted.rollout import rollout
from aucenv.benchmarks.rankings.leaderboard import matches
from aucenv.benchmarks.rankings.settings import Settings

from aucenv.analysis.markdown import table
from aucenv.analysis.ranking.ratings import rate_games
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import Estimate, ratio, student_point
from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject
from aucenv.core.words.bidder_name import label_of
from aucenv.registration import find_family

NORMAL = 1.959964
"""The upper 2.5% point of the normal distribution."""
TWINS = ("a=rule", "b=rule")
"""Two equal bidders, for the rate at which equal bidders are separated."""
BOARDS: Mapping[str, Settings] = {
    "one lineup, 30 games": Settings(bidders=(*TWINS, "value"), games=30),
    "one lineup, 300 games": Settings(bidders=(*TWINS, "value"), games=300),
    "one lineup, 30 games, one order": Settings(bidders=("value", "drain", "random"), games=30),
    "4 bidders": Settings(bidders=(*TWINS, "drain", "value"), games=300),
    "6 bidders": Settings(bidders=(*TWINS, "drain", "value", "pace", "random"), games=300),
    "6 bidders, a deal a lineup": Settings(bidders=(*TWINS, "drain", "value", "pace", "random"), games=60),
    "standard format": Settings(bidders=("value", "drain", "a=rule", "b=rule"), format="standard"),
    "sealed bids": Settings("sealed_bid", ("a=equilibrium", "b=equilibrium", "shade", "truthful"), games=300),
    "clock": Settings("clock", ("a=truthful", "b=truthful", "shade", "random"), games=300),
    "proxy": Settings("ebay", ("a=truthful", "b=truthful", "sniper", "shade"), games=300),
    "water": Settings("water_allocation", ("a=share", "b=share", "thirst", "saver", "outbid", "random"), games=300),
    "harbor": Settings("harbor", (*TWINS, "value", "expact"), games=300),
}
HEADINGS = (
    *("board", "figure", "coverage", "lowest", "half width / (t x sd)", "equal: separated", "equal: difference"),
    *("others: separated", "possible"),
)


@dataclasses.dataclass(frozen=True)
class Board:
    """The estimates of one board.

    Attributes:
        ratings, means: by bidder: its rating and its mean score, each with the point of Student's t distribution.
        separated: by pair of bidders: the difference of their ratings, and whether they are not tied.
    """

    ratings: dict[str, tuple[Estimate, float]]
    means: dict[str, tuple[Estimate, float]]
    separated: dict[tuple[str, str], tuple[float, bool]]


def scores_of(settings: Settings) -> tuple[list[dict[str, float]], Design]:
    """Play the games of a leaderboard of rule bidders, compiled; return the scores of each game, and their design."""
    schedule = matches(settings)
    players = [tuple(map(str, match.bidders)) for match in schedule]
    score = find_family(settings.game).game.rules.RESULT[0]
    unit = 100 if score == "profit" else 1
    groups: dict[tuple[int, int], dict[int, int]] = {}
    numbers: dict[tuple[int, int], int] = {}
    for number, match in enumerate(schedule):
        block = match.seed[-1]
        played = numbers.get((id(match.scenario), block), 0)
        numbers[id(match.scenario), block] = played + 1
        groups.setdefault((id(match.scenario), played), {})[block] = number
    scores: list[dict[str, float]] = [{} for _ in schedule]
    for by_block in groups.values():
        blocks = max(by_block) + 1
        anyone = next(iter(by_block.values()))
        lineups = [players[by_block.get(block, anyone)] for block in range(blocks)]
        scenario = schedule[anyone].scenario
        results = rollout(settings.game, scenario, lineups, blocks, settings.seed)[score] / unit
        for block, number in by_block.items():
            earned: dict[str, list[float]] = {}
            for name, value in zip(players[number], results[block].tolist(), strict=True):
                earned.setdefault(label_of(name), []).append(value)
            scores[number] = {name: sum(values) / len(values) for name, values in earned.items()}
    deals: dict[tuple[int, object], int] = {}
    keys = [(id(match.scenario), match.seed) for match in schedule]
    return scores, Design.of(
        np.array([deals.setdefault(key, len(deals)) for key in keys], np.int64),
        [tuple(sorted(map(label_of, names))) for names in players],
        [str(id(match.scenario)) for match in schedule],
    )


def board(settings: Settings) -> Board:
    """Play a board, and return its estimates."""
    scores, design = scores_of(settings)
    rated = rate_games(scores, design)
    means = {}
    for bidder in rated.bidders:
        sums = np.zeros((design.num_deals, 2))
        for game, deal in zip(scores, design.deals.tolist(), strict=True):
            if bidder in game:
                sums[deal] += game[bidder], 1
        _, degrees = design.variance(sums, sums[:, 1] != 0)
        means[bidder] = ratio(sums, design), student_point(max(degrees, 1))
    _, degrees = rated.design.variance(rated.left_out.mean(axis=1))
    ratings = {bidder: (rated.of(bidder), student_point(max(degrees, 1))) for bidder in rated.bidders}
    values = dict(zip(rated.bidders, rated.shuffled.mean(axis=0).tolist(), strict=True))
    pairs = {
        (one, other): (values[one] - values[other], not rated.tied(one, other))
        for one, other in combinations(sorted(values), 2)
    }
    return Board(ratings, means, pairs)


def rows(settings: Settings, boards: int) -> Iterator[JsonObject]:
    """Play a board with several seeds, and yield a row for ratings and one for mean scores."""
    played = [board(dataclasses.replace(settings, seed=seed)) for seed in range(boards)]
    for figure in ("ratings", "means"):
        row: JsonObject = {"figure": figure, **_coverage([getattr(each, figure) for each in played])}
        if figure == "ratings":
            row |= _power([each.separated for each in played])
        yield row


def _coverage(estimates: Sequence[Mapping[str, tuple[Estimate, float]]]) -> JsonObject:
    """Return the mean and the least coverage over bidders, and the width of intervals in units of the right one.

    The right one is that with the standard deviation over the boards, and the same degrees of freedom.
    """
    covered, widths = [], []
    for bidder in dict.fromkeys(name for each in estimates for name in each):
        known = [each[bidder] for each in estimates if bidder in each]
        values = np.array([each.value for each, _ in known], float)
        ends = np.array([(each.low, each.high, point) for each, point in known if each.low is not None], float)
        if len(ends) < len(known) / 2:
            continue  # nearly always without an interval
        covered.append(float(np.mean((ends[:, 0] <= values.mean()) & (values.mean() <= ends[:, 1]))))
        if values.std() > 0:
            widths.append(float(((ends[:, 1] - ends[:, 0]) / 2 / ends[:, 2]).mean() / values.std(ddof=1)))
    if not covered:
        return {"coverage": None, "lowest": None, "width": None}
    return {"coverage": float(np.mean(covered)), "lowest": min(covered), "width": float(np.mean(widths))}


def _power(pairs: Sequence[Mapping[tuple[str, str], tuple[float, bool]]]) -> JsonObject:
    """Return how often equal bidders are separated, and how often others are, beside what is possible.

    The mean difference of equal bidders is the effect of their order in the settings: seats rotate, so that the same
    bidders are always next to each other. Possible is the share of boards in which a difference is beyond 1.96 of its
    standard deviations over the boards.
    """
    equal, order, separated, possible = [], [], [], []
    for pair in pairs[0]:
        differences = np.array([each[pair][0] for each in pairs])
        apart = float(np.mean([each[pair][1] for each in pairs]))
        if pair == ("a", "b"):
            equal.append(apart)
            order.append(differences.mean())
        else:
            separated.append(apart)
            possible.append(float(np.mean(np.abs(differences) > NORMAL * differences.std(ddof=1))))
    means = {"equal": equal, "order": order, "separated": separated, "possible": possible}
    return {name: float(np.mean(values)) if values else None for name, values in means.items()}


def coverage_table(rows: Sequence[JsonObject]) -> str:
    """Return the table in Markdown."""
    forms = {"coverage": "{:.1%}", "lowest": "{:.1%}", "width": "{:.2f}"}
    forms |= {"equal": "{:.1%}", "order": "{:+.2f}", "separated": "{:.1%}", "possible": "{:.1%}"}
    lines = [
        [
            row["board"],
            {"ratings": "rating", "means": "mean score"}[row["figure"]],
            *("-" if row.get(name) is None else form.format(row[name]) for name, form in forms.items()),
        ]
        for row in rows
    ]
    return table(HEADINGS, lines)


def main(
    boards: Annotated[int, typer.Option(help="Number of boards of each kind.")] = 1000,
    kind: Annotated[list[str] | None, typer.Option(help="A kind of board; again for several; by default, all.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the coverage of intervals on repeated leaderboards."""
    for name in kind or ():
        one_of("--kind", name, BOARDS)
    table_rows = [{"board": name, **row} for name in kind or BOARDS for row in rows(BOARDS[name], boards)]
    typer.echo(json.dumps(table_rows) if json_ else coverage_table(table_rows))


if __name__ == "__main__":
    typer.run(main)
