"""Variants of an agent's prompts: how much each earns in the same deals, and the paired differences from the first.

Source of the question: AucArena, arXiv 2310.05746, appendix A.2, which compares no prompts because of the cost. Every
variant plays the same deals in the same seats against the same rule bidders, so that the luck of a deal cancels out in
the differences. Above temperature 0 a model's replies vary as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from aucenv.baselines.llm.options import agents_of
from aucenv.benchmarks.rankings.leaderboard import honest_bidders, rotated
from aucenv.benchmarks.studies.cells import Row
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_points, legend_above
from aucenv.analysis.statistics.intervals import with_interval
from aucenv.analysis.statistics.metrics import figures_of
from aucenv.core.play.bid_errors import count_bid_errors
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import check_path, label_of, parse_bidder, seat_label, with_options
from aucenv.registration import FAMILIES, find_family
from aucenv.runs.play import Match

NAME = "prompts"
BIDDERS = ("default=llm:scripted,agent=bdi", "paper=llm:scripted,agent=bdi,preset=paper")
COLUMNS = {
    "bidder": ("variant", "{}"),
    "games": ("games", "{}"),
    "score": ("mean score", "{:,.2f}"),
    "difference": ("difference from the first", "{:+,.2f}"),
    "failed": ("failed bids", "{:.1%}"),
    "unreadable": ("unreadable replies", "{:.1%}"),
}


def variants(bidder: str, folders: Sequence[Path]) -> tuple[str, ...]:
    """Return a bidder for each folder of prompts, labelled with the name of the folder.

    Raises:
        ValueError: The bidder is no model, or it has the option `prompts`.
        OSError: A folder does not exist.
    """
    spec = parse_bidder(bidder)
    if spec.kind != "llm" or "prompts" in spec.params:
        raise ValueError(f"study {NAME}: expected one model without prompts=..., got {bidder!r}")
    for folder in folders:
        if not folder.is_dir():
            raise NotADirectoryError(f"--set templates={folder}: expected a folder of templates")
        check_path(folder)
    return tuple(with_options(bidder, folder.resolve().name, prompts=str(folder)) for folder in folders)


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of each variant on the same deals, in the default scenario of the first game that its agent plays.

    Raises:
        ValueError: There is only one variant.
    """
    if len(bidders) < 2:
        raise ValueError(
            f"study {NAME}: expected two variants or more, as --set templates=A --set templates=B with one --bidder, "
            f"or as several --bidder, got {', '.join(map(label_of, bidders))}"
        )
    agent = parse_bidder(bidders[0]).params.get("agent", "plain")
    game = next((name for name in FAMILIES if agent in agents_of(name)), next(iter(FAMILIES)))
    modules = find_family(game).game
    scenario = modules.load_scenario(modules.default_scenario)
    rivals = honest_bidders(game, scenario)
    others = [rivals[number % len(rivals)] for number in range(len(scenario.bidders) - 1)]
    schedule: list[Match] = []
    for bidder in bidders:
        for number in range(games):
            lineup = rotated((bidder, *others), -number)
            schedule.append(Match(game, scenario, lineup, (seed, number), len(schedule)))
    return schedule


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each variant: the bidders of which each plays all of its games without the others."""
    labels = [[seat_label(player) for player in record.seats] for record in records]
    rivals = set.intersection(*map(set, labels)) if labels else set()
    seats: dict[str, dict[tuple[int, ...], tuple[GameRecord, int]]] = {}
    for record, around in zip(records, labels, strict=True):
        for seat, label in enumerate(around):
            if label not in rivals:
                seats.setdefault(label, {})[tuple(record.seed)] = record, seat
    first: dict[tuple[int, ...], float] = {}
    table = []
    for label, played in seats.items():
        scores = {deal: _score(*game) for deal, game in played.items()}
        first = first or scores
        paired = [score - first[deal] for deal, score in scores.items() if deal in first]
        errors = [count_bid_errors(record)[record.seats[seat]["seat"]] for record, seat in played.values()]
        row: Row = {"bidder": label, "games": len(played), **_mean("score", list(scores.values()))}
        row |= {} if scores is first else _mean("difference", paired)
        for name, rate in (("failed", "failed_bid_rate"), ("unreadable", "unreadable_rate")):
            failed, total = np.sum([getattr(each, rate) for each in errors], axis=0).tolist()
            row[name] = failed / total if total else None
        table.append(row)
    return table


def _score(record: GameRecord, seat: int) -> float:
    score: float = record.outcome["seats"][seat][figures_of(record.game).SCORE]
    return score


def _mean(name: str, values: Sequence[float]) -> Row:
    """Return a mean over independent deals as NAME, and its interval as NAME_low and NAME_high."""
    number = len(values)
    if not number:
        return {name: None}
    error = float(np.std(values, ddof=1)) / number**0.5 if number > 1 else 0.0
    estimate = with_interval(float(np.mean(values)), error, number - 1)
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw the mean score of each variant, and beside it the difference from the first one."""
    panels = figure.subplots(1, 2)
    titles = {"score": "mean score", "difference": f"difference from {rows[0]['bidder']}"}
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        for number, row in enumerate(rows):
            if row.get(name) is not None:
                draw_points(axes, [number], [row], name, f"C{number}o", row["bidder"])
        axes.set_xticks(range(len(rows)), [row["bidder"] for row in rows], rotation=20)
        axes.set_ylabel(title)
    panels[1].axhline(0, color="0.4", linewidth=0.8)
    legend_above(figure)


STUDY: Study = Study(
    name=NAME,
    about=(
        "Variants of an agent's prompts in the same deals: mean score, and the paired difference from the first "
        "variant."
    ),
    columns=COLUMNS,
    bidders=BIDDERS,
    games=30,
    offline_games=12,
    matches=matches,
    rows=rows,
    draw=draw,
    fixed_bidders=BIDDERS,
    variants=variants,
    meaning=(
        "The score is that of the game: profit in dollars, or days lived. Differences are paired: the interval is "
        "that of the mean over deals of what a variant earns more than the first one in the same deal, against the "
        "same rule bidders. The script follows rules in place of a model, and hardly depends on how a prompt is "
        "worded."
    ),
)
