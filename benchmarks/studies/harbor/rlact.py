"""The profit of bidders in ExpAct's seat against the same two rivals: the criterion for RLAct.

In HARBOR (arXiv 2502.12149), RLAct earned less than ExpAct on the same inferred profiles: 30.01% against 32.54%. Here
both play against the same rivals on the same deals, each deal in all three seats. Every deal has fresh houses, and the
personas have their evaluation descriptions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from aucenv.benchmarks.studies.cells import Table, distinct, group_by, with_published
from aucenv.benchmarks.studies.harbor.roles import condition_of, number_matches, study_records
from aucenv.benchmarks.studies.study import Study
from aucenv.training.rlact.probes.audit import CLASSES, OTHER, PUBLISHED

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import Estimate, ratio
from aucenv.core.files import JsonObject
from aucenv.core.records.read_notes import AGAINST
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.envs.harbor.figures import FIGURES, seat_figures
from aucenv.envs.harbor.game import HarborScenario, drawn_scenario
from aucenv.runs.play import Match

NAME = "harbor/rlact"
SEATS = 3
RIVALS = (("expact", "persona"), ("persona", "persona"), ("expact", "expact"), ("value", "pace"))
"""The pairs of rivals. The first pair is the criterion; against the last one, `judge-greedy` assumes other rivals."""
PUBLISHED_PROFITS = {"expact": 32.54, "rlact": 30.01}
"""Kind of the bidder -> the published profit ratio (%) of the Master against two rivals without a strategy."""
PLAIN_RIVALS = "persona, persona"
FIRST_HOUSES = 100_001
"""The number of the first deal's fresh houses; no training state has these houses."""

COLUMNS = {
    "rivals": ("rivals", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "profit": ("profit ratio, %", "{:.2f}"),
    "profit_published": ("published", "{:.2f}"),
    "profit_difference": ("difference", "{:+.2f}"),
    "more": ("difference from the first, %", "{:+.2f}"),
    "won": ("acquisition", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of each bidder against each pair of rivals; the number of games is rounded up to whole deals."""
    return number_matches(_games(bidders, -(-games // SEATS), seed))


def count_games(bidders: Sequence[str], games: int) -> int:
    """Return the number of games, without their houses, which take seconds."""
    return len(RIVALS) * len(bidders) * -(-games // SEATS) * SEATS


def _games(
    bidders: Sequence[str], deals: int, seed: int
) -> Iterator[tuple[HarborScenario, Sequence[str], tuple[int, int]]]:
    for rivals in RIVALS:
        name = f"{NAME}: {', '.join(rivals)}"
        scenarios = [drawn_scenario(name, f"fresh-{FIRST_HOUSES + 2 * deal}", "single") for deal in range(deals)]
        for bidder in bidders:
            for deal, scenario in enumerate(scenarios):
                for seat in range(SEATS):  # the innermost loop, so that `_seat` can compute it from the game's index
                    yield scenario, (*rivals[:seat], bidder, *rivals[seat:]), (seed, deal)


def _seat(record: GameRecord) -> int:
    return record.index % SEATS


def _bidder(record: GameRecord) -> str:
    return record.seats[_seat(record)]["bidder"]


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each pair of rivals and bidder.

    `more` is the bidder's profit ratio less the first bidder's, on the deals that both have played.
    """
    table: list[JsonObject] = []
    for rivals, against_rivals in group_by(study_records(records, NAME), condition_of(NAME)).items():
        by_bidder = group_by(against_rivals, _bidder)
        first = sums_by_deal(next(iter(by_bidder.values())))
        for number, (bidder, played) in enumerate(by_bidder.items()):
            by_deal = sums_by_deal(played)
            sums = np.array([*by_deal.values()])
            row = {"rivals": rivals, "bidder": label_of(bidder), "games": len(played)}
            row |= _rounded("profit", ratio(sums[:, :2], Design.alike(len(sums))))
            row |= _rounded("won", ratio(sums[:, 2:4], Design.alike(len(sums))), 1)
            both = [deal for deal in by_deal if number and deal in first and by_deal[deal][4] == first[deal][4]]
            if both:  # equal deals and seats have equal denominators
                more = np.array([[by_deal[deal][0] - first[deal][0], by_deal[deal][1]] for deal in both])
                row |= _rounded("more", ratio(more, Design.alike(len(more))))
            rules = sum((seat_figures(record)[_seat(record)].rules for record in played), Counter())
            published = PUBLISHED_PROFITS.get(parse_bidder(bidder).kind) if rivals == PLAIN_RIVALS else None
            table.append(with_published(row, {"profit": published}) | {"rules": dict(sorted(rules.items()))})
    return table


def sums_by_deal(records: Sequence[GameRecord]) -> dict[tuple[int, ...], np.ndarray]:
    """Return for each seed the sums over its games, (5,).

    These are numerator and denominator of the bidder's profit ratio, numerator and denominator of its acquisition, and
    its seats as bits.
    """
    sums: dict[tuple[int, ...], np.ndarray] = {}
    for record in records:
        figures = seat_figures(record)[_seat(record)]
        terms = [*FIGURES["profit_ratio"](figures), *FIGURES["acquisition"](figures), 1 << _seat(record)]
        sums[tuple(record.seed)] = sums.get(tuple(record.seed), np.zeros(5)) + terms
    return sums


def _rounded(name: str, estimate: Estimate, times: float = 100) -> dict[str, float | None]:
    values = {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {key: None if value is None else round(times * value, 6) for key, value in values.items()}


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the table of the rules that bidders note and follow, and of those that RLAct's published replies follow.

    If decisions are against the rule noted with them, their share is a column of its own.
    """
    with_rules = [row for row in rows if row["rules"]]
    if not with_rules:
        return []
    classes = (*CLASSES, AGAINST) if any(AGAINST in row["rules"] for row in with_rules) else CLASSES
    lines = [[row["rivals"], row["bidder"], *_shares(row["rules"], classes)] for row in with_rules]
    published = (f"{PUBLISHED[rule]:.0%}" if rule in PUBLISHED else "-" for rule in classes)
    table = [*lines, ["-", "RLAct, published", *published]]
    return [("The rules that decisions follow", ["rivals", "bidder", *classes], table)]


def _shares(rules: dict[str, int], classes: Sequence[str]) -> list[str]:
    """Return the share of decisions of each class, in percent; unknown rules count as OTHER."""
    counts = {rule: rules.get(rule, 0) for rule in classes}
    total = sum(rules.values())
    counts[OTHER] = total - sum(counts[rule] for rule in classes if rule != OTHER)
    return [f"{counts[rule] / total:.0%}" for rule in classes]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the profit ratios by pair of rivals, with a bar for each bidder."""
    axes = figure.subplots()
    rivals = distinct(rows, "rivals")
    bidders = distinct(rows, "bidder")
    width = 0.8 / len(bidders)
    for number, bidder in enumerate(bidders):
        bars = [row for row in rows if row["bidder"] == bidder]
        places = [rivals.index(row["rivals"]) + width * (number - (len(bidders) - 1) / 2) for row in bars]
        draw_bars(axes, places, bars, "profit", width, bidder)
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xticks(range(len(rivals)), [pair.replace(", ", ",\n") for pair in rivals])
    axes.set_xlabel("the two rivals")
    axes.set_ylabel("profit ratio, %")
    legend_above(figure)


STUDY: Study = Study(
    name=NAME,
    about="Profit ratio (%) of each bidder in the same seats, against the same two rivals, on the same deals.",
    columns=COLUMNS,
    bidders=("expact", "judge-greedy"),
    games=1500,
    offline_games=15,
    matches=matches,
    rows=rows,
    draw=draw,
    more_tables=more_tables,
    count_games=count_games,
    meaning=(
        "Published are the profit ratios of Claude 3.5 Sonnet advised by ExpAct and by RLAct, against two models "
        "without a strategy, in 15 auctions: they stand beside ExpAct and RLAct against two `persona` bidders. "
        "Rivals, houses and player differ, so that only the order of the two can be compared."
    ),
)
